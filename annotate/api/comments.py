from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.base import ProjectView, page
from annotate.api.describing import operation, page_of
from annotate.api.shapes import Name
from annotate.models import Comment
from annotate.services import comments
from annotate.views.access import EVERYONE, item_seen_by


class Remark(serializers.ModelSerializer):
    """What somebody said."""

    author = Name()

    class Meta:
        model = Comment
        fields = ["id", "author", "text", "answer", "created_at"]


class Thread(Remark):
    """A remark about a field, or about the whole item where `field` is empty, with its answers."""

    resolved_by = Name(allow_null=True)
    replies = Remark(many=True)

    class Meta:
        model = Comment
        fields = [*Remark.Meta.fields, "field", "round", "resolved_at", "resolved_by", "replies"]


class CommentList(ProjectView):
    roles = {"GET": EVERYONE}

    @operation(
        "items_comments",
        "Comments on an item",
        page_of("Thread", Thread),
        description="All on one page: open threads first, then resolved ones, oldest first.",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        threads = comments.threads(item_seen_by(self.member, pk), seen_by=self.member.user)
        return page(Thread(threads, many=True).data, None)
