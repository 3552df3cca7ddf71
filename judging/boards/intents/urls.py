from django.urls import path

from judging.boards.intents import page

urlpatterns = [path("p/<slug:slug>/intents/", page.intents_page, name="intents")]
