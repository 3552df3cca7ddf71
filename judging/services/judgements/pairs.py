"""Pairs that somebody lists: which two authors' answers are held against each other at which item."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from annotate.models import Item, Project
from annotate.services.errors import Refused
from judging.models import Author

NAMES = ("key", "first", "second")
LARGEST = 5_000_000  # characters of a list
SHOWN = 20  # names in a message
BLANK = " \t\r\n,"


class Pair(NamedTuple):
    """One row. key: of the item; first, second: authors. line: where it stands."""

    key: str
    first: str
    second: str
    line: int


def read(text: str) -> list[Pair]:
    """Objects with key, first and second, one a line; equal rows once. Raises ValueError, which names the line."""
    unique_pairs = {pair[:3]: pair for pair in reversed(list(_pairs(text.removeprefix("\ufeff"))))}
    return sorted(unique_pairs.values(), key=lambda pair: pair.line)


def _pairs(text: str) -> Iterator[Pair]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at] in BLANK:
            at += 1
            continue
        line = text.count("\n", 0, at) + 1
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as fault:
            raise ValueError(_("Line %(line)d is no JSON object.") % {"line": line}) from fault
        yield Pair(*_names(row, line), line)


def _names(row: Any, line: int) -> tuple[str, str, str]:
    names = [row.get(name) for name in NAMES] if isinstance(row, dict) else [None]
    if not all(isinstance(name, str) and name for name in names):
        message = _("Line %(line)d needs the texts “key”, “first” and “second”.")
        raise ValueError(message % {"line": line})
    key, first, second = map(str, names)
    if first == second:
        raise ValueError(_("Line %(line)d pairs “%(name)s” with itself.") % {"line": line, "name": first})
    return key, first, second


def checked(text: str) -> str:
    """The same text. Raises ValueError where it cannot be read."""
    read(text)
    return text


def by_key(pairs: Sequence[Pair]) -> Mapping[str, Sequence[Pair]]:
    pairs_by_key: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        pairs_by_key[pair.key].append(pair)
    return pairs_by_key


def refuse_unknown(project: Project, pairs: Sequence[Pair]) -> None:
    """Raises Refused at the first row whose item or author the project does not have."""
    keys = set(Item.objects.filter(project=project).values_list("key", flat=True).iterator(5000))
    authors = set(Author.objects.filter(project=project).values_list("name", flat=True))
    for pair in pairs:
        if pair.key not in keys:
            raise Refused(_("Line %(line)d: there is no item “%(key)s”.") % {"line": pair.line, "key": pair.key})
        missing = next((name for name in (pair.first, pair.second) if name not in authors), None)
        if missing is not None:
            values = {"line": pair.line, "name": missing, "all": ", ".join(sorted(authors)[:SHOWN]) or _("none")}
            raise Refused(_("Line %(line)d: there is no author “%(name)s”. Authors: %(all)s.") % values)
