from django.urls import path

from judging.boards.blindspots import page, sighting_pages

urlpatterns = [
    path("p/<slug:slug>/blindspots/", page.blindspots, name="blindspots"),
    path("p/<slug:slug>/blindspots/pairs/", sighting_pages.blindspot_pairs, name="blindspot_pairs"),
    path(
        "p/<slug:slug>/blindspots/explanations/", sighting_pages.blindspot_explanations, name="blindspot_explanations"
    ),
    path("p/<slug:slug>/blindspots/explanations/check/", sighting_pages.blindspot_check, name="blindspot_check"),
    path("p/<slug:slug>/blindspots/explanations/checked/", sighting_pages.blindspot_checked, name="blindspot_checked"),
]
