from django.urls import path

from judging.boards.saved import pages

urlpatterns = [
    path("p/<slug:slug>/views/save/", pages.saved_view_save, name="saved_view_save"),
    path("p/<slug:slug>/views/<int:pk>/delete/", pages.saved_view_delete, name="saved_view_delete"),
]
