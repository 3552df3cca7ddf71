from django.urls import path

from annotate.views.items import bulk, item, items

urlpatterns = [
    path("items/", items.items, name="items"),
    path("items.csv", items.items_csv, name="items_csv"),
    path("items/bulk/", bulk.items_bulk, name="items_bulk"),
    path("items/<int:pk>/", item.item, name="item"),
    path("items/<int:pk>/decide/", item.item_decide, name="item_decide"),
    path("items/<int:pk>/release/", item.item_release, name="item_release"),
]
