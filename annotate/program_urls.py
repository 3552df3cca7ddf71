from django.urls import path

from annotate.notices import pages
from annotate.people import account_pages

urlpatterns = [
    path("tokens/", account_pages.token_list, name="tokens"),
    path("tokens/<int:pk>/revoke/", account_pages.token_revoke, name="token_revoke"),
    path("webhooks/", pages.webhook_list, name="webhooks"),
    path("webhooks/<int:pk>/", pages.webhook, name="webhook"),
    path("webhooks/<int:pk>/test/", pages.webhook_test, name="webhook_test"),
    path("webhooks/<int:pk>/switch/", pages.webhook_switch, name="webhook_switch"),
    path("webhooks/<int:pk>/remove/", pages.webhook_remove, name="webhook_remove"),
    path("webhooks/deliveries/<int:pk>/again/", pages.delivery_again, name="delivery_again"),
]
