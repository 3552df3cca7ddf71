from django.urls import path

from annotate.intake import chat_log_pages, pages

urlpatterns = [
    path("collect/", chat_log_pages.collect, name="collect"),
    path("collect/<int:pk>/", chat_log_pages.collect_log, name="collect_log"),
    path("collect/<int:pk>/replaced/", chat_log_pages.collect_replaced, name="collect_replaced"),
    path("collect/<int:pk>/replace/", chat_log_pages.collect_replace, name="collect_replace"),
    path("near-duplicates/", pages.near_duplicates, name="near_duplicates"),
    path("near-duplicates/search/", pages.near_duplicates_search, name="near_duplicates_search"),
    path("near-duplicates/<int:pk>/", pages.near_duplicate, name="near_duplicate"),
]
