from typing import Any

from django.http import FileResponse, Http404, StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import bell
from annotate.api.idempotency import once
from annotate.api.schema import KEY, operation, page_of
from annotate.api.views import (
    CHANGED_BY_LEADS,
    READ_BY_READERS,
    Name,
    PageQuery,
    ProjectView,
    Thing,
    newest_page,
    read_body,
    read_query,
)
from annotate.audit.trail import record_reading
from annotate.errors import Refused
from annotate.formats.rows import printable
from annotate.models import Item, Member, Release
from annotate.releases import actions, conversion, verify_files
from annotate.releases.actions import ANY, ReleaseFilters, fault_of_splits
from annotate.releases.files import path_of
from annotate.releases.pages import release_of
from annotate.web.error_pages import Fault, invalid

SPLITS = ("train", "dev", "test")
STATES = [ANY, *Item.State.values]


class Splits(serializers.Serializer):
    """Shares of the splits; together they are 1."""

    train = serializers.FloatField(required=False, min_value=0, max_value=1)
    dev = serializers.FloatField(required=False, min_value=0, max_value=1)
    test = serializers.FloatField(required=False, min_value=0, max_value=1)


class ReleaseFormSerializer(serializers.Serializer):
    """What goes into a release."""

    state = serializers.ChoiceField(
        choices=STATES,
        default=Item.State.ACCEPTED.value,
        help_text="Items in this state, or `any`: all, each with its best text.",
    )
    groups = serializers.ListField(
        child=serializers.CharField(max_length=120), default=list, max_length=500, help_text="Only these; empty: all."
    )
    languages = serializers.ListField(
        child=serializers.CharField(max_length=12), default=list, max_length=500, help_text="Only these; empty: all."
    )
    splits = Splits(required=False)
    seed = serializers.IntegerField(
        default=0, min_value=0, max_value=2**31, help_text="With the same seed a row stays in its split."
    )
    metadata = serializers.BooleanField(
        default=False, help_text="With the columns that only leads see; only leads can then download it."
    )
    rows = serializers.ChoiceField(
        choices=[actions.ITEMS, actions.RATERS],
        default=actions.ITEMS,
        help_text="One row per item, or one for each rater of an item, where drafts of the kind are ratings.",
    )
    names = serializers.BooleanField(
        default=False, help_text="Raters with their names, not with numbers; only leads can then download it."
    )
    note = serializers.CharField(default="", max_length=200, allow_blank=True)
    licence = serializers.CharField(
        default="", max_length=80, allow_blank=True, help_text="Empty: the licence that the project names."
    )


class ReleaseRow(serializers.ModelSerializer):
    """One version. Its rows never change; `withdrawn_at` says since when it is not handed out any more."""

    by = Name(source="created_by", allow_null=True, help_text="Null for releases by command.")
    filters = Thing()

    class Meta:
        model = Release
        fields = ["version", "state", "rows", "sha256", "filters", "note", "licence", "by"]
        fields += ["created_at", "withdrawn_at"]


class ReleaseDetail(ReleaseRow):
    manifest = Thing(help_text="What the release says about itself; empty until it is done.")

    class Meta:
        model = Release
        fields = [*ReleaseRow.Meta.fields, "manifest"]


class VerificationSerializer(serializers.Serializer):
    """Whether the stored file still is what the manifest says."""

    ok = serializers.BooleanField()
    rows = serializers.IntegerField()
    sha256 = serializers.CharField(allow_blank=True)
    differences = serializers.ListField(child=serializers.CharField())


class ReleaseList(ProjectView):
    roles = CHANGED_BY_LEADS

    @operation(
        "releases_list", "Releases, newest first", page_of("Release", ReleaseRow), errors=(422,), parameters=[PageQuery]
    )
    def get(self, request: Request, slug: str) -> Response:
        releases = Release.objects.filter(project=self.project).select_related("created_by").defer("manifest")
        return newest_page(request, releases, ReleaseRow, column="version")

    @operation(
        "releases_make",
        "Make the next version",
        ReleaseDetail,
        status=201,
        errors=(409, 413, 415, 422),
        request=ReleaseFormSerializer,
        parameters=[KEY],
        description="The worker writes it: read the version again until its `state` is `done` or `failed`.",
    )
    def post(self, request: Request, slug: str) -> Response:
        body = read_body(ReleaseFormSerializer(data=request.data))
        return once(request, lambda: self._make(body))

    def _make(self, body: dict[str, Any]) -> Response:
        shares = {name: share for name in SPLITS if (share := (body.get("splits") or {}).get(name))}
        fault = fault_of_splits(shares)
        if fault:
            raise invalid(fault, "splits")
        selection = {name: body[name] for name in ("state", "groups", "languages", "seed", "metadata", "rows", "names")}
        texts = {name: body[name] for name in ("note", "licence")}
        filters = ReleaseFilters(splits=shares, **selection)
        try:
            planned = actions.plan(project=self.project, filters=filters, by=self.member.user, **texts)
        except Refused as refused:
            raise invalid(str(refused), "rows") from refused
        bell.ring("make_release", planned.pk)
        return Response(ReleaseDetail(planned).data, 201)


