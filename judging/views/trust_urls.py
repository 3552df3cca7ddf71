from django.urls import path

from judging.views.trust import page, units

urlpatterns = [
    path("p/<slug:slug>/trust/", page.trust_page, name="trust"),
    path("p/<slug:slug>/trust/units/", units.trust_units, name="trust_units"),
]
