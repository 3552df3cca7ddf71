from django.urls import path

from judging.views.bridging import gain, workshop

urlpatterns = [
    path("p/<slug:slug>/bridging/", workshop.bridging, name="bridging"),
    path("p/<slug:slug>/bridging/make/", workshop.bridging_make, name="bridging_make"),
    path("p/<slug:slug>/bridging/approve/", workshop.bridging_approve, name="bridging_approve"),
    path("p/<slug:slug>/bridging/next/", workshop.bridging_next, name="bridging_next"),
    path("p/<slug:slug>/bridging/take/<int:pk>/", workshop.bridging_take, name="bridging_take"),
    path("p/<slug:slug>/bridging/gain/", gain.bridging_gain, name="bridging_gain"),
    path("p/<slug:slug>/bridging/gain/items/", gain.bridging_gain_items, name="bridging_gain_items"),
]
