from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotate.services.guide import guide_language, guide_page, guide_titles, picture_path


@require_safe
@login_required
def guide(request: HttpRequest) -> HttpResponse:
    """The guide: its contents, or the page that ?page= names."""
    language, page_name = guide_language(get_language() or ""), request.GET.get("page", "")
    titles = guide_titles(language)
    page = guide_page(language, page_name) if page_name else None
    if not titles or (page_name and page is None):
        raise Http404
    names = [name for name, _title in titles]
    index = names.index(page_name) if page else -1
    context = {
        "titles": titles,
        "shown": page,
        "before": titles[index - 1] if index > 0 else None,
        "after": titles[index + 1] if index + 1 < len(titles) else None,
    }
    return render(request, "guide.html", context)


@require_safe
@login_required
@cache_control(private=True, max_age=3600)
def guide_picture(request: HttpRequest) -> FileResponse:
    """The picture that ?name= names, in the language of whoever looks."""
    path = picture_path(guide_language(get_language() or ""), request.GET.get("name", ""))
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/png")
