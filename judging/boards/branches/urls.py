from django.urls import path

from judging.boards.branches import pages

urlpatterns = [
    path("p/<slug:slug>/branches/", pages.branches_page, name="branches"),
    path("p/<slug:slug>/branches/pairs/", pages.branch_pairs, name="branch_pairs"),
    path("p/<slug:slug>/branches/criteria/", pages.branch_criteria, name="branch_criteria"),
    path("p/<slug:slug>/branches/gain/", pages.branch_gain, name="branch_gain"),
    path("p/<slug:slug>/branches/gain/items/", pages.branch_corrections, name="branch_corrections"),
    path("p/<slug:slug>/branches/systems/", pages.branch_systems, name="branch_systems"),
]
