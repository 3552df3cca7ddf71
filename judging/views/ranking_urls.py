from django.urls import path

from judging.views.ranking import battles, page

urlpatterns = [
    path("p/<slug:slug>/ranking/", page.ranking_page, name="ranking"),
    path("p/<slug:slug>/ranking/battles/", battles.ranking_battles, name="ranking_battles"),
]
