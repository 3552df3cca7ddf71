"""Pages for importing files (upload, preview, report) and for deciding about near-duplicates."""

from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate import bell
from annotate.errors import WrongState
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.formats.rows import problem_texts
from annotate.intake import chat_logs, file_batches, previews, report
from annotate.intake import duplicate_search as service
from annotate.intake.forms import ImportSettingsForm, UploadForm, initial_of
from annotate.intake.mapping import fields_of, left_as_metadata
from annotate.intake.mapping_forms import FileContent
from annotate.kinds.questions.model_names import name_targets, named_models
from annotate.models import AlikePair, AlikeSearch, Batch, Member
from annotate.models.media import FILES
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page

BATCHES_PER_PAGE = 50


@login_required
def import_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file, and see earlier imports."""
    member = membership(request, slug, LEADS)
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES, project=member.project)
        if form.is_valid():
            batch = previews.upload(
                project=member.project,
                file=form.cleaned_data["file"],
                settings=form.settings(),
                by=person(request),
            )
            return redirect("batch", slug, batch.pk)
        return _import_page(request, member, form, status=422)
    return _import_page(request, member, UploadForm(project=member.project))


def _import_page(request: HttpRequest, member: Member, form: UploadForm, status: int = 200) -> HttpResponse:
    batches = Batch.objects.filter(project=member.project).defer("problems").select_related("created_by")
    page = numbered_page(request, batches, BATCHES_PER_PAGE)
    context = {"form": form, "page": page, "collects": bool(scenarios_of(member.project.kind_slug))}
    return project_page(request, member, "files/import.html", context, tab="import", status=status)


def _batch_of(member: Member, pk: int) -> Batch:
    stored_batch = Batch.objects.filter(project=member.project, pk=pk).select_related("created_by").first()
    if stored_batch is None:
        raise Http404
    stored_batch.project = member.project
    return stored_batch


@login_required
def batch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Before it is confirmed a preview, then its progress, finally its report."""
    member = membership(request, slug, LEADS)
    stored_batch = _batch_of(member, pk)
    if stored_batch.state == Batch.State.PREVIEW and stored_batch.format == chat_logs.FORMAT:
        return redirect("collect_log", slug, pk)
    if stored_batch.state == Batch.State.PREVIEW:
        return _preview(request, member, stored_batch)
    if stored_batch.format == FILES:
        fragment, context = "media/_batch.html", _of_files(request, stored_batch)
    else:
        fragment, context = "files/_batch.html", _of_rows(request, stored_batch)
    context |= {"batch": stored_batch, "fragment": fragment}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, fragment, frame | context)
    return project_page(request, member, "files/batch.html", context, tab="import")


def _of_rows(request: HttpRequest, stored_batch: Batch) -> dict[str, Any]:
    return {"problems": _problems(request, stored_batch), "collected": chat_logs.collected_by(stored_batch)}


def _of_files(request: HttpRequest, stored_batch: Batch) -> dict[str, Any]:
    return {"outcomes": numbered_page(request, file_batches.outcomes(stored_batch), BATCHES_PER_PAGE)}


def _problems(request: HttpRequest, stored_batch: Batch) -> Page[Any]:
    page = numbered_page(request, stored_batch.problems, BATCHES_PER_PAGE)
    page.object_list = [problem_texts(problem) for problem in page.object_list]
    return page


def _preview(
    request: HttpRequest, member: Member, stored_batch: Batch, form: ImportSettingsForm | None = None, status: int = 200
) -> HttpResponse:
    head = previews.head_of(stored_batch)
    form = form or ImportSettingsForm(initial=initial_of(stored_batch.settings), **_about(stored_batch, head))
    mapping, kind = stored_batch.settings.get("mapping") or {}, stored_batch.project.kind
    file_preview = previews.preview(stored_batch)
    left = left_as_metadata(head.columns, mapping, fields_of(kind)) if mapping or kind.defined else []
    models = named_models(kind, [*left, *mapping])
    context = {
        "batch": stored_batch,
        "form": form,
        "mapped": bool(mapping),
        "opens_mapping": bool(mapping) or kind.defined or form.has_words or file_preview.all_refused,
        "preview": file_preview,
        "head": head,
        "named_models": [(of, names) for of, names in models.items() if names],
        "unnamed_models": [of for of, names in models.items() if not names],
        "name_targets": list(name_targets(kind)),
        "left_as_metadata": left[: previews.WIDEST],
        "left_more": max(0, len(left) - previews.WIDEST),
    }
    return project_page(request, member, "files/preview.html", context, tab="import", status=status)


def _about(stored_batch: Batch, head: previews.FileHead) -> dict[str, Any]:
    """What the form of its settings needs to know."""
    return {
        "project": stored_batch.project,
        "file_name": stored_batch.file_name,
        "content": FileContent(
            head.columns,
            stored_batch.settings.get("mapping") or {},
            stored_batch.settings.get("words") or {},
            previews.unknown_of(stored_batch) if head.columns else {},
        ),
    }


