from django.urls import path

from judging.views.reported import page

urlpatterns = [path("p/<slug:slug>/reported/", page.reported, name="reported")]
