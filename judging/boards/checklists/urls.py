from django.urls import path

from judging.boards.checklists import page

urlpatterns = [
    path("p/<slug:slug>/checklists/", page.checklists, name="checklists"),
    path("p/<slug:slug>/items/<int:pk>/questions/", page.checklist_question, name="checklist_question"),
    path("p/<slug:slug>/items/<int:pk>/live-scores/", page.live_scores_part, name="live_scores"),
]