@require_POST
@login_required
def batch_settings(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Preview the uploaded file with other settings."""
    member = membership(request, slug, LEADS)
    stored_batch = _batch_of(member, pk)
    head = previews.head_of(stored_batch) if stored_batch.state == Batch.State.PREVIEW else previews.FileHead()
    form = ImportSettingsForm(request.POST, **_about(stored_batch, head))
    if stored_batch.state == Batch.State.PREVIEW and not form.is_valid():
        return _preview(request, member, stored_batch, form, status=422)
    try:
        if form.is_valid():
            previews.change_settings(stored_batch, form.settings())
    except WrongState:
        messages.warning(request, _("This import was already confirmed or discarded."))
    return redirect("batch", slug, pk)


@require_POST
@login_required
def batch_confirm(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    stored_batch = _batch_of(member, pk)
    objection = _objection(stored_batch)
    if objection:
        messages.warning(request, objection)
        return redirect("batch", slug, pk)
    try:
        previews.confirm(stored_batch)
    except WrongState:
        messages.info(request, _("This import was already confirmed."))
    else:
        bell.ring("run_batch", stored_batch.pk)
    return redirect("batch", slug, pk)


def _objection(stored_batch: Batch) -> str:
    """A chat log has its own preview, which has no button if its rules keep nothing."""
    if stored_batch.state != Batch.State.PREVIEW or stored_batch.format == chat_logs.FORMAT:
        return ""
    return previews.preview(stored_batch).objection


@require_POST
@login_required
def batch_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    try:
        previews.discard(_batch_of(member, pk))
    except WrongState:
        messages.warning(request, _("This import was already confirmed and cannot be discarded."))
        return redirect("batch", slug, pk)
    messages.success(request, _("The file was discarded; nothing was imported."))
    return redirect("import", slug)


@login_required
def batch_rejects(request: HttpRequest, slug: str, pk: int) -> FileResponse:
    """The refused rows with their errors, to be fixed and imported again."""
    stored_batch = _batch_of(membership(request, slug, LEADS), pk)
    path = report.rejects(stored_batch.rejects_as) if stored_batch.rejects_as else None
    if path is None or not stored_batch.rejected or not path.exists():
        raise Http404
    name = f"{Path(stored_batch.file_name.removesuffix('.gz')).stem}-rejects.jsonl"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type="application/jsonl")


PAIRS_PER_PAGE = 10


class SearchForm(forms.Form):
    threshold = forms.FloatField(
        label=gettext_lazy("Similarity (0 to 1)"),
        min_value=0.3,
        max_value=1,
        initial=service.THRESHOLD,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy("Share of pairs of neighbouring words that both questions contain."),
    )


class NearDuplicateFilterForm(forms.Form):
    show = forms.ChoiceField(required=False, choices=[("", gettext_lazy("open")), ("decided", gettext_lazy("decided"))])
    of = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("All pairs")),
            ("one", gettext_lazy("from one participant")),
            ("several", gettext_lazy("from two participants")),
        ],
    )


def _lead(request: HttpRequest, slug: str) -> Member:
    """Only for projects whose items are asked by people."""
    member = membership(request, slug, LEADS)
    if not scenarios_of(member.project.kind_slug):
        raise Http404
    return member


@login_required
def near_duplicates(request: HttpRequest, slug: str) -> HttpResponse:
    """The page asks again every two seconds while a worker searches."""
    return _page(request, _lead(request, slug))


def _page(request: HttpRequest, member: Member, form: SearchForm | None = None, status: int = 200) -> HttpResponse:
    search = AlikeSearch.objects.filter(project=member.project).first()
    filter_form = NearDuplicateFilterForm(request.GET)
    filter_values = filter_form.cleaned_data if filter_form.is_valid() else {"show": "", "of": ""}
    pairs = service.pairs_of(member.project, decided=filter_values["show"] == "decided", scope=filter_values["of"])
    page = numbered_page(request, pairs.select_related("first", "second", "decided_by"), PAIRS_PER_PAGE)
    context = {
        "search": search,
        "running": search is not None and search.finished_at is None,
        "form": form or SearchForm(initial={"threshold": search.threshold} if search else None),
        "given": filter_values,
        "scopes": NearDuplicateFilterForm.base_fields["of"].choices,  # type: ignore[attr-defined]
        "page": page,
        "rows": service.with_texts(member.project, list(page)),
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "alike/_pairs.html", frame | context)
    return project_page(request, member, "alike/pairs.html", context, tab="near_duplicates", status=status)


@require_POST
@login_required
def near_duplicates_search(request: HttpRequest, slug: str) -> HttpResponse:
    member = _lead(request, slug)
    form = SearchForm(request.POST)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    service.ask(member.project, by=person(request), threshold=form.cleaned_data["threshold"])
    return redirect("near_duplicates", slug)


@require_POST
@login_required
def near_duplicate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Decide about one pair."""
    member = _lead(request, slug)
    pairs = AlikePair.objects.filter(project=member.project, pk=pk).select_related("first", "second")
    pair = pairs.first()
    if pair is None:
        raise Http404
    decision = request.POST.get("decision", "")
    if decision not in AlikePair.Decision.values:
        return redirect("near_duplicates", slug)
    pair.first.project = pair.second.project = member.project
    try:
        service.decide(pair, decision, by=person(request))
    except WrongState as late:
        messages.warning(request, str(late))
    else:
        messages.success(request, _("Decided."))
    return redirect("near_duplicates", slug)
