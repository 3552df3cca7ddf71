"""The texts inside prompts (rubrics, axes, rules, criteria, the system's rule) as data: shipped, or a project's own.

A table is a nested mapping whose leaves are texts by language, `{"en": …, "zh": …}`. Its owner registers it under a
scope and reads it with `overlaid`. During a job, `using` replaces texts by those of the job's run.
A leaf is named by its path, such as `long-form-axis`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

LANGUAGES = ("en", "zh")
Table = Mapping[str, Any]
Texts = Mapping[tuple[str, str, str], str]  # (scope, name, language) -> text

_PLACE = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
_SLOT = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_tables: dict[str, Callable[[], Table]] = {}


class _InUse:
    """The texts of one run, with the tables that were overlaid with them."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.tables: dict[str, tuple[Table, Table]] = {}


_in_use: ContextVar[_InUse | None] = ContextVar("texts_in_use", default=None)
_last = [_InUse({})]  # of the last job: the jobs of a run use the same texts, and so one overlay of the tables


def register(scope: str, table: Callable[[], Table]) -> None:
    """table: returns the shipped table. Projects can read and edit its texts from then on."""
    _tables[scope] = table


def is_registered(scope: str) -> bool:
    return scope in _tables


def shipped_texts(scope: str) -> dict[tuple[str, str], str]:
    """(name, language) -> text as pages show it, with slots for places; empty for a scope that nobody registered."""
    table = _tables.get(scope)
    return {(name, language): as_slots(text) for name, language, text in _leaves(table())} if table else {}


@contextmanager
def using(texts: Texts) -> Iterator[None]:
    """A context in which `overlaid` returns these texts. Concurrent tasks do not see each other's texts.

    texts: never changed after its first use here.
    """
    if _last[0].texts is not texts:
        _last[0] = _InUse(texts)
    token = _in_use.set(_last[0])
    try:
        yield
    finally:
        _in_use.reset(token)


def overlaid(scope: str, table: Table) -> Table:
    """The table with the texts in use at its leaves; unknown leaves are unchanged. table: always the same object."""
    held = _in_use.get()
    if held is None or not held.texts:
        return table
    entry = held.tables.get(scope)
    if entry is None or entry[0] is not table:
        entry = held.tables[scope] = table, _replaced(scope, table, held.texts, ())
    return entry[1]


def as_slots(text: str) -> str:
    """The text with `{boundary}`, the form in files, as a slot, the form that people see."""
    return _PLACE.sub(r"{{ \1 }}", text).strip()


def as_places(text: str) -> str:
    return _SLOT.sub(r"{\1}", text)


def _replaced(scope: str, table: Table, texts: Texts, path: tuple[str, ...]) -> dict[str, Any]:
    if _is_leaf(table):
        name = _name(path)
        own_texts = {language: texts.get((scope, name, language)) for language in table}
        return {
            language: text if own_texts[language] in (None, as_slots(text)) else as_places(str(own_texts[language]))
            for language, text in table.items()
        }
    return {
        key: _replaced(scope, value, texts, (*path, key)) if isinstance(value, Mapping) else value
        for key, value in table.items()
    }


def _leaves(table: Table, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """(name, language, text)."""
    if _is_leaf(table):
        yield from ((_name(path), language, text) for language, text in table.items())
        return
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))


def _is_leaf(table: Table) -> bool:
    return "en" in table and all(key in LANGUAGES and isinstance(text, str) for key, text in table.items())


def _name(path: tuple[str, ...]) -> str:
    return "-".join(path)
