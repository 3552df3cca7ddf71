from django.urls import path

from judging.views.intents import page

urlpatterns = [path("p/<slug:slug>/intents/", page.intents_page, name="intents")]
