from django.urls import path

from annotate.views import classification

urlpatterns = [
    path("classification/", classification.classification, name="classification"),
    path("classification/<int:pk>/", classification.classification_run, name="classification_run"),
    path("classification/<int:pk>/items/", classification.classification_items, name="classification_items"),
]
