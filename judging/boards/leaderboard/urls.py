from django.urls import path

from judging.boards.leaderboard import page, scored_pages

urlpatterns = [
    path("p/<slug:slug>/leaderboard/", page.leaderboard, name="leaderboard"),
    path("p/<slug:slug>/leaderboard/leaderboard.csv", page.leaderboard_csv, name="leaderboard_csv"),
    path("p/<slug:slug>/leaderboard/leaderboard.json", page.leaderboard_json, name="leaderboard_json"),
    path("p/<slug:slug>/leaderboard/items/", scored_pages.leaderboard_items, name="leaderboard_items"),
    path("p/<slug:slug>/items/<int:pk>/verdicts/", scored_pages.item_verdicts_page, name="item_verdicts"),
]
