from django.urls import path

from judging.views.studies import studies

urlpatterns = [
    path("p/<slug:slug>/studies/", studies.studies, name="studies"),
    path("p/<slug:slug>/studies/<int:pk>/close/", studies.study_close, name="study_close"),
]
