from django.urls import path

from annotate.views.endpoints import endpoints

urlpatterns = [
    path("", endpoints.endpoints, name="endpoints"),
    path("new/", endpoints.endpoint_new, name="endpoint_new"),
    path("<int:pk>/", endpoints.endpoint, name="endpoint"),
    path("<int:pk>/retire/", endpoints.endpoint_retire, name="endpoint_retire"),
    path("<int:pk>/forget/", endpoints.endpoint_forget, name="endpoint_forget"),
    path("<int:pk>/test/", endpoints.endpoint_test, name="endpoint_test"),
]
