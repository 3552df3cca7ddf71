from django.urls import path

from judging.boards.reported import page

urlpatterns = [path("p/<slug:slug>/reported/", page.reported, name="reported")]
