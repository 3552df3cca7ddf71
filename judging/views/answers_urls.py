from django.urls import path

from judging.views.answers import answer, answers, importing

urlpatterns = [
    path("p/<slug:slug>/answers/", answers.answers, name="answers"),
    path("p/<slug:slug>/answers/import/", importing.answers_import, name="answers_import"),
    path("p/<slug:slug>/answers/authors/<int:pk>/", answers.answer_author, name="answer_author"),
    path("p/<slug:slug>/answers/<int:pk>/", answer.answer, name="answer"),
]
