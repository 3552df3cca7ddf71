"""The page of a project's files under Data, and the address that serves one file."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from annotate.errors import Refused
from annotate.media import storage
from annotate.media.actions import Added, add_all, remove_unnamed
from annotate.media.queries import file_seen_by
from annotate.models import MediaFile, Member
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.media.file_names import short_name
from lib.media.sniffing import MOST_BYTES

FILES_PER_PAGE = 50
# Whatever a browser makes of the bytes, it runs and loads nothing.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}


@login_required
def media_file(request: HttpRequest, slug: str, link: str) -> HttpResponseBase:
    """The bytes of a file: an image to show; anything else, or with `?save=1`, to save.

    Browsers keep it but ask again every time, so that who leaves the project sees it no more.
    """
    file = file_seen_by(membership(request, slug), link)
    etag = f'"{file.sha256}"'
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        response = _served(file, as_attachment=not file.is_image or request.GET.get("save") == "1")
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers["ETag"] = etag
    return response


def _served(file: MediaFile, *, as_attachment: bool) -> FileResponse:
    """The name of an image that is shown is not sent: it may say which model made it."""
    try:
        stored = storage.opened(file.stored_as)
    except FileNotFoundError:
        raise Http404 from None
    response = FileResponse(
        stored,
        as_attachment=as_attachment,
        filename=short_name(file.name) if as_attachment else "",
        content_type="text/plain; charset=utf-8" if file.type == "text/plain" else file.type,
    )
    if not as_attachment:
        response.headers["Content-Disposition"] = "inline"
    return response


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
        help_text=gettext_lazy("PNG, JPEG, WebP, GIF, PDF, MP3, WAV or plain text, up to 25 MiB each."),
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
    added = add_all(project=member.project, files=_contents(form.cleaned_data["chosen"]), by=person(request))
    if added.refused:
        return _page(request, member, AddFilesForm(), added, status=422)
    messages.success(request, in_words(added))
    return redirect("media", slug)


def _contents(files: list[UploadedFile]) -> Iterator[tuple[str, bytes]]:
    """One more byte than is allowed is read of a file that is too large, which is then refused by its size."""
    return ((file.name or "", file.read(MOST_BYTES + 1)) for file in files)


def in_words(added: Added) -> str:
    sentences = [ngettext("%(n)d file added.", "%(n)d files added.", len(added.new)) % {"n": len(added.new)}]
    if n := len(added.known):
        sentences.append(ngettext("%(n)d was here already.", "%(n)d were here already.", n) % {"n": n})
    return " ".join(sentences)


def _page(
    request: HttpRequest, member: Member, form: AddFilesForm, added: Added | None = None, status: int = 200
) -> HttpResponse:
    files = MediaFile.objects.filter(project=member.project).select_related("added_by")
    context = {
        "form": form,
        "page": numbered_page(request, files, FILES_PER_PAGE),
        "added": added,
        "outcome": in_words(added) if added else "",
    }
    return project_page(request, member, "media/media.html", context, tab="media", status=status)


@require_POST
@login_required
def media_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the files that no item names."""
    member = membership(request, slug, LEADS)
    if not member.project.kind.defined:
        raise Http404
    try:
        n = remove_unnamed(member.project)
    except Refused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, ngettext("%(n)d file removed.", "%(n)d files removed.", n) % {"n": n})
    return redirect("media", slug)
