from django.urls import path

from annotate.views.collecting import collecting

urlpatterns = [
    path("collect/", collecting.collect, name="collect"),
    path("collect/<int:pk>/", collecting.collect_log, name="collect_log"),
    path("collect/<int:pk>/replaced/", collecting.collect_replaced, name="collect_replaced"),
    path("collect/<int:pk>/replace/", collecting.collect_replace, name="collect_replace"),
]
