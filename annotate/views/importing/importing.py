from pathlib import Path
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate import bell
from annotate.formats.chatlog.scenarios import scenarios_of
from annotate.formats.rows import told
from annotate.models import Batch, Member
from annotate.services import collecting
from annotate.services.errors import WrongState
from annotate.services.importing import files, previews
from annotate.views.access import LEADS, membership, person
from annotate.views.importing.forms import SettingsForm, UploadForm, initial_of
from annotate.views.pages import project_page

PER_PAGE = 50


@login_required
def import_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose a file, and see what was imported before."""
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
    page = Paginator(batches, PER_PAGE).get_page(request.GET.get("page"))
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
    """Before it is confirmed a preview, then its progress, in the end its report."""
    member = membership(request, slug, LEADS)
    stored_batch = _batch_of(member, pk)
    if stored_batch.state == Batch.State.PREVIEW and stored_batch.format == collecting.FORMAT:
        return redirect("collect_log", slug, pk)
    if stored_batch.state == Batch.State.PREVIEW:
        return _preview(request, member, stored_batch)
    context = {
        "batch": stored_batch,
        "problems": _problems(request, stored_batch),
        "collected": collecting.told_of(stored_batch),
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "files/_batch.html", frame | context)
    return project_page(request, member, "files/batch.html", context, tab="import")


def _problems(request: HttpRequest, stored_batch: Batch) -> Page[Any]:
    page = Paginator(stored_batch.problems, PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = [told(problem) for problem in page.object_list]
    return page


def _preview(
    request: HttpRequest, member: Member, stored_batch: Batch, form: SettingsForm | None = None, status: int = 200
) -> HttpResponse:
    form = form or SettingsForm(
        initial=initial_of(stored_batch.settings), project=member.project, file_name=stored_batch.file_name
    )
    context = {"batch": stored_batch, "form": form, "preview": previews.preview(stored_batch)}
    return project_page(request, member, "files/preview.html", context, tab="import", status=status)


@require_POST
@login_required
def batch_settings(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Look at the uploaded file in another way."""
    member = membership(request, slug, LEADS)
    stored_batch = _batch_of(member, pk)
    form = SettingsForm(request.POST, project=member.project, file_name=stored_batch.file_name)
    if stored_batch.state == Batch.State.PREVIEW and not form.is_valid():
        return _preview(request, member, stored_batch, form, status=422)
    try:
        if form.is_valid():
            previews.change_settings(stored_batch, form.settings())
    except WrongState:
        messages.warning(request, _("This import was confirmed or discarded already."))
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
        messages.info(request, _("This import was confirmed already."))
    else:
        bell.ring("run_batch", stored_batch.pk)
    return redirect("batch", slug, pk)


def _objection(stored_batch: Batch) -> str:
    """A chat log has a preview of its own, which has no button where its rules keep nothing."""
    if stored_batch.state != Batch.State.PREVIEW or stored_batch.format == collecting.FORMAT:
        return ""
    return previews.preview(stored_batch).objection


@require_POST
@login_required
def batch_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    try:
        previews.discard(_batch_of(member, pk))
    except WrongState:
        messages.warning(request, _("This import was confirmed already; it cannot be discarded."))
        return redirect("batch", slug, pk)
    messages.success(request, _("The file was discarded; nothing was imported."))
    return redirect("import", slug)


@login_required
def batch_rejects(request: HttpRequest, slug: str, pk: int) -> FileResponse:
    """The refused rows with what is wrong with them, to be mended and imported again."""
    stored_batch = _batch_of(membership(request, slug, LEADS), pk)
    path = files.rejects(stored_batch.rejects_as) if stored_batch.rejects_as else None
    if path is None or not stored_batch.rejected or not path.exists():
        raise Http404
    name = f"{Path(stored_batch.file_name.removesuffix('.gz')).stem}-rejects.jsonl"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type="application/jsonl")
