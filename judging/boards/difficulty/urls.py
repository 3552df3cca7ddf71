from django.urls import path

from judging.boards.difficulty import page

urlpatterns = [
    path("p/<slug:slug>/difficulty/", page.difficulty, name="difficulty"),
    path("p/<slug:slug>/difficulty/apply/", page.difficulty_apply, name="difficulty_apply"),
    path("p/<slug:slug>/difficulty/restore/", page.difficulty_restore, name="difficulty_restore"),
]
