from django.urls import path

from judging.boards.checklists import live_scores

# Of the work page: for everybody who may see the item, so it is no page of the board.
urlpatterns = [path("p/<slug:slug>/items/<int:pk>/live-scores/", live_scores.live_scores_part, name="live_scores")]
