from typing import Any

from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import hidden_checks
from annotate.api.authentication import member_for
from annotate.api.schema import operation, page_of
from annotate.api.views import ONLY_LEADS, ByRole, Name, PageQuery, ProjectView, View, newest_page, page
from annotate.audit.trail import entries_of
from annotate.items import comments
from annotate.models import AuditEntry, Comment, Item, Member
from annotate.web.access import EVERYONE, item_seen_by


class ProjectSerializer(ByRole):
    """A project and how it works. Annotators see what their pages show them."""

    HIDDEN = {"annotator": ("licence", "people_per_item", "reviews_per_item", "items_by_state", "created_at")}

    slug = serializers.SlugField(help_text="Its name in addresses.")
    name = serializers.CharField()
    kind = serializers.SlugField(source="kind_slug", help_text="What its items are.")
    languages = serializers.ListField(child=serializers.CharField())
    role = serializers.ChoiceField(choices=Member.Role.choices, help_text="What your token may do here.")
    paused = serializers.BooleanField(help_text="Whether nobody is handed anything at present.")
    guideline_version = serializers.IntegerField(allow_null=True)
    people_per_item = serializers.IntegerField(source="overlap", required=False)
    reviews_per_item = serializers.IntegerField(source="reviews", required=False)
    licence = serializers.CharField(required=False, allow_blank=True)
    items_by_state = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="Items that count, by state."
    )
    created_at = serializers.DateTimeField(required=False)


def project_view(member: Member) -> dict[str, object]:
    project = member.project
    guideline = project.guideline
    columns = ("slug", "name", "kind_slug", "languages", "paused", "overlap", "reviews", "licence", "created_at")
    fields = {name: getattr(project, name) for name in columns}
    fields |= {"role": member.role, "guideline_version": guideline and guideline.version}
    if member.role != Member.Role.ANNOTATOR:
        counted = Item.objects.counted().filter(project=project).order_by().values_list("state")
        fields["items_by_state"] = dict(counted.annotate(Count("pk")))
    return dict(ProjectSerializer(fields, context={"role": member.role}).data)


class ProjectList(View):
    @operation("projects_list", "The project of your token", page_of("Project", ProjectSerializer))
    def get(self, request: Request) -> Response:
        return page([project_view(request.auth.member)], None)


class ProjectDetail(ProjectView):
    roles = {"GET": EVERYONE}

    @operation("projects_read", "One project", ProjectSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(project_view(member_for(request, slug, EVERYONE)))


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
        fields = [*Remark.Meta.fields, "field", "span", "round", "resolved_at", "resolved_by", "replies"]


class CommentList(ProjectView):
    roles = {"GET": EVERYONE}

    @operation(
        "items_comments",
        "Comments on an item",
        page_of("Thread", Thread),
        description="All on one page: open threads first, then resolved ones, oldest first.",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        item = item_seen_by(self.member, pk).item
        threads = hidden_checks.threads(comments.threads(item, seen_by=self.member.user), item, self.member)
        return page(Thread(threads, many=True).data, None)


class AuditEntrySerializer(serializers.ModelSerializer):
    """What a lead, an administrator or a command changed, or which file somebody downloaded."""

    account = serializers.CharField(help_text="The account; of a command, that of the operating system.")
    before = serializers.JSONField(source="values_before", help_text="The values that changed; null if none.")
    after = serializers.JSONField(source="values_after", help_text="What they became; null if nothing.")

    class Meta:
        model = AuditEntry
        fields: Any = [
            *("number", "at", "account", "role", "address", "channel", "verb", "subject_kind", "subject_key"),
            *("before", "after", "previous_hash", "hash"),
        ]


class AuditList(ProjectView):
    roles = ONLY_LEADS

    @operation(
        "audit_list",
        "The audit trail, newest first",
        page_of("AuditEntry", AuditEntrySerializer),
        errors=(422,),
        parameters=[PageQuery],
        description="`number` counts the entries of the whole installation; those of other projects are not listed.",
    )
    def get(self, request: Request, slug: str) -> Response:
        return newest_page(request, entries_of(self.project), AuditEntrySerializer, column="number")
