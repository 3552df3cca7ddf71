from django.urls import path

from judging.boards.statistics import page

urlpatterns = [
    path("p/<slug:slug>/statistics/", page.dataset_statistics, name="statistics"),
    path("p/<slug:slug>/statistics/statistics.csv", page.statistics_csv, name="statistics_csv"),
    path("p/<slug:slug>/statistics/items/", page.statistics_items, name="statistics_items"),
]
