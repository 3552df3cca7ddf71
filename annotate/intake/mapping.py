"""Which column of a file becomes which field: by name, by a path into nested values, or as a constant. Pure."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.kinds.contract import ASIDE, METADATA, Kind
from annotate.kinds.questions.model_names import name_targets, named_models

LANGUAGE, KEY, ID = "language", "key", "id"
MOST_COLUMNS, DEEPEST = 500, 3
LONGEST_EXAMPLE = 80  # characters
CONSTANT = "="
Paths = Mapping[str, str]  # target -> path, or `=` and a constant
_ABSENT = object()


@dataclass(frozen=True)
class FileColumn:
    """A column, or a value within one. path: names joined by dots; example: of the first row that has it."""

    path: str
    example: str
    is_nested: bool = False


def fields_of(kind: Kind) -> list[str]:
    """The names that rows of this kind can have, the key first."""
    return list(dict.fromkeys([KEY, *kind.fact_names, *kind.draft_names]))


def read_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """`answer=response.text` and, for a constant, `source==manual`. Raises ValueError."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        target, sign, path = pair.partition("=")
        if not sign or not target or not path:
            raise ValueError(f"“{pair}” is no mapping: write field=column, field=column.path, or field==constant.")
        if target in mapping:
            raise ValueError(f"“{target}” is mapped twice; remove one.")
        mapping[target] = path
    return mapping


def mapped(row: Mapping[str, Any], paths: Paths, known: Collection[str]) -> dict[str, Any]:
    """The row with its fields under the names of the kind. known: these names.

    Fields that are not mapped keep their own columns. All other columns are metadata. A target that is no field of the
    kind is metadata too; `language` says the item's language. A path that the row lacks gives no value.
    """
    used = {_column_of(row, path) for path in paths.values() if not path.startswith(CONSTANT)}
    rest = {name: value for name, value in row.items() if name not in used and name not in paths}
    fields = {name: value for name, value in rest.items() if name in known or name in ASIDE}
    metadata = {name: value for name, value in rest.items() if name not in fields}
    for target, path in paths.items():
        value = value_at(row, path)
        if value is _ABSENT:
            continue
        if target == KEY:
            fields[KEY] = as_key(value)
        elif target in known or target == LANGUAGE:
            fields[target] = value
        else:
            metadata[target] = value
    own = fields.get(METADATA)
    return fields | {METADATA: {**metadata, **own} if isinstance(own, Mapping) else metadata}


