from django.urls import path

from judging.views.leaderboard import download, items, page, verdicts

urlpatterns = [
    path("p/<slug:slug>/leaderboard/", page.leaderboard, name="leaderboard"),
    path("p/<slug:slug>/leaderboard/leaderboard.csv", download.leaderboard_csv, name="leaderboard_csv"),
    path("p/<slug:slug>/leaderboard/leaderboard.json", download.leaderboard_json, name="leaderboard_json"),
    path("p/<slug:slug>/leaderboard/items/", items.leaderboard_items, name="leaderboard_items"),
    path("p/<slug:slug>/items/<int:pk>/verdicts/", verdicts.item_verdicts_page, name="item_verdicts"),
]
