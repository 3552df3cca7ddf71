"""Fields with a closed list of values: the texts that a file has instead, and what they stand for. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, get_origin

from annotate.intake.mapping import CONSTANT, LANGUAGE, Paths, fields_of, value_at
from annotate.kinds.contract import Kind
from annotate.kinds.values import literals
from annotate.models import Project

Words = Mapping[str, Mapping[str, str]]  # field -> a text of the file -> the allowed text that it stands for
MOST_UNKNOWN = 20  # of one field that are listed
LONGEST_WORD = 80  # characters; a column with longer texts is no list of values
OFFERED_LANGUAGES = ("en", "zh", "ar", "de", "es", "fr", "hi", "it", "ja", "ko", "pt", "ru")
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}", re.ASCII)


def is_language_code(value: Any) -> bool:
    return isinstance(value, str) and _LANGUAGE_CODE.fullmatch(value) is not None


def allowed_values(project: Project) -> dict[str, Sequence[str]]:
    """Field -> the texts that it allows, for the fields of this project's kind that have a closed list."""
    kind = project.kind
    types = {name: literals(kind.type_of(name)) for name in (*kind.fact_names, *kind.draft_names)}
    listed = types | dict(kind.listed_values(project.kind_options))
    return {name: values for name, values in listed.items() if values}


def offered_languages(project: Project) -> Sequence[str]:
    """What a word for a language can stand for. Other codes of languages are allowed too."""
    return [] if LANGUAGE in fields_of(project.kind) else list(project.languages) or OFFERED_LANGUAGES


@dataclass(frozen=True)
class UnknownValues:
    """The texts of a column that its field does not allow, in the order of the file. more: whether there are others."""

    values: list[str] = field(default_factory=list)
    more: bool = False

    def with_value(self, value: str) -> "UnknownValues":
        if value in self.values or self.more:
            return self
        if len(self.values) >= MOST_UNKNOWN:
            return UnknownValues(self.values, more=True)
        return UnknownValues([*self.values, value])


def unknown_values(rows: Iterable[Mapping[str, Any]], project: Project, paths: Paths) -> dict[str, UnknownValues]:
    """Field -> what these rows have in it that is not allowed. Only fields that have such texts."""
    allowed = {name: frozenset(values) for name, values in allowed_values(project).items()}
    languages = {LANGUAGE: frozenset[str]()} if LANGUAGE in paths and offered_languages(project) else {}
    columns = {name: paths.get(name, name) for name in (*allowed, *languages)}
    columns = {name: path for name, path in columns.items() if not path.startswith(CONSTANT)}
    unknown: dict[str, UnknownValues] = {}
    for row in rows:
        for name, path in columns.items():
            for text in _texts(value_at(row, path)):
                if text not in allowed[name] if name in allowed else not is_language_code(text):
                    unknown[name] = unknown.get(name, UnknownValues()).with_value(text)
    return unknown


def _texts(value: Any) -> list[str]:
    """The texts of a value or list; an empty one means that there is no answer yet."""
    parts = value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, str) and 0 < len(part) <= LONGEST_WORD]


class OwnWords:
    """Replaces the texts of a file by the allowed texts that they stand for."""

    def __init__(self, project: Project, words: Words, paths: Paths) -> None:
        """A mapped field of several values takes a single text as a list of one."""
        self._words = words
        names = paths.keys() & allowed_values(project).keys() if paths else set()
        self._lists = [name for name in names if _takes_lists(project.kind, name)]
        self._names = list(dict.fromkeys(chain(words, self._lists)))

    def replaced(self, row: dict[str, Any]) -> dict[str, Any]:
        changes = {name: self._value(name, row[name]) for name in self._names if name in row}
        return {**row, **changes} if changes else row

    def _value(self, name: str, value: Any) -> Any:
        words = self._words.get(name, {})
        if isinstance(value, str):
            text = words.get(value, value)
            return [text] if name in self._lists and text else text
        if isinstance(value, list):
            return [words.get(part, part) if isinstance(part, str) else part for part in value]
        return value


def _takes_lists(kind: Kind, name: str) -> bool:
    """Whether the type of a field is a list, perhaps an optional one."""
    annotation = kind.type_of(name)
    return list in (get_origin(annotation), *map(get_origin, getattr(annotation, "__args__", ())))
