from django.urls import path

from judging.boards.trust import page

urlpatterns = [
    path("p/<slug:slug>/trust/", page.trust_page, name="trust"),
    path("p/<slug:slug>/trust/units/", page.trust_units, name="trust_units"),
]
