"""Bringing judgements of others in through the browser."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from annotate.formats.rows import told
from annotate.models import Member
from annotate.services.importing import files
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from judging.formats.registry import judgement_formats
from judging.services.judgement_files.importing import import_judgements
from judging.services.judgement_files.intake import JudgementReport

MOST_BYTES = 32 * 1024 * 1024  # it is read while the browser waits; larger files are for the command
SHOWN = 200


class JudgementsForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"), max_length=1000, help_text=gettext_lazy("JSON lines or a JSON array; also gzipped.")
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(slug, each.name) for slug, each in judgement_formats().items()]
        self.fields["format"].choices = choices  # type: ignore[attr-defined]

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        if file.size is None or file.size > MOST_BYTES:
            message = _("The file is larger than %(limit)s. Use the command import_judgements on the server.")
            raise forms.ValidationError(message % {"limit": filesizeformat(MOST_BYTES)})
        return file


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_judgements_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file; after it was read the same page says what became of its rows."""
    member = membership(request, slug, LEADS)
    if not member.project.kind.judges_answers:
        raise Http404
    if request.method != "POST":
        return _page(request, member, JudgementsForm())
    form = JudgementsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    report = _taken_in(member, form.cleaned_data["file"], form.cleaned_data["format"])
    fresh = JudgementsForm(initial={"format": form.cleaned_data["format"]})
    return _page(request, member, fresh, report=report, status=200 if report.kept or report.duplicates else 422)


def _taken_in(member: Member, file: UploadedFile, wanted: str) -> JudgementReport:
    stored_as, _sha256 = files.keep_upload(file)
    path = files.uploaded(stored_as)
    try:
        return import_judgements(
            project=member.project,
            files=[(path, files.shown_name(file.name or ""))],
            wanted=judgement_formats()[wanted],
        )
    finally:
        path.unlink(missing_ok=True)


def _page(
    request: HttpRequest,
    member: Member,
    form: JudgementsForm,
    *,
    report: JudgementReport | None = None,
    status: int = 200,
) -> HttpResponse:
    problems = [told(problem) for problem in report.problems] if report else []
    context = {
        "form": form,
        "report": report,
        "problems": problems[:SHOWN],
        "unlisted": len(problems[SHOWN:]) + (report.unlisted if report else 0),
        "differences": report.differences[:SHOWN] if report else [],
    }
    return project_page(request, member, "judgements/import.html", context, tab="judging", status=status)
