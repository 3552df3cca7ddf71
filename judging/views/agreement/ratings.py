"""The ratings behind the page as a file, and its manifest: what the command export_ratings writes."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from judging.services.comparing_raters.subjects import FIELD
from judging.services.rating_release.writing import content, of_ratings, told_bytes
from judging.views.agreement.access import agreement_member
from judging.views.agreement.asked import asked


@require_safe
@login_required
def ratings_file(request: HttpRequest, slug: str) -> HttpResponse:
    """?about= as on the page. Only leads read people's names in it, too."""
    name, lines, _told = _release(request, slug)
    return _attached(b"".join(lines), "application/jsonl", name)


@require_safe
@login_required
def ratings_manifest(request: HttpRequest, slug: str) -> HttpResponse:
    name, _lines, manifest = _release(request, slug)
    return _attached(told_bytes(manifest), "application/json", f"{name}.manifest.json")


def _release(request: HttpRequest, slug: str) -> tuple[str, list[bytes], dict[str, Any]]:
    member = agreement_member(request, slug)
    query = asked(request, member)
    if query is None:
        raise Http404
    lines, manifest = content(of_ratings(member.project, query.found, query.today, pseudonyms=not member.leads))
    return f"{slug}-{query.subject.slug.removeprefix(FIELD)}-ratings.jsonl", lines, manifest


def _attached(content: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
