from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.access import member_for
from annotate.api.base import ProjectView, View, page
from annotate.api.describing import operation, page_of
from annotate.api.shapes import ByRole
from annotate.models import Item, Member
from annotate.views.access import EVERYONE


class Project(ByRole):
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


def shown(member: Member) -> dict[str, object]:
    project = member.project
    guideline = project.guideline
    columns = ("slug", "name", "kind_slug", "languages", "paused", "overlap", "reviews", "licence", "created_at")
    fields = {name: getattr(project, name) for name in columns}
    fields |= {"role": member.role, "guideline_version": guideline and guideline.version}
    if member.role != Member.Role.ANNOTATOR:
        counted = Item.objects.counted().filter(project=project).order_by().values_list("state")
        fields["items_by_state"] = dict(counted.annotate(Count("pk")))
    return dict(Project(fields, context={"role": member.role}).data)


class ProjectList(View):
    @operation("projects_list", "The project of your token", page_of("Project", Project))
    def get(self, request: Request) -> Response:
        return page([shown(request.auth.member)], None)


class ProjectDetail(ProjectView):
    roles = {"GET": EVERYONE}

    @operation("projects_read", "One project", Project)
    def get(self, request: Request, slug: str) -> Response:
        return Response(shown(member_for(request, slug, EVERYONE)))
