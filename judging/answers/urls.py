from django.urls import path

from judging.answers import pages

urlpatterns = [
    path("p/<slug:slug>/answers/", pages.answers, name="answers"),
    path("p/<slug:slug>/answers/import/", pages.answers_import, name="answers_import"),
    path("p/<slug:slug>/answers/authors/<int:pk>/", pages.answer_author, name="answer_author"),
    path("p/<slug:slug>/answers/<int:pk>/", pages.answer, name="answer"),
]
