"""Import of external judgements through the browser."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from annotate.errors import Refused
from annotate.formats.format import MOST_NAME, BadOption
from annotate.formats.rows import problem_texts
from annotate.intake import report
from annotate.kinds.contract import Kind
from annotate.models import Member
from annotate.web.access import LEADS, membership, project_page
from judging.formats.format import formats_for, judgement_formats
from judging.intake.judgement_files import import_judgements
from judging.intake.judgement_store import JudgementReport

LABELS = [
    ("", gettext_lazy("as usual for this format")),
    ("exchanged", gettext_lazy("exchanged: “first” is the answer shown first")),
    ("kept", gettext_lazy("kept: “first” is what the file calls first")),
]
DOING = [
    ("", gettext_lazy("import every valid row")),
    ("strict", gettext_lazy("import nothing if any row is rejected")),
    ("dry_run", gettext_lazy("dry run: import nothing")),
]
MOST_BYTES = 32 * 1024 * 1024  # it is read while the browser waits; larger files are for the command
SHOWN = 200
OPTIONS = ("labels", "judge")  # of formats, which the form asks for


class JudgementsForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"), max_length=1000, help_text=gettext_lazy("JSON lines or a JSON array; also gzipped.")
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    labels = forms.ChoiceField(
        label=gettext_lazy("Labels in swapped runs"),
        choices=LABELS,
        required=False,
        help_text=gettext_lazy("Only for files whose judges saw each pair in both orders, such as Auto-J."),
    )
    judge = forms.CharField(
        label=gettext_lazy("Judge"),
        max_length=MOST_NAME,
        required=False,
        help_text=gettext_lazy("Only for LLMFAO files that do not name the judge of their verdicts."),
    )
    doing = forms.ChoiceField(label=gettext_lazy("Import mode"), choices=DOING, required=False)

    def __init__(self, *args: Any, kind: Kind, **options: Any) -> None:
        super().__init__(*args, **options)
        formats = formats_for(kind)
        self.fields["format"].choices = [(file_format.slug, file_format.name) for file_format in formats]  # type: ignore[attr-defined]
        for name in OPTIONS:
            if not any(option.name == name for file_format in formats for option in file_format.options):
                del self.fields[name]

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if file.size is None or file.size > MOST_BYTES:
            message = _("The file is larger than %(limit)s. Use the command import_judgements on the server.")
            raise forms.ValidationError(message % {"limit": filesizeformat(MOST_BYTES)})
        return file


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_judgements_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file; after the import the same page reports the outcome of its rows."""
    member = membership(request, slug, LEADS)
    kind = member.project.kind
    if not formats_for(kind):
        raise Http404
    if request.method != "POST":
        return _page(request, member, JudgementsForm(kind=kind))
    form = JudgementsForm(request.POST, request.FILES, kind=kind)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    try:
        report = _taken_in(member, form)
    except (Refused, BadOption) as refused:
        form.add_error(None, str(refused))
        return _page(request, member, form, status=422)
    again = {name: form.cleaned_data[name] for name in ("format", *OPTIONS) if name in form.cleaned_data}
    doing = form.cleaned_data["doing"]
    status = 200 if report.kept or report.duplicates else 422
    return _page(request, member, JudgementsForm(initial=again, kind=kind), report=report, doing=doing, status=status)


def _taken_in(member: Member, form: JudgementsForm) -> JudgementReport:
    values, file = form.cleaned_data, form.cleaned_data["file"]
    file_format = judgement_formats()[values["format"]]
    options = {option.name: values.get(option.name) for option in file_format.options if option.name in OPTIONS}
    stored_as, _sha256 = report.keep_upload(file)
    path = report.uploaded(stored_as)
    try:
        return import_judgements(
            project=member.project,
            files=[(path, report.shown_name(file.name or ""))],
            wanted=file_format,
            options={name: value for name, value in options.items() if value},
            strict=values["doing"] == "strict",
            dry_run=values["doing"] == "dry_run",
        )
    finally:
        path.unlink(missing_ok=True)


def _page(
    request: HttpRequest,
    member: Member,
    form: JudgementsForm,
    *,
    report: JudgementReport | None = None,
    doing: str = "",
    status: int = 200,
) -> HttpResponse:
    problems = [problem_texts(problem) for problem in report.problems] if report else []
    context = {
        "form": form,
        "report": report,
        "dry_run": doing == "dry_run",
        "brings_items": any(file_format.kinds for file_format in formats_for(member.project.kind)),
        "problems": problems[:SHOWN],
        "unlisted": sum(problem.get("count", 1) for problem in problems[SHOWN:]) + (report.unlisted if report else 0),
        "differences": report.differences[:SHOWN] if report else [],
    }
    return project_page(request, member, "judgements/import.html", context, tab="judges", status=status)
