from django.urls import path

from annotate.items import comment_pages
from annotate.review import correction_pages, decision_pages, pages

urlpatterns = [
    path("review/", pages.queue, name="review"),
    path("review/next/", pages.next_item, name="review_next"),
    path("review/<int:pk>/", pages.item, name="review_item"),
    path("review/<int:pk>/take/", pages.take, name="review_take"),
    path("review/<int:pk>/save/", decision_pages.save, name="review_save"),
    path("review/<int:pk>/heartbeat/", decision_pages.heartbeat, name="review_heartbeat"),
    path("review/<int:pk>/release/", decision_pages.release, name="review_release"),
    path("review/<int:pk>/skip/", decision_pages.skip, name="review_skip"),
    path("review/<int:pk>/undo/", decision_pages.undo, name="review_undo"),
    path("review/<int:pk>/resolve/", decision_pages.resolve, name="review_resolve"),
    path("review/<int:pk>/accept/", decision_pages.accept, name="review_accept"),
    path("review/<int:pk>/fix/", decision_pages.fix, name="review_fix"),
    path("review/<int:pk>/return/", decision_pages.send_back, name="review_return"),
    path("review/<int:pk>/drop/", decision_pages.drop, name="review_drop"),
    path("items/<int:pk>/comments/", comment_pages.comment_add, name="comment_add"),
    path("comments/<int:pk>/answer/", comment_pages.comment_answer, name="comment_answer"),
    path("comments/<int:pk>/resolve/", comment_pages.comment_resolve, name="comment_resolve"),
    path("mine/corrections/", correction_pages.my_corrections, name="my_corrections"),
    path("mine/corrections/<int:pk>/dispute/", correction_pages.correction_dispute, name="correction_dispute"),
    path("disputes/", correction_pages.dispute_list, name="disputes"),
    path("disputes/<int:pk>/", correction_pages.dispute_page, name="dispute"),
    path("disputes/<int:pk>/decide/", correction_pages.dispute_decide, name="dispute_decide"),
]
