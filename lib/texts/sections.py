"""Guidelines taken apart at their headings, each with the fields and groups that it governs. Pure.

A heading may end in braces: `## Checklists {fields: checklist, feedback; groups: Coding; example: item-7}`. Names that
hold a comma stand in quotes. What a heading does not say, it has from the heading above it; where nobody says it, the
section is about every field, or every group. Examples are not handed down.
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


class Fault(NamedTuple):
    """Braces that cannot be read. why: `word` (it is none of WORDS), `empty` (no name after it), `twice`."""

    line: int
    why: str
    said: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next one. line: of the heading, from 1.

    level: 1..6; 0 for what stands above the first heading, which has no title. path: the titles above it and its own.
    """

    level: int
    title: str
    line: int
    body: str
    path: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()  # what its own braces say

    @property
    def is_general(self) -> bool:
        return not self.fields and not self.groups

    @property
    def is_empty(self) -> bool:
        return not self.title and not self.body.strip()


@dataclass(frozen=True)
class Parsed:
    sections: tuple[Section, ...]
    faults: tuple[Fault, ...] = ()


class _Heading(NamedTuple):
    level: int
    source: str
    begins: int
    ends: int


@lru_cache(maxsize=128)
def parsed(text: str) -> Parsed:
    """The sections in their order, and what is wrong with their braces. A text too deep to parse is one section."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    faults: list[Fault] = []
    above: list[Section] = []
    sections = []
    headings = list(_headings(text))
    ends = [heading.begins for heading in headings] + [len(lines)]
    first = Section(0, "", 1, "\n".join(lines[: ends[0]]))
    for heading, end in zip(headings, ends[1:], strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        body = "\n".join(lines[heading.ends : end])
        section = _section(heading, body, above[-1] if above else None, faults)
        above.append(section)
        sections.append(section)
    return Parsed((*([] if first.is_empty else [first]), *sections), tuple(faults))


def without_scopes(text: str) -> str:
    """The text without the braces that say what its sections are about, for readers that are shown all of it."""
    shown = []
    for section in parsed(text).sections:
        heading = f"{'#' * section.level} {section.title}\n" if section.level else ""
        shown.append(f"{heading}{section.body}")
    return "\n".join(shown).strip()


def _headings(text: str) -> Iterator[_Heading]:
    """Those of the document itself: what looks like one in code, a quote or a list is none."""
    try:
        tokens: Sequence[Token] = _PARSER.parse(text)
    except RecursionError:
        return
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield _Heading(int(token.tag[1:]), tokens[place + 1].content, *token.map)


def _section(heading: _Heading, body: str, above: Section | None, faults: list[Fault]) -> Section:
    braces = _BRACES.search(heading.source)
    title = heading.source[: braces.start()].strip() if braces else heading.source.strip()
    said = _read(braces.group(1), heading.begins + 1, faults) if braces else {}
    return Section(
        level=heading.level,
        title=title,
        line=heading.begins + 1,
        body=body,
        path=(*(above.path if above else ()), title),
        fields=said.get("fields", above.fields if above else ()),
        groups=said.get("groups", above.groups if above else ()),
        examples=said.get("examples", ()),
        own=frozenset(said),
    )


def _read(inside: str, line: int, faults: list[Fault]) -> dict[str, tuple[str, ...]]:
    said: dict[str, tuple[str, ...]] = {}
    for part in _PARTS.findall(inside):
        word, _colon, values = part.replace("：", ":", 1).partition(":")
        name, names = WORDS.get(word.strip().lower()), _names(values)
        if not part.strip():
            continue
        if name is None:
            faults.append(Fault(line, "word", word.strip()))
        elif name in said:
            faults.append(Fault(line, "twice", word.strip()))
        elif not names:
            faults.append(Fault(line, "empty", word.strip()))
        else:
            said[name] = names
    return said


def _names(values: str) -> tuple[str, ...]:
    found = ("".join(match.groups(default="")).strip() for match in _VALUES.finditer(values))
    return tuple(dict.fromkeys(name for name in found if name))


def governs(section: Section, group: str, fields: Sequence[str] = ()) -> bool:
    """Whether a section is about items of this group with these fields. An empty group is not known yet: any may be."""
    if section.groups and group and group not in section.groups:
        return False
    return not section.fields or not fields or bool(set(section.fields) & set(fields))


class Scope(NamedTuple):
    """Which items a section is about: those of one of the groups that have one of the fields; empty means all."""

    fields: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A section that reads otherwise in the newer text. how: added | removed | changed; scopes: before and after."""

    path: tuple[str, ...]
    how: str
    scopes: tuple[Scope, ...]

    @property
    def title(self) -> str:
        return " › ".join(self.path)


def changes(old: str, new: str) -> list[Change]:
    """What was added, removed, reworded or is about something else now; in the order of the newer text, removed last.

    Sections are the same by the titles above them and their own, or else by their words and what they are about. Line
    breaks, order and examples are no change, and neither are headings with nothing below them.
    """
    before, after = _by_path(old), _by_path(new)
    for key in [key for key in after if key not in before]:
        _forget_renamed(key, before, after)
    found = []
    for key in [*after, *(key for key in before if key not in after)]:
        was, now = before.get(key), after.get(key)
        if (was and now and _rule(was) == _rule(now)) or not any(one and one.body.split() for one in (was, now)):
            continue
        how = "changed" if was and now else "added" if now else "removed"
        scopes = dict.fromkeys(_scope(one) for one in (was, now) if one)
        found.append(Change(key[0], how, tuple(scopes)))
    return found


_Key = tuple[tuple[str, ...], int]


def _forget_renamed(key: _Key, before: dict[_Key, Section], after: dict[_Key, Section]) -> None:
    same = (one for one, was in before.items() if one not in after and _rule(was) == _rule(after[key]))
    renamed = next(same, None)
    if renamed:
        del before[renamed], after[key]


def _by_path(text: str) -> dict[_Key, Section]:
    found: dict[_Key, Section] = {}
    for section in parsed(text).sections:
        same = sum(path == section.path for path, _no in found)
        found[(section.path, same)] = section
    return found


def _scope(section: Section) -> Scope:
    return Scope(tuple(sorted(section.fields)), tuple(sorted(section.groups)))


def _rule(section: Section) -> tuple[list[str], Scope]:
    return section.body.split(), _scope(section)


def _parser() -> MarkdownIt:
    """Blocks only: what stands in a heading is taken as written."""
    parser = MarkdownIt("commonmark", {"html": False})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_PARSER = _parser()
