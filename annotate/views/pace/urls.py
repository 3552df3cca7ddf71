from django.urls import path

from annotate.views.pace import pace

urlpatterns = [
    path("pace/", pace.pace, name="pace"),
    path("pace/<int:pk>/", pace.pace_person, name="pace_person"),
    path("mine/pace/", pace.my_pace, name="my_pace"),
]
