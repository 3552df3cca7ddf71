"""Guidelines split into sections at their headings, each with the fields and groups that it governs. Pure.

A heading may end in braces: `## Checklists {fields: checklist, feedback; groups: Coding; example: item-7}`. Names that
hold a comma are written in quotes. A heading without fields or groups inherits them from the heading above it; without
any, the section is about every field, or every group. Examples are not inherited.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_BRACES = re.compile(r"(?<!\\)\{([^{}]*[:：][^{}]*)\}[ \t]*$")
_PARTS = re.compile(r'(?:"[^"]*"|“[^”]*”|[^;；"“])+')
_VALUES = re.compile(r'\s*(?:"([^"]*)"|“([^”]*)”|([^,，、"“]+))\s*(?:[,，、]|$)')
WORDS = {
    "field": "fields",
    "fields": "fields",
    "group": "groups",
    "groups": "groups",
    "example": "examples",
    "examples": "examples",
}


class SectionFault(NamedTuple):
    """Braces that cannot be read. why: `word` (not one of WORDS), `empty` (no name after it), `twice`."""

    line: int
    why: str
    said: str


@dataclass(frozen=True)
class Section:
    """A heading and the text below it, up to the next heading. line: of the heading, from 1.

    level: 1..6; 0 for the text above the first heading, which has no title. path: the titles above it and its own.
    """

    level: int
    title: str
    line: int
    body: str
    path: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()  # from its own braces

    @property
    def is_empty(self) -> bool:
        return not self.title and not self.body.strip()


@dataclass(frozen=True)
class Parsed:
    sections: tuple[Section, ...]
    faults: tuple[SectionFault, ...] = ()


class _Heading(NamedTuple):
    level: int
    source: str
    begins: int
    ends: int


@lru_cache(maxsize=128)
def parsed(text: str) -> Parsed:
    """The sections in their order, and the faults of their braces. A text nested too deeply to parse is one section."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    faults: list[SectionFault] = []
    above: list[Section] = []
    sections = []
    headings = list(_headings(text))
    ends = [heading.begins for heading in headings] + [len(lines)]
    preamble = Section(0, "", 1, "\n".join(lines[: ends[0]]))
    for heading, end in zip(headings, ends[1:], strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        body = "\n".join(lines[heading.ends : end])
        section = _section(heading, body, above[-1] if above else None, faults)
        above.append(section)
        sections.append(section)
    return Parsed((*([] if preamble.is_empty else [preamble]), *sections), tuple(faults))


def without_scopes(text: str) -> str:
    """The text without the braces of its headings, for readers that get all of it."""
    blocks = []
    for section in parsed(text).sections:
        heading = f"{'#' * section.level} {section.title}\n" if section.level else ""
        blocks.append(f"{heading}{section.body}")
    return "\n".join(blocks).strip()


def _headings(text: str) -> Iterator[_Heading]:
    """The headings of the document itself, without look-alikes in code, quotes and lists."""
    try:
        tokens: Sequence[Token] = _PARSER.parse(text)
    except RecursionError:
        return
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield _Heading(int(token.tag[1:]), tokens[index + 1].content, *token.map)


def _section(heading: _Heading, body: str, above: Section | None, faults: list[SectionFault]) -> Section:
    braces = _BRACES.search(heading.source)
    title = heading.source[: braces.start()].strip() if braces else heading.source.strip()
    names_by_key = _read(braces.group(1), heading.begins + 1, faults) if braces else {}
    return Section(
        level=heading.level,
        title=title,
        line=heading.begins + 1,
        body=body,
        path=(*(above.path if above else ()), title),
        fields=names_by_key.get("fields", above.fields if above else ()),
        groups=names_by_key.get("groups", above.groups if above else ()),
        examples=names_by_key.get("examples", ()),
        own=frozenset(names_by_key),
    )


def _read(inside: str, line: int, faults: list[SectionFault]) -> dict[str, tuple[str, ...]]:
    names_by_key: dict[str, tuple[str, ...]] = {}
    for part in _PARTS.findall(inside):
        word, _colon, values = part.replace("：", ":", 1).partition(":")
        name, names = WORDS.get(word.strip().lower()), _names(values)
        if not part.strip():
            continue
        if name is None:
            faults.append(SectionFault(line, "word", word.strip()))
        elif name in names_by_key:
            faults.append(SectionFault(line, "twice", word.strip()))
        elif not names:
            faults.append(SectionFault(line, "empty", word.strip()))
        else:
            names_by_key[name] = names
    return names_by_key


def _names(values: str) -> tuple[str, ...]:
    names = ("".join(match.groups(default="")).strip() for match in _VALUES.finditer(values))
    return tuple(dict.fromkeys(name for name in names if name))


def governs(section: Section, group: str, fields: Sequence[str] = ()) -> bool:
    """Whether a section is about items of this group with these fields. An empty group is unknown and matches all."""
    if section.groups and group and group not in section.groups:
        return False
    return not section.fields or not fields or bool(set(section.fields) & set(fields))


class Scope(NamedTuple):
    """The items of a section: those of one of the groups with one of the fields; empty means all."""

    fields: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class SectionChange:
    """A section that differs in the newer text. how: added | removed | changed; scopes: before and after."""

    path: tuple[str, ...]
    how: str
    scopes: tuple[Scope, ...]

    @property
    def title(self) -> str:
        return " › ".join(self.path)


def changes(old: str, new: str) -> list[SectionChange]:
    """Sections that were added, removed, reworded or rescoped; in the order of the newer text, removed ones last.

    Sections are matched by their path of titles, or else by their text and scope. Line breaks, order and examples are
    no change, and neither are headings with nothing below them.
    """
    old_sections, new_sections = _by_path(old), _by_path(new)
    for key in [key for key in new_sections if key not in old_sections]:
        _forget_renamed(key, old_sections, new_sections)
    change_list = []
    for key in [*new_sections, *(key for key in old_sections if key not in new_sections)]:
        was, now = old_sections.get(key), new_sections.get(key)
        if (was and now and _rule(was) == _rule(now)) or not any(
            section and section.body.split() for section in (was, now)
        ):
            continue
        how = "changed" if was and now else "added" if now else "removed"
        scopes = dict.fromkeys(_scope(section) for section in (was, now) if section)
        change_list.append(SectionChange(key[0], how, tuple(scopes)))
    return change_list


_Key = tuple[tuple[str, ...], int]


def _forget_renamed(key: _Key, old_sections: dict[_Key, Section], new_sections: dict[_Key, Section]) -> None:
    same = (
        old_key
        for old_key, was in old_sections.items()
        if old_key not in new_sections and _rule(was) == _rule(new_sections[key])
    )
    renamed = next(same, None)
    if renamed:
        del old_sections[renamed], new_sections[key]


def _by_path(text: str) -> dict[_Key, Section]:
    section_by_key: dict[_Key, Section] = {}
    for section in parsed(text).sections:
        same = sum(path == section.path for path, _no in section_by_key)
        section_by_key[(section.path, same)] = section
    return section_by_key


def _scope(section: Section) -> Scope:
    return Scope(tuple(sorted(section.fields)), tuple(sorted(section.groups)))


def _rule(section: Section) -> tuple[list[str], Scope]:
    return section.body.split(), _scope(section)


def _parser() -> MarkdownIt:
    """A parser of blocks only: the text of a heading is taken as written."""
    parser = MarkdownIt("commonmark", {"html": False})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_PARSER = _parser()
