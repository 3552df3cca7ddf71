from django.urls import path

from judging.boards.arithmetic import page

urlpatterns = [
    path("p/<slug:slug>/arithmetic/", page.arithmetic, name="arithmetic"),
    path("p/<slug:slug>/arithmetic/plan/", page.arithmetic_plan, name="arithmetic_plan"),
]
