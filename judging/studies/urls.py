from django.urls import path

from judging.studies import pages

urlpatterns = [
    path("p/<slug:slug>/studies/", pages.studies, name="studies"),
    path("p/<slug:slug>/studies/<int:pk>/", pages.study_live, name="study_live"),
    path("p/<slug:slug>/studies/<int:pk>/leaks/", pages.study_leaks, name="study_leaks"),
    path("p/<slug:slug>/studies/<int:pk>/close/", pages.study_close, name="study_close"),
]