class ReleaseRead(ProjectView):
    roles = READ_BY_READERS

    @operation("releases_read", "One version with its manifest", ReleaseDetail)
    def get(self, request: Request, slug: str, version: int) -> Response:
        return Response(ReleaseDetail(release_of(self.member, version)).data)


class DownloadQuery(serializers.Serializer):
    """How the rows are written. Formats come with the code, so they are looked up when they are asked for."""

    written_as = serializers.CharField(
        required=False,
        default="jsonl",
        max_length=40,
        help_text="`jsonl`, or a format that `export_items --format` writes, such as `label_studio`, `argilla`, `csv`.",
    )

    def validate_written_as(self, slug: str) -> str:
        slugs = ["jsonl", *conversion.writers()]
        if slug not in slugs:
            message = _("There is no format “%(slug)s”. Formats: %(slugs)s.")
            params = {"slug": printable(slug, most=40), "slugs": ", ".join(slugs)}
            raise serializers.ValidationError(message % params)
        return slug


class ReleaseDownload(ProjectView):
    roles = READ_BY_READERS

    @operation(
        "releases_download",
        "The rows of a release, as JSONL or as another tool reads them",
        {
            (200, "application/jsonl"): OpenApiTypes.BINARY,
            (200, "application/json"): OpenApiTypes.BINARY,
            (200, "text/csv"): OpenApiTypes.BINARY,
        },
        errors=(410, 422),
        parameters=[DownloadQuery],
    )
    def get(self, request: Request, slug: str, version: int) -> StreamingHttpResponse:
        wanted = read_query(DownloadQuery, request)["written_as"]
        release = _handed_out(self.member, version)
        writer = conversion.writers_for(release.manifest).get(wanted)
        path, name = path_of(release.stored_as), f"{slug}-v{version}"
        if not path.exists() or (writer is None and wanted != "jsonl"):
            raise Http404
        if writer is None:
            file_args = {"filename": f"{name}.jsonl", "content_type": "application/jsonl"}
            return FileResponse(path.open("rb"), as_attachment=True, **file_args)
        pieces = conversion.converted(release, writer)
        headers = {"Content-Disposition": f'attachment; filename="{name}-{writer.slug}{writer.written_as}"'}
        return StreamingHttpResponse(pieces, content_type=writer.content_type, headers=headers)


class ReleaseManifest(ProjectView):
    roles = READ_BY_READERS

    @operation(
        "releases_manifest", "The manifest alone, as the command `verify` reads it", OpenApiTypes.OBJECT, errors=(410,)
    )
    def get(self, request: Request, slug: str, version: int) -> Response:
        release = _handed_out(self.member, version)
        record_reading("read.file", release, file=f"{slug}-v{version}.jsonl.manifest.json")
        return Response(release.manifest)


class ReleaseVerify(ProjectView):
    roles = READ_BY_READERS

    @operation(
        "releases_verify",
        "Compare the stored file with its manifest: bytes and rows",
        VerificationSerializer,
        errors=(410,),
    )
    def get(self, request: Request, slug: str, version: int) -> Response:
        release = _handed_out(self.member, version)
        return Response(verify_files.unchanged(path_of(release.stored_as), release.manifest).as_json())


def _handed_out(member: Member, version: int) -> Release:
    """A finished release that stands. Raises Http404, Fault."""
    release = release_of(member, version)
    if release.withdrawn_at is not None:
        raise Fault(410, "gone", _("This version was withdrawn."))
    if release.state != Release.State.DONE:
        raise Http404
    return release
