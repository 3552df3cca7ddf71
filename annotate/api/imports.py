from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate import bell
from annotate.api.authentication import FILE_PARSERS, too_large
from annotate.api.idempotency import once
from annotate.api.schema import KEY, operation, page_of
from annotate.api.views import ONLY_LEADS, Name, PageQuery, ProjectView, newest_page, read_query
from annotate.errors import Refused
from annotate.formats.format import BadOption, Format
from annotate.formats.registry import all_formats, find_format, guess
from annotate.formats.rows import Problem, problem_texts
from annotate.intake import previews
from annotate.intake import report as importing_files
from annotate.intake.row_reader import Settings
from annotate.media.bundles import rows_name
from annotate.models import Batch, Project
from annotate.web.error_pages import invalid

FORMATS = list(all_formats())
SEPARATORS = next(option.choices for option in find_format("csv").options if option.name == "separator")


class ImportQuery(serializers.Serializer):
    """How a file is taken in."""

    file_name = serializers.CharField(
        required=False, max_length=200, help_text="What people call it. With a form, the name of its file counts."
    )
    format = serializers.ChoiceField(
        choices=FORMATS, required=False, help_text="Without it, as the name says; a plain body is JSONL."
    )
    drafts = serializers.ChoiceField(
        choices=["suggestion", "final", "facts"],
        default="suggestion",
        help_text="What drafts in the file become: a suggestion that people refine, final work, or nothing.",
    )
    duplicates = serializers.ChoiceField(
        choices=["skip", "update", "round"],
        default="skip",
        help_text="A row that is here already: leave the item, give untouched items the new draft, or open a round.",
    )
    checks = serializers.BooleanField(default=True, help_text="Look for personal data, and tell each item's language.")
    separator = serializers.ChoiceField(
        choices=SEPARATORS, required=False, help_text="CSV only: what stands between cells."
    )


class ImportForm(serializers.Serializer):
    """The file in a form."""

    file = serializers.FileField()


class RowProblem(serializers.Serializer):
    """What is wrong with a row. line: null for the whole file. path: as in the file that was read."""

    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    level = serializers.ChoiceField(choices=["error", "warning"])
    count = serializers.IntegerField(help_text="How often it occurs. What many rows have is one entry.")
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="The first lines that have it.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        line = instance["line"]
        single = {"count": 1, "lines": [] if line is None else [line]}
        return super().to_representation(single | problem_texts(instance))


class ImportRowSerializer(serializers.ModelSerializer):
    """One import. read = kept + duplicates + rejected, once it is done."""

    by = Name(source="created_by", allow_null=True, help_text="Null for imports by command.")
    format = serializers.CharField()

    class Meta:
        model = Batch
        fields = ["id", "file_name", "sha256", "format", "state", "read", "kept", "duplicates", "rejected", "by"]
        fields += ["created_at", "finished_at"]


class ImportReport(ImportRowSerializer):
    """An import with everything that is wrong with the file: the first thousand problems."""

    problems = RowProblem(many=True)

    class Meta:
        model = Batch
        fields = [*ImportRowSerializer.Meta.fields, "problems", "unlisted"]
        extra_kwargs = {"unlisted": {"help_text": "How many more problems there are."}}


class ImportList(ProjectView):
    roles = ONLY_LEADS
    parser_classes = FILE_PARSERS

    @operation(
        "imports_list",
        "Imports, newest first",
        page_of("Import", ImportRowSerializer),
        errors=(422,),
        parameters=[PageQuery],
    )
    def get(self, request: Request, slug: str) -> Response:
        batches = Batch.objects.filter(project=self.project).select_related("created_by").defer("problems")
        return newest_page(request, batches, ImportRowSerializer)

    @operation(
        "imports_make",
        "Import a file",
        ImportReport,
        status=201,
        errors=(409, 413, 415, 422),
        parameters=[ImportQuery, KEY],
        request={"application/jsonl": OpenApiTypes.BINARY, "multipart/form-data": ImportForm},
        description="Send the file as the body, or in a form as `file`. It is stored at once and taken in by the "
        "worker: read the import again until its `state` is `done` or `failed`.",
    )
    def post(self, request: Request, slug: str) -> Response:
        query = read_query(ImportQuery, request)
        file = _file(request)
        return once(request, lambda: self._make(request, file, query))

    def _make(self, request: Request, file: UploadedFile, query: dict[str, Any]) -> Response:
        if query.get("file_name"):
            file.name = query["file_name"]
        import_settings = _settings(self.project, file, query)
        batch = previews.upload(project=self.project, file=file, settings=import_settings, by=self.member.user)
        previews.confirm(batch)
        bell.ring("run_batch", batch.pk)
        batch.refresh_from_db()
        return Response(ImportReport(batch).data, 201)


def _file(request: Request) -> UploadedFile:
    ignored = [name for name in request.data if name != "file"]
    if ignored:
        message = _("The form may contain only the file. Pass everything else in the URL, such as ?drafts=final.")
        raise invalid(message, ", ".join(ignored[:20]))
    files = request.FILES.getlist("file")
    if len(files) > 1:
        raise invalid(_("Send one file at a time."), "file")
    file = files[0] if files else None
    if not isinstance(file, UploadedFile):
        raise invalid(_("Send a file."), "file")
    if (file.size or 0) > settings.UPLOAD_MAX_BYTES:
        raise too_large()
    return file


def _settings(project: Project, file: UploadedFile, query: dict[str, Any]) -> Settings:
    """As the form of the browser makes them of the same choices. Raises Fault."""
    try:
        name = rows_name(project, file, file.name or "")
    except Refused as refused:
        raise invalid(str(refused), "file") from refused
    file_format = find_format(query["format"]) if query.get("format") else _guessed(project, name)
    if not file_format.suits(project.kind_slug):
        raise invalid(_("Files of this format cannot be imported into projects of this kind."), "format")
    option_values = {"separator": query["separator"]} if query.get("separator") else {}
    if any(option.name == "as" for option in file_format.options):
        option_values["as"] = query["drafts"]
    try:
        options = file_format.complete(option_values)
    except BadOption as bad:
        raise invalid(str(bad), ", ".join(option_values)) from bad
    choices = {name: query[name] for name in ("drafts", "duplicates", "checks")}
    return Settings(format=file_format.slug, options=options, **choices)


def _guessed(project: Project, name: str) -> Format:
    file_format = guess(name, project.kind_slug)
    if isinstance(file_format, Problem):
        raise invalid(file_format.message, "format")
    return file_format


class ImportRead(ProjectView):
    roles = {"GET": ("lead",)}

    @operation("imports_read", "One import with its report", ImportReport)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(ImportReport(_batch(self.project, pk)).data)


class ImportRejects(ProjectView):
    roles = {"GET": ("lead",)}

    @operation(
        "imports_rejects",
        "The rows that were refused, as JSONL",
        {(200, "application/jsonl"): OpenApiTypes.BINARY},
        description="Each row with what is wrong with it under `provenance`: mend it and import the file again.",
    )
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        batch = _batch(self.project, pk)
        path = importing_files.rejects(batch.rejects_as) if batch.rejects_as else None
        if path is None or not batch.rejected or not path.exists():
            raise Http404
        return FileResponse(
            path.open("rb"), as_attachment=True, filename="rejects.jsonl", content_type="application/jsonl"
        )


def _batch(project: Project, pk: int) -> Batch:
    batch = Batch.objects.filter(project=project, pk=pk).select_related("created_by").first()
    if batch is None:
        raise Http404
    return batch
