from django.urls import path

from annotate.views import comments
from annotate.views.review import deciding, posting, review

urlpatterns = [
    path("review/", review.queue, name="review"),
    path("review/next/", review.next_item, name="review_next"),
    path("review/<int:pk>/", review.item, name="review_item"),
    path("review/<int:pk>/take/", review.take, name="review_take"),
    path("review/<int:pk>/save/", posting.save, name="review_save"),
    path("review/<int:pk>/heartbeat/", posting.heartbeat, name="review_heartbeat"),
    path("review/<int:pk>/release/", posting.release, name="review_release"),
    path("review/<int:pk>/skip/", posting.skip, name="review_skip"),
    path("review/<int:pk>/undo/", posting.undo, name="review_undo"),
    path("review/<int:pk>/resolve/", posting.resolve, name="review_resolve"),
    path("review/<int:pk>/accept/", deciding.accept, name="review_accept"),
    path("review/<int:pk>/fix/", deciding.fix, name="review_fix"),
    path("review/<int:pk>/return/", deciding.send_back, name="review_return"),
    path("review/<int:pk>/drop/", deciding.drop, name="review_drop"),
    path("items/<int:pk>/comments/", comments.comment_add, name="comment_add"),
    path("comments/<int:pk>/answer/", comments.comment_answer, name="comment_answer"),
    path("comments/<int:pk>/resolve/", comments.comment_resolve, name="comment_resolve"),
]
