from django.urls import path

from judging.views.agreement import download, page, ratings, units

urlpatterns = [
    path("p/<slug:slug>/agreement/", page.agreement, name="agreement"),
    path("p/<slug:slug>/agreement/agreement.csv", download.agreement_csv, name="agreement_csv"),
    path("p/<slug:slug>/agreement/units/", units.agreement_units, name="agreement_units"),
    path("p/<slug:slug>/agreement/ratings/", ratings.ratings_file, name="agreement_ratings"),
    path("p/<slug:slug>/agreement/ratings/manifest/", ratings.ratings_manifest, name="agreement_ratings_manifest"),
]
