"""Labelled pairs of Auto-J, as queries with two responses for the kind `branching`.

Its judge's verdict is kept as the item's original judgement, in words and in both orders. In the published file the
swapped run uses 0 for the response that came first in that run; as verdicts of one of our judges it is imported by
`import_judgements`. Source of the shape: Auto-J (arXiv 2310.05470).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.format import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

NAMES = {"prompt": "query", "response 1": "first", "response 2": "second", "group": "scenario"}
ASIDE = {"row", "label", "scenario", "autoj_output", "autoj_output_swapped_raw"}
LABELS = {0: "first", 1: "second", 2: "tie"}
OTHER_WAY_ROUND = {"first": "second", "second": "first"}


class AutoJPairs(Format):
    slug = "autoj"
    name = gettext_lazy("Auto-J: labelled pairs")
    kinds = frozenset({"branching"})
    options = (
        Option("judgement", gettext_lazy("The judge's verdict"), ("kept", "left aside"), "kept"),
        Option("labels", gettext_lazy("Labels in swapped runs"), ("exchanged", "kept"), "exchanged"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        for row in JsonLines().rows(source, {}):
            yield _native(row, options) if isinstance(row, ImportRow) else row


def _native(row: ImportRow, options: Mapping[str, str]) -> ImportRow:
    """Missing values, unknown values and values of another type stay unchanged, for the kind to report."""
    value: dict[str, Any] = {NAMES.get(name, name): cell for name, cell in row.value.items() if name not in ASIDE}
    number, label = row.value.get("row"), row.value.get("label")
    if isinstance(number, int | str) and not isinstance(number, bool):
        value["key"] = f"autoj-{number:0>4}"
    if label is not None:
        value["human_label"] = LABELS.get(label, label) if isinstance(label, int) else label
    if options["judgement"] == "kept" and (
        judgement := _judgement(row.value, exchanged=options["labels"] == "exchanged")
    ):
        # One pair occurs twice, and the published figures count it twice: the two rows get different keys.
        value["original"] = judgement | ({"source": value["key"]} if "key" in value else {})
    return ImportRow(row.line, value, row.warnings)


def _judgement(value: Mapping[str, Any], *, exchanged: bool) -> dict[str, str]:
    """The original judgement; none if the verdict of the straight run is not one of the three."""
    straight, swapped = (_label(value.get(name)) for name in ("autoj_output", "autoj_output_swapped_raw"))
    if straight is None:
        return {}
    judgement = {"style": "verdict", "judge": "auto-j", "verdict": straight}
    if swapped is not None:
        judgement["swapped"] = OTHER_WAY_ROUND.get(swapped, swapped) if exchanged else swapped
    return judgement


def _label(code: Any) -> str | None:
    return LABELS.get(code) if isinstance(code, int) and not isinstance(code, bool) else None


FORMAT = AutoJPairs()
