from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.audit.trail import recording
from annotate.intake.report import shown_name
from annotate.models import Member
from annotate.web.access import LEADS, READERS, project_page
from annotate.web.pager import numbered_page
from judging.access import author_of, judging_member
from judging.answers.answer_columns import example
from judging.answers.answer_files import Import, import_paths
from judging.answers.queries import Cursor, answer_detail, answers_page, coverage
from judging.models import Author


class AuthorForm(forms.ModelForm):
    """Facts about an author. The name cannot be changed: runs and files refer to it."""

    class Meta:
        model = Author
        fields = ("sort", "family", "provider")


class AnswersFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=1000,
        help_text=gettext_lazy("JSON lines, a JSON array, CSV, TSV or Parquet; also gzipped."),
    )
    dry_run = forms.BooleanField(required=False)  # the button Preview

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.UPLOAD_MAX_BYTES:
            message = _("The file is larger than %(limit)s. Compress or split it.")
            raise forms.ValidationError(message % {"limit": filesizeformat(settings.UPLOAD_MAX_BYTES)})
        return file


class PlaceField(forms.CharField):
    """A cursor in the list: item and sample, such as 12-1."""

    def clean(self, value: Any) -> Cursor | None:
        text = super().clean(value)
        item, dash, sample = text.partition("-")
        if not text:
            return None
        if not (dash and all(part.isascii() and part.isdecimal() and len(part) < 18 for part in (item, sample))):
            raise forms.ValidationError(_("This position is not in the list."))
        return int(item), int(sample)


class AnswersFilterForm(forms.Form):
    q = forms.CharField(
        label=gettext_lazy("Search"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "class": "textbox textbox--line"}),
    )
    after = PlaceField(required=False, max_length=40, widget=forms.HiddenInput)
    before = PlaceField(required=False, max_length=40, widget=forms.HiddenInput)


AUTHORS_PER_PAGE = 100


@login_required
def answer(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One answer, below the conversation that it completes."""
    member = judging_member(request, slug)
    page = answer_detail(member.project, pk)
    if page is None:
        raise Http404
    stored_answer = page.answer
    by_machine = stored_answer.author.sort != Author.Sort.PERSON
    context = {
        "page": page,
        "answer": stored_answer,
        "item": stored_answer.item,
        "by_machine": by_machine,
    }
    return project_page(request, member, "answers/answer.html", context, tab="answers")


@login_required
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Every author, and how much of the project they have answered."""
    member = judging_member(request, slug)
    rows = coverage(member.project)
    page = numbered_page(request, rows, AUTHORS_PER_PAGE)
    context = {"page": page, "items": rows[0].items if rows else None}
    return project_page(request, member, "answers/answers.html", context, tab="answers")


@login_required
def answer_author(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One author's answers; leads edit the facts about the author here."""
    member = judging_member(request, slug, LEADS if request.method == "POST" else READERS)
    author = author_of(member, pk)
    if request.method != "POST":
        return _author_page(request, member, author, AuthorForm(instance=author))
    form = AuthorForm(request.POST, instance=author)
    if not form.is_valid():
        return _author_page(request, member, author, form, status=422)
    with recording("author.changed", author, *form.fields):
        form.save()
    messages.success(request, _("Saved."))
    return redirect("answer_author", slug, pk)


def _author_page(
    request: HttpRequest, member: Member, author: Author, form: AuthorForm, status: int = 200
) -> HttpResponse:
    filters = AnswersFilterForm(request.GET)
    context: dict[str, Any] = {"author": author, "form": form, "filters": filters}
    if filters.is_valid():
        query = filters.cleaned_data
        page = answers_page(author, q=query["q"], after=query["after"], before=query["before"])
        context |= {"page": page, "q": query["q"]}
    else:
        status = 422
    return project_page(request, member, "answers/author.html", context, tab="answers", status=status)


PIECE = 1024 * 1024
SHOWN, SHOWN_AUTHORS = 200, 20  # problems; authors


@login_required
def answers_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file; the response to the upload shows its report."""
    member = judging_member(request, slug, LEADS)
    if "example" in request.GET:
        response = HttpResponse("\ufeff" + "".join(example(member.project)), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{member.project.slug}-answers.csv"'
        return response
    if request.method != "POST":
        return _page(request, member, AnswersFileForm())
    form = AnswersFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    dry_run = form.cleaned_data["dry_run"]
    work = _imported(member, form.cleaned_data["file"], dry_run=dry_run)
    unreadable = work.report.faults and not work.report.read
    return _page(request, member, AnswersFileForm(), work=work, status=422 if unreadable else 200)


def _imported(member: Member, file: UploadedFile, *, dry_run: bool) -> Import:
    """Import through a temporary file: the upload may be in memory, and its name is not to be trusted."""
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
    work: Import | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {"form": form}
    if work is not None:
        problems = work.report.as_json()["problems"]
        context |= {"report": work.report, "dry_run": work.dry_run, "first": work.first}
        context |= {"authors": work.authors.most_common(SHOWN_AUTHORS), "renamed": sorted(work.renamed.items())}
        context |= {"problems": problems[:SHOWN], "more": max(len(problems) - SHOWN, 0)}
    return project_page(request, member, "answers/import.html", context, tab="answers", status=status)
