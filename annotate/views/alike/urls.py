from django.urls import path

from annotate.views.alike import alike

urlpatterns = [
    path("near-duplicates/", alike.near_duplicates, name="near_duplicates"),
    path("near-duplicates/search/", alike.near_duplicates_search, name="near_duplicates_search"),
    path("near-duplicates/<int:pk>/", alike.near_duplicate, name="near_duplicate"),
]
