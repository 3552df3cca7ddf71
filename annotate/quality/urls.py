from django.urls import path

from annotate.quality import pages, sampling_pages

urlpatterns = [
    path("anchoring/", pages.anchoring_page, name="anchoring"),
    path("anchoring/items/", pages.anchoring_items, name="anchoring_items"),
    path("pace/", pages.pace, name="pace"),
    path("pace/<int:pk>/", pages.pace_person, name="pace_person"),
    path("mine/pace/", pages.my_pace, name="my_pace"),
    path("samples/", sampling_pages.samples, name="samples"),
    path("samples/<int:pk>/whole/", sampling_pages.sample_whole, name="sample_whole"),
    path("classification/", pages.classification, name="classification"),
    path("classification/<int:pk>/", pages.classification_run, name="classification_run"),
    path("classification/<int:pk>/items/", pages.classification_items, name="classification_items"),
]
