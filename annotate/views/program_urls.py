from django.urls import path

from annotate.views import tokens, webhooks

urlpatterns = [
    path("tokens/", tokens.token_list, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("webhooks/", webhooks.webhook_list, name="webhooks"),
    path("webhooks/<int:pk>/", webhooks.webhook, name="webhook"),
    path("webhooks/<int:pk>/test/", webhooks.webhook_test, name="webhook_test"),
    path("webhooks/<int:pk>/switch/", webhooks.webhook_switch, name="webhook_switch"),
    path("webhooks/<int:pk>/remove/", webhooks.webhook_remove, name="webhook_remove"),
    path("webhooks/deliveries/<int:pk>/again/", webhooks.delivery_again, name="delivery_again"),
]
