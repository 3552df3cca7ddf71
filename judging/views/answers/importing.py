from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse

from annotate.models import Member
from annotate.services.importing.files import shown_name
from annotate.services.importing.report import Report
from annotate.views.access import LEADS
from annotate.views.pages import project_page
from judging.services.answers.importing import import_paths
from judging.views.answers.access import judging_member
from judging.views.answers.forms import AnswersFileForm

PIECE = 1024 * 1024
SHOWN = 200  # problems


@login_required
def answers_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file; its report stands on the page that answers the upload."""
    member = judging_member(request, slug, LEADS)
    if request.method != "POST":
        return _page(request, member, AnswersFileForm())
    form = AnswersFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    dry_run = form.cleaned_data["dry_run"]
    report = _imported(member, form.cleaned_data["file"], dry_run=dry_run)
    again = AnswersFileForm(initial={"dry_run": False})
    unreadable = report.faults and not report.read
    return _page(request, member, again, report=report, dry_run=dry_run, status=422 if unreadable else 200)


def _imported(member: Member, file: UploadedFile, *, dry_run: bool) -> Report:
    """Through a file of our own, which is gone afterwards: the upload may be in memory, and its name is anybody's."""
    with NamedTemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as stored:
        for piece in file.chunks(PIECE):
            stored.write(piece)
        stored.flush()
        return import_paths(
            project=member.project, paths=[(Path(stored.name), shown_name(file.name or ""))], dry_run=dry_run
        )


def _page(
    request: HttpRequest,
    member: Member,
    form: AnswersFileForm,
    *,
    report: Report | None = None,
    dry_run: bool = False,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "report": report, "dry_run": dry_run}
    if report is not None:
        problems = report.as_json()["problems"]
        context |= {"problems": problems[:SHOWN], "more": max(len(problems) - SHOWN, 0)}
    return project_page(request, member, "answers/import.html", context, tab="judging", status=status)
