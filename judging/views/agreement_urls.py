from django.urls import path

from judging.views.agreement import page, units

urlpatterns = [
    path("p/<slug:slug>/agreement/", page.agreement, name="agreement"),
    path("p/<slug:slug>/agreement/units/", units.agreement_units, name="agreement_units"),
]
