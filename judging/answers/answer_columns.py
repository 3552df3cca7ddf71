"""Which file of answers is read how: its format by its name, its columns by their names, and an example to fill in."""

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from annotate.formats.csv_table import csv_line
from annotate.formats.format import Format
from annotate.formats.json_array import JsonRows
from annotate.formats.registry import all_formats
from annotate.models import Project
from judging.answers.cases import judgeable

EXAMPLES = 3  # items in the example
# Other names of a column, used where the file has no column of its own name.
SYNONYMS: Mapping[str, frozenset[str]] = {
    "key": frozenset({"id", "uid", "uuid", "item", "item_key", "item_id", "question_id", "example_id", "idx"}),
    "author": frozenset({"model", "model_name", "model_id", "system", "candidate", "generator"}),
    "text": frozenset({"answer", "response", "output", "completion", "reply", "generation", "prediction"}),
}


class AnswerFormat(JsonRows):
    """JSON, whatever the name of the file."""

    slug = "answers"
    name = "answers"


JSON_ROWS = AnswerFormat()


def format_of(file_name: str) -> Format:
    """CSV, TSV or Parquet by the name, as in an import of items; else JSON."""
    name = PurePath(file_name).name.lower().removesuffix(".gz")
    tables = [table for table in all_formats().values() if table.is_table]
    return next((table for table in tables if name.endswith((*table.endings, *table.other_endings))), JSON_ROWS)


def columns_for(names: Collection[str]) -> dict[str, str]:
    """Field of an answer -> the column that it is read from, where that has another name."""
    return {
        field: column
        for field, words in SYNONYMS.items()
        if field not in names and (column := next((name for name in names if _plain(name) in words), ""))
    }


def as_answer(row: Mapping[str, Any], known: Collection[str], *, is_table: bool) -> tuple[dict[str, Any], list[str]]:
    """(the fields of an answer, the columns that are none). In tables numbers are texts, so samples are read here."""
    other_names = columns_for(row)
    fields = {name: value for name, value in row.items() if name in known}
    fields |= {field: row[column] for field, column in other_names.items()}
    if "key" in other_names and isinstance(fields["key"], int):
        fields["key"] = str(fields["key"])
    sample = fields.get("sample")
    if is_table and isinstance(sample, str) and sample.isascii() and sample.isdecimal() and len(sample) < 6:
        fields["sample"] = int(sample)
    return fields, [name for name in row if name not in known and name not in other_names.values()]


@lru_cache(maxsize=1000)
def meant(column: str, known: frozenset[str]) -> str:
    """The field whose name is nearly this one, which is then a slip; "" if there is none."""
    return next(iter(get_close_matches(column, known, 1, 0.8)), "")


def example(project: Project) -> Iterator[str]:
    """The lines of a CSV file with the keys of the project's first items that answers are judged of."""
    yield csv_line(["key", "author", "text"])
    keys = judgeable(project).order_by("pk").values_list("key", flat=True)[:EXAMPLES] or ["a-1"]
    yield from (csv_line([key, "model-x", "…"]) for key in keys)


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip("_")
