from django.urls import path

from judging.views.branches import criteria, curves, gain, pairs, systems

urlpatterns = [
    path("p/<slug:slug>/branches/", curves.branches_page, name="branches"),
    path("p/<slug:slug>/branches/pairs/", pairs.branch_pairs, name="branch_pairs"),
    path("p/<slug:slug>/branches/criteria/", criteria.branch_criteria, name="branch_criteria"),
    path("p/<slug:slug>/branches/gain/", gain.branch_gain, name="branch_gain"),
    path("p/<slug:slug>/branches/gain/items/", gain.branch_corrections, name="branch_corrections"),
    path("p/<slug:slug>/branches/systems/", systems.branch_systems, name="branch_systems"),
]
