from django.urls import path

from judging.boards.ranking import page

urlpatterns = [
    path("p/<slug:slug>/ranking/", page.ranking_page, name="ranking"),
    path("p/<slug:slug>/ranking/battles/", page.ranking_battles, name="ranking_battles"),
]
