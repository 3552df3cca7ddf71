from django.urls import path

from judging.views.checklists import checklists, live, question

urlpatterns = [
    path("p/<slug:slug>/checklists/", checklists.checklists, name="checklists"),
    path("p/<slug:slug>/items/<int:pk>/questions/", question.checklist_question, name="checklist_question"),
    path("p/<slug:slug>/items/<int:pk>/live-scores/", live.live_scores_part, name="live_scores"),
]
