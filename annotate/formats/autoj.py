"""Labelled pairs of Auto-J, as queries with two responses for the kind `branching`.

What its judge said is left aside: judgements of others come in by `import_judgements`.
Source of the shape: Auto-J (arXiv 2310.05470).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.base import Format
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source

NAMES = {"prompt": "query", "response 1": "first", "response 2": "second", "group": "scenario"}
ASIDE = {"row", "label", "scenario", "autoj_output", "autoj_output_swapped_raw"}
LABELS = {0: "first", 1: "second", 2: "tie"}


class AutoJPairs(Format):
    slug = "autoj"
    name = gettext_lazy("Auto-J: labelled pairs")
    kinds = frozenset({"branching"})

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        for each in JsonLines().rows(source, {}):
            yield _native(each) if isinstance(each, Row) else each


def _native(row: Row) -> Row:
    """What is missing, of another type or unknown stays so, for the kind to say."""
    value: dict[str, Any] = {NAMES.get(name, name): given for name, given in row.value.items() if name not in ASIDE}
    number, label = row.value.get("row"), row.value.get("label")
    if isinstance(number, int | str) and not isinstance(number, bool):
        value["key"] = f"autoj-{number:0>4}"
    if label is not None:
        value["human_label"] = LABELS.get(label, label) if isinstance(label, int) else label
    return Row(row.line, value, row.warnings)


FORMAT = AutoJPairs()
