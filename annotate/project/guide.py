"""The user guide: the pages of docs/guide, shown to everybody who is signed in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

NAME = re.compile(r"[0-9]{2}-[a-z-]+")
PICTURE = re.compile(r"^!\[(?P<alt>[^\]]+)\]\(\.\./images/[a-z]+/(?P<name>[a-z-]+)\.png\)$", re.MULTILINE)
# Links to other files work in the repository only, so they are removed; the page adds its own link to the next page.
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
WAY_ON = re.compile(r"^(?:Next: |下一步：).*$", re.MULTILINE)


@dataclass(frozen=True)
class GuidePart:
    """A piece of Markdown, or a picture by its name with what it shows."""

    text: str = ""
    picture: str = ""
    alt: str = ""


@dataclass(frozen=True)
class GuidePage:
    name: str
    title: str
    parts: tuple[GuidePart, ...]


def guide_folder() -> Path:
    return Path(settings.BASE_DIR) / "docs" / "guide"


def guide_language(code: str) -> str:
    """The guide's language for a reader of this interface language."""
    return "zh" if code.lower().startswith("zh") else "en"


def guide_titles(language: str) -> list[tuple[str, str]]:
    """(name, title) in order; empty where an installation has no documents."""
    return [(path.stem, _title(path)) for path in sorted((guide_folder() / language).glob("[0-9]*.md"))]


def guide_page(language: str, name: str) -> GuidePage | None:
    path = guide_folder() / language / f"{name}.md"
    if not NAME.fullmatch(name) or not path.is_file():
        return None
    _heading, _newline, text = path.read_text(encoding="utf-8").partition("\n")
    return GuidePage(name, _title(path), tuple(_parts(WAY_ON.sub("", text))))


def picture_path(language: str, name: str) -> Path | None:
    path = guide_folder() / "images" / language / f"{name}.png"
    return path if re.fullmatch("[a-z-]+", name) and path.is_file() else None


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()


def _parts(text: str) -> Iterator[GuidePart]:
    start = 0
    for match in PICTURE.finditer(text):
        yield GuidePart(text=_bare(text[start : match.start()]))
        yield GuidePart(picture=match["name"], alt=match["alt"])
        start = match.end()
    yield GuidePart(text=_bare(text[start:]))


def _bare(text: str) -> str:
    return LINK.sub(r"\1", text).strip()


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
    """The picture that ?name= names, in the reader's language."""
    path = picture_path(guide_language(get_language() or ""), request.GET.get("name", ""))
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/png")
