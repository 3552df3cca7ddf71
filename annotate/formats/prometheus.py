"""Instruction, response, one score and the feedback for it, as items of the kind `branching` with one response.

The names are those of Prometheus's feedback collection (`orig_instruction`, …) or the same without `orig_`. The rubric
is kept with its five score descriptions; a row with a reference answer was judged with it, and says so. Other fields of
such a row are left out. Source of the shape: Prometheus (arXiv 2310.08491).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.foreign_rows import first_of, number, text_of, without_blanks
from annotate.formats.format import Format
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

LOWEST, HIGHEST = 1, 5

SET = "prometheus"  # the judge if a row names none


class Prometheus(Format):
    slug = "prometheus"
    name = gettext_lazy("Prometheus: a score with feedback")
    kinds = frozenset({"branching"})

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        shape = JsonArray() if source.first_character() == b"[" else JsonLines()
        for row in shape.rows(source, {}):
            yield _native(row) if isinstance(row, ImportRow) else row


def _native(row: ImportRow) -> ImportRow:
    """A row without instruction or response stays unchanged, for the kind to report what it lacks."""
    query, response = _field(row.value, "instruction"), _field(row.value, "response")
    if query is None or response is None:
        return row
    facts: dict[str, Any] = {"query": query, "first": response, "original": _original(row.value)}
    key = first_of(row.value, ("key", "id", "idx"))
    if isinstance(key, int | str) and not isinstance(key, bool):
        facts["key"] = key if isinstance(key, str) else f"prometheus-{key:04}"
    author, scenario = first_of(row.value, ("model", "author")), first_of(row.value, ("scenario", "group"))
    return ImportRow(row.line, facts | without_blanks({"author_first": author, "scenario": scenario}), row.warnings)


def _original(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"style": "score", "lowest": LOWEST, "highest": HIGHEST} | without_blanks(
        {
            "judge": first_of(value, ("judge",)) or SET,
            "text": _field(value, "feedback"),
            "score_first": number(_field(value, "score")),
            "rubric": _rubric(value),
            "reference": text_of(_field(value, "reference_answer")) or text_of(first_of(value, ("reference",))),
        }
    )


def _rubric(value: Mapping[str, Any]) -> Any:
    """The criterion and the meaning of each score, one per line; a rubric that is a single text stays unchanged."""
    criterion = _field(value, "criteria") or _field(value, "rubric")
    if not isinstance(criterion, str):
        return criterion
    levels = [(score, _field(value, f"score{score}_description")) for score in range(LOWEST, HIGHEST + 1)]
    return "\n".join([criterion, *(f"{score}: {words}" for score, words in levels if words)])


def _field(value: Mapping[str, Any], name: str) -> Any:
    return first_of(value, (f"orig_{name}", name))


FORMAT = Prometheus()