def as_key(value: Any) -> Any:
    """Numbers become texts; a row whose key is null has none."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """The value at a path, or the constant; a marker of its own where there is none. A name may itself have dots."""
    if path.startswith(CONSTANT):
        return path.removeprefix(CONSTANT)
    if path in row:
        return row[path]
    value: Any = row
    for step in path.split("."):
        value = _inside(value, step)
    return value


def is_absent(value: Any) -> bool:
    return value is _ABSENT


def _inside(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step, _ABSENT)
    if isinstance(value, list) and step.isascii() and step.isdecimal() and len(step) < 10 and int(step) < len(value):
        return value[int(step)]
    return _ABSENT


def _column_of(row: Mapping[str, Any], path: str) -> str:
    """A column that is mapped whole is used up; of a nested value the rest may still be of interest to leads."""
    return path if path in row else ""


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[FileColumn]:
    """The columns of these rows with what is nested in them, each with an example, in the order in which they come."""
    columns: dict[str, FileColumn] = {}
    for row in rows:
        for path, value, depth in _paths(row, "", 1):
            if value is not None and len(columns) < MOST_COLUMNS:
                columns.setdefault(path, FileColumn(path, example(value), is_nested=depth > 1))
    return list(columns.values())


def left_as_metadata(columns: Sequence[FileColumn], paths: Paths, known: Collection[str]) -> list[str]:
    """The columns that no field takes. Of a column whose parts are taken, the whole stays as metadata."""
    taken = {*paths, *paths.values(), *known, *ASIDE}
    return [column.path for column in columns if not column.is_nested and column.path not in taken]


def _paths(value: Any, prefix: str, depth: int) -> Iterator[tuple[str, Any, int]]:
    members = value.items() if isinstance(value, Mapping) else enumerate(value)
    for name, inner in members:
        path = f"{prefix}{name}"
        yield path, inner, depth
        is_nested = isinstance(inner, Mapping) or (isinstance(inner, list) and 0 < len(inner) <= 10)
        if is_nested and depth < DEEPEST:
            yield from _paths(inner, f"{path}.", depth + 1)


def example(value: Any) -> str:
    """A value as one short line; lists and objects as JSON."""
    whole = json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping | list) else str(value)
    text = " ".join(whole.split())
    return text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"


# Guesses: by name, then by other words for the same thing, then by what the columns hold.

SYNONYMS = [
    {"key", "id", "uid", "uuid", "item_id", "example_id", "question_id", "index", "idx"},
    {"prompt", "question", "instruction", "query", "user_query", "input", "user", "request"},
    {"response", "answer", "output", "completion", "reply", "generation", "model_output", "prediction",
     "origin_first_response", "first_response", "first_answer"},
    {"a", "first", "left", "response_a", "answer_a", "output_a", "response_1", "answer_1", "output_1", "response1",
     "answer1", "completion_a", "completion_1", "chosen", "model_a_response", "assistant_a"},
    {"b", "second", "right", "response_b", "answer_b", "output_b", "response_2", "answer_2", "output_2", "response2",
     "answer2", "completion_b", "completion_2", "rejected", "model_b_response", "assistant_b"},
    {"model_a", "model_1", "model1", "model_first", "model_left", "left_model", "system_a", "system_1", "author_a",
     "model_name_a", "generator_a", "model_response_a", "model_answer_a"},
    {"model_b", "model_2", "model2", "model_second", "model_right", "right_model", "system_b", "system_2", "author_b",
     "model_name_b", "generator_b", "model_response_b", "model_answer_b"},
    {"source", "src", "original", "source_text"},
    {"translation", "target", "tgt", "mt", "hypothesis", "hyp", "machine_translation"},
    {"text", "document", "article", "content", "body", "passage"},
    {"summary", "abstract", "highlights"},
    {"passages", "contexts", "context", "documents", "retrieved", "chunks", "evidence"},
    {"language", "lang", "locale"},
    {"bench_type", "scenario"},
]  # fmt: skip


def guessed(kind: Kind, columns: Sequence[FileColumn]) -> dict[str, str]:
    """target -> path, for the fields of this kind that a file does not have under their own names."""
    paths = [column.path for column in columns]
    free = [path for path in paths if path not in kind.fact_names and path not in kind.draft_names]
    mapping: dict[str, str] = {}
    for target in (KEY, LANGUAGE, *kind.fact_names, *_unnamed_targets(kind, paths)):
        if target in paths:
            continue
        found = _like(target, free)
        if found:
            mapping[target] = found
            free.remove(found)
    return mapping


def _unnamed_targets(kind: Kind, paths: Sequence[str]) -> list[str]:
    """The names for models that the file has under no name that results would recognise."""
    unnamed = {column for of, names in named_models(kind, paths).items() if names is None for column in of}
    return [target for target, column in name_targets(kind).items() if column in unnamed]


def _like(target: str, paths: Sequence[str]) -> str:
    """The path whose last part is the same word, or another word for it; a shorter path wins."""
    words = next((group for group in SYNONYMS if _plain(target) in group), {_plain(target)})
    fitting = [path for path in paths if _plain(path) in words]
    nested = [path for path in paths if _plain(path.rpartition(".")[2]) in words]
    return min([*fitting, *nested], key=lambda path: (path.count("."), paths.index(path)), default="")


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z\u0080-\uffff]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip("_")
