from django.urls import path

from judging.views.blindspots import checking, explanations, page, pairs

urlpatterns = [
    path("p/<slug:slug>/blindspots/", page.blindspots, name="blindspots"),
    path("p/<slug:slug>/blindspots/pairs/", pairs.blindspot_pairs, name="blindspot_pairs"),
    path("p/<slug:slug>/blindspots/explanations/", explanations.blindspot_explanations, name="blindspot_explanations"),
    path("p/<slug:slug>/blindspots/explanations/check/", checking.blindspot_check, name="blindspot_check"),
    path("p/<slug:slug>/blindspots/explanations/checked/", checking.blindspot_checked, name="blindspot_checked"),
]
