"""The published use cases of URS: a CSV table, with or without a byte order mark, or the same rows as JSON lines.

Names and values stay the published ones, which the kind `use_case` knows; `row` becomes the key. The cases were vetted
before publication: imported as final, they are kept, harmless and without personal data. Source of the shape: URS
(arXiv 2404.13940), the table of its repository.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.csv_table import CsvTable
from annotate.formats.format import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

VETTED = {"keep": True, "drop_reason": "", "personal_data": False, "harmless": True}
UNDECIDED: dict[str, Any] = {"keep": None, "drop_reason": "", "personal_data": None, "harmless": None}
# field of a draft -> published field of its initial value
BEGUN = {"first_question": "question", "intent": "user_intent", "reference": "reference_ans"}
RATINGS = ("difficulty", "satisfaction")  # a table writes them as text


class Urs(Format):
    slug = "urs"
    name = gettext_lazy("URS use cases, as published")
    kinds = frozenset({"use_case"})
    options = (
        Option("as", gettext_lazy("Treat intents and references as"), ("facts", "suggestion", "final"), "suggestion"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        lines = source.first_character() in (b"{", b"[")
        rows = JsonLines().rows(source, {}) if lines else CsvTable().rows(source, {"separator": "comma"})
        for row in rows:
            yield _native(row, options["as"]) if isinstance(row, ImportRow) else row


def _native(row: ImportRow, taken_as: str) -> ImportRow:
    value = {name: cell for name, cell in row.value.items() if name != "row"}
    number = row.value.get("row")
    if isinstance(number, int | str) and not isinstance(number, bool) and "key" not in value:
        value = {"key": f"urs-{number:0>4}"} | value
    value |= {name: int(value[name]) for name in RATINGS if str(value.get(name)).isdecimal()}
    if taken_as == "facts" or not isinstance(value.get("question"), str):
        return ImportRow(row.line, value, row.warnings)
    begun = {field: value.get(name) or "" for field, name in BEGUN.items()}
    decided = VETTED if taken_as == "final" else UNDECIDED
    return ImportRow(row.line, {**decided, **begun} | value, row.warnings)


FORMAT = Urs()
