from django.urls import path

from judging.boards.bridging import pages

urlpatterns = [
    path("p/<slug:slug>/bridging/", pages.bridging, name="bridging"),
    path("p/<slug:slug>/bridging/make/", pages.bridging_make, name="bridging_make"),
    path("p/<slug:slug>/bridging/approve/", pages.bridging_approve, name="bridging_approve"),
    path("p/<slug:slug>/bridging/next/", pages.bridging_next, name="bridging_next"),
    path("p/<slug:slug>/bridging/take/<int:pk>/", pages.bridging_take, name="bridging_take"),
    path("p/<slug:slug>/bridging/gain/", pages.bridging_gain, name="bridging_gain"),
    path("p/<slug:slug>/bridging/gain/items/", pages.bridging_gain_items, name="bridging_gain_items"),
]
