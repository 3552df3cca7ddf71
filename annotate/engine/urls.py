from django.urls import path

from annotate.engine import pages

urlpatterns = [
    path("", pages.endpoints, name="endpoints"),
    path("new/", pages.endpoint_new, name="endpoint_new"),
    path("<int:pk>/", pages.endpoint, name="endpoint"),
    path("<int:pk>/retire/", pages.endpoint_retire, name="endpoint_retire"),
    path("<int:pk>/forget/", pages.endpoint_forget, name="endpoint_forget"),
    path("<int:pk>/test/", pages.endpoint_test, name="endpoint_test"),
]
