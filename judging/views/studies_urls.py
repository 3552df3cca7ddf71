from django.urls import path

from judging.views.studies import live, studies

urlpatterns = [
    path("p/<slug:slug>/studies/", studies.studies, name="studies"),
    path("p/<slug:slug>/studies/<int:pk>/", live.study_live, name="study_live"),
    path("p/<slug:slug>/studies/<int:pk>/leaks/", live.study_leaks, name="study_leaks"),
    path("p/<slug:slug>/studies/<int:pk>/close/", studies.study_close, name="study_close"),
]
