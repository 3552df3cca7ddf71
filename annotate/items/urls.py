from django.urls import path

from annotate.items import pages

urlpatterns = [
    path("items/", pages.items, name="items"),
    path("items.csv", pages.items_csv, name="items_csv"),
    path("items/bulk/", pages.items_bulk, name="items_bulk"),
    path("items/<int:pk>/", pages.item, name="item"),
    path("items/<int:pk>/decide/", pages.item_decide, name="item_decide"),
    path("items/<int:pk>/release/", pages.item_release, name="item_release"),
]
