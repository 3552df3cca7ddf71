from django.urls import path

from annotate.views.anchoring import anchoring

urlpatterns = [
    path("anchoring/", anchoring.anchoring_page, name="anchoring"),
    path("anchoring/items/", anchoring.anchoring_items, name="anchoring_items"),
]
