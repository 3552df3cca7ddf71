from django.urls import path

from judging.views.difficulty import difficulty

urlpatterns = [
    path("p/<slug:slug>/difficulty/", difficulty.difficulty, name="difficulty"),
    path("p/<slug:slug>/difficulty/apply/", difficulty.difficulty_apply, name="difficulty_apply"),
    path("p/<slug:slug>/difficulty/restore/", difficulty.difficulty_restore, name="difficulty_restore"),
]
