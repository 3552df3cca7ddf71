"""The page of a project's files under Data: single files are stored at once, zips by a worker."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate import bell
from annotate.errors import Refused
from annotate.intake import file_batches
from annotate.media.actions import Added, add_all, remove_unnamed
from annotate.media.queries import unnamed
from annotate.models import Batch, MediaFile, Member
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.media.archives import is_zip
from lib.media.file_names import LONGEST
from lib.media.sniffing import MOST_BYTES

FILES_PER_PAGE = 50


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Files of one choice; a list, also of one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=SeveralFiles(), **options)

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        return [super(FilesField, self).clean(file, initial) for file in data or [None]]


class AddFilesForm(forms.Form):
    chosen = FilesField(
        label=gettext_lazy("Files"),
        max_length=1000,
        help_text=gettext_lazy(
            "PNG, JPEG, WebP, GIF, PDF, MP3, WAV or plain text, up to 25 MiB each. Or a zip of them, each named by its "
            "path in it."
        ),
    )

    def clean_chosen(self) -> list[UploadedFile]:
        files: list[UploadedFile] = self.cleaned_data["chosen"]
        if sum(file.size or 0 for file in files) > settings.UPLOAD_MAX_BYTES:
            limit = filesizeformat(settings.UPLOAD_MAX_BYTES)
            raise forms.ValidationError(
                _("Together the files are larger than %(limit)s. Add fewer.") % {"limit": limit}
            )
        return files


@login_required
def media(request: HttpRequest, slug: str) -> HttpResponse:
    """The files that rows can name, and a form that adds some."""
    member = membership(request, slug, LEADS)
    if not member.project.kind.defined:
        raise Http404
    if request.method != "POST":
        return _page(request, member, AddFilesForm())
    form = AddFilesForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    return _added(request, member, form.cleaned_data["chosen"])


def _added(request: HttpRequest, member: Member, chosen: list[UploadedFile]) -> HttpResponse:
    zips = [file for file in chosen if is_zip(file)]
    files = [file for file in chosen if file not in zips]
    added = add_all(project=member.project, files=_contents(files), by=person(request))
    begun = list(_begun(request, member, zips, added))
    if added.refused:
        _tell_begun(request, begun)
        return _page(request, member, AddFilesForm(), added, status=422)
    if files:
        messages.success(request, added.in_words())
    if len(begun) == 1:
        return redirect("batch", member.project.slug, begun[0].pk)
    _tell_begun(request, begun)
    return redirect("media", member.project.slug)


def _tell_begun(request: HttpRequest, begun: list[Batch]) -> None:
    if n := len(begun):
        message = ngettext(
            "%(n)d zip is being unpacked; Data → Import says how far it is.",
            "%(n)d zips are being unpacked; Data → Import says how far they are.",
            n,
        )
        messages.success(request, message % {"n": n})


def _contents(files: Iterable[UploadedFile]) -> Iterator[tuple[str, bytes]]:
    """One more byte than is allowed is read of a file that is too large, which is then refused by its size."""
    return ((file.name or "", file.read(MOST_BYTES + 1)) for file in files)


def _begun(request: HttpRequest, member: Member, zips: Iterable[UploadedFile], added: Added) -> Iterator[Batch]:
    """Let a worker unpack these zips. Those that cannot be taken are noted in `added`."""
    for file in zips:
        try:
            batch = file_batches.add_zip(project=member.project, file=file, by=person(request))
        except Refused as refused:
            added.refused.append(str(refused))
        else:
            bell.ring("run_batch", batch.pk)
            yield batch


def _page(
    request: HttpRequest, member: Member, form: AddFilesForm, added: Added | None = None, status: int = 200
) -> HttpResponse:
    text = request.GET.get("q", "").strip()[:LONGEST]
    files = MediaFile.objects.filter(project=member.project)
    context = {
        "form": form,
        "q": text,
        "page": numbered_page(
            request, files.filter(name__icontains=text).select_related("added_by", "batch"), FILES_PER_PAGE
        ),
        "total": files.aggregate(files=Count("pk"), size=Sum("size")),
        "added": added,
    }
    return project_page(request, member, "media/media.html", context, tab="media", status=status)


@login_required
def media_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the files that no item names, after a page that says how many they are."""
    member = membership(request, slug, LEADS)
    if not member.project.kind.defined:
        raise Http404
    if request.method == "POST":
        _remove(request, member)
    elif n := len(unnamed(member.project)):
        return project_page(request, member, "media/remove.html", {"n": n}, tab="media")
    else:
        messages.info(request, _("Items name all files; there is none to remove."))
    return redirect("media", slug)


def _remove(request: HttpRequest, member: Member) -> None:
    try:
        n = remove_unnamed(member.project)
    except Refused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, ngettext("%(n)d file removed.", "%(n)d files removed.", n) % {"n": n})
