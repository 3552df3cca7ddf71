"""The address that serves one file of a project."""

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from annotate.media import storage
from annotate.media.queries import file_seen_by
from annotate.models import MediaFile
from annotate.web.access import membership
from lib.media.file_names import short_name

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
