from django.urls import path

from judging.views.statistics import download, items, page

urlpatterns = [
    path("p/<slug:slug>/statistics/", page.dataset_statistics, name="statistics"),
    path("p/<slug:slug>/statistics/statistics.csv", download.statistics_csv, name="statistics_csv"),
    path("p/<slug:slug>/statistics/items/", items.statistics_items, name="statistics_items"),
]
