from django.urls import path

from judging.boards.agreement import page, units_page

urlpatterns = [
    path("p/<slug:slug>/agreement/", page.agreement, name="agreement"),
    path("p/<slug:slug>/agreement/agreement.csv", page.agreement_csv, name="agreement_csv"),
    path("p/<slug:slug>/agreement/units/", units_page.agreement_units, name="agreement_units"),
    path("p/<slug:slug>/agreement/ratings/", page.ratings_file, name="agreement_ratings"),
    path("p/<slug:slug>/agreement/ratings/manifest/", page.ratings_manifest, name="agreement_ratings_manifest"),
]
