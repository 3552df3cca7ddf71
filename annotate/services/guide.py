"""The pages of docs/guide, as the installation shows them to who is signed in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

LANGUAGES = ("en", "zh")
NAME = re.compile(r"[0-9]{2}-[a-z-]+")
PICTURE = re.compile(r"^!\[(?P<alt>[^\]]+)\]\(\.\./images/[a-z]+/(?P<name>[a-z-]+)\.png\)$", re.MULTILINE)
# Links to other files lead somewhere in the repository only; the way on stands at the end of a page by itself.
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
WAY_ON = re.compile(r"^(?:Next: |下一步：).*$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A piece of Markdown, or a picture by its name with what it shows."""

    text: str = ""
    picture: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    parts: tuple[Part, ...]


def guide_folder() -> Path:
    return Path(settings.BASE_DIR) / "docs" / "guide"


def guide_language(code: str) -> str:
    """That of the guide for somebody who reads the pages in this language."""
    return "zh" if code.lower().startswith("zh") else "en"


def guide_titles(language: str) -> list[tuple[str, str]]:
    """(name, title) in order; none where an installation came without the documents."""
    return [(path.stem, _title(path)) for path in sorted((guide_folder() / language).glob("[0-9]*.md"))]


def guide_page(language: str, name: str) -> Page | None:
    path = guide_folder() / language / f"{name}.md"
    if not NAME.fullmatch(name) or not path.is_file():
        return None
    _heading, _newline, text = path.read_text(encoding="utf-8").partition("\n")
    return Page(name, _title(path), tuple(_parts(WAY_ON.sub("", text))))


def picture_path(language: str, name: str) -> Path | None:
    path = guide_folder() / "images" / language / f"{name}.png"
    return path if re.fullmatch("[a-z-]+", name) and path.is_file() else None


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()


def _parts(text: str) -> Iterator[Part]:
    start = 0
    for match in PICTURE.finditer(text):
        yield Part(text=_bare(text[start : match.start()]))
        yield Part(picture=match["name"], alt=match["alt"])
        start = match.end()
    yield Part(text=_bare(text[start:]))


def _bare(text: str) -> str:
    return LINK.sub(r"\1", text).strip()
