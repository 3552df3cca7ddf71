from django.urls import path

from judging.boards.training import page

urlpatterns = [
    path("p/<slug:slug>/training/", page.training_page, name="training"),
    path("p/<slug:slug>/training/files.zip", page.training_files, name="training_files"),
]
