from django.urls import path

from annotate.views import comments

urlpatterns = [
    path("items/<int:pk>/comments/", comments.comment_add, name="comment_add"),
    path("comments/<int:pk>/answer/", comments.comment_answer, name="comment_answer"),
    path("comments/<int:pk>/resolve/", comments.comment_resolve, name="comment_resolve"),
]
