from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from annotate.services.releasing.comparing import Comparison, changed_items, compare_releases
from annotate.views.access import READERS, membership
from annotate.views.pages import project_page
from annotate.views.releases.releases import handed_out

PER_PAGE = 20
NAMED = 200  # keys of added and removed items on the page; the JSON has all


@login_required
def release_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two releases item by item, as a page or with ?format=json."""
    member = membership(request, slug, READERS)
    pair = []
    for name in ("old", "new"):
        release = handed_out(request, slug, _version(request, name))
        if isinstance(release, HttpResponse):
            return release
        pair.append(release)
    compared = compare_releases(*pair)
    if request.GET.get("format") == "json":
        return JsonResponse(_told(compared), json_dumps_params={"ensure_ascii": False})
    page = Paginator(compared.changed, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "compared": compared,
        "page": page,
        "items": list(changed_items(compared, list(page))),
        "added": compared.added[:NAMED],
        "removed": compared.removed[:NAMED],
    }
    return project_page(request, member, "files/compare.html", context, tab="releases")


def _version(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Http404
    return int(text)


def _told(compared: Comparison) -> dict[str, Any]:
    changed = [{"key": item.key, "fields": item.names} for item in changed_items(compared, compared.changed)]
    return {
        "old": compared.old.version,
        "new": compared.new.version,
        "same": compared.same,
        "added": compared.added,
        "removed": compared.removed,
        "changed": changed,
    }
