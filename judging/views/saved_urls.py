from django.urls import path

from judging.views.saved import views

urlpatterns = [
    path("p/<slug:slug>/views/save/", views.saved_view_save, name="saved_view_save"),
    path("p/<slug:slug>/views/<int:pk>/delete/", views.saved_view_delete, name="saved_view_delete"),
]
