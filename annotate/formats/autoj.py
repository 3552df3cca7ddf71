"""Labelled pairs of Auto-J, as queries with two responses for the kind `branching`.

What its judge said is kept as the item's original judgement, a verdict in words in both orders. In the published file
the swapped run calls whichever stood first 0; as verdicts of a judge of ours it comes in by `import_judgements`.
Source of the shape: Auto-J (arXiv 2310.05470).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.base import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
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
        Option("labels", gettext_lazy("In swapped runs the labels are"), ("exchanged", "kept"), "exchanged"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        for row in JsonLines().rows(source, {}):
            yield _native(row, options) if isinstance(row, Row) else row


def _native(row: Row, options: Mapping[str, str]) -> Row:
    """What is missing, of another type or unknown stays so, for the kind to say."""
    value: dict[str, Any] = {NAMES.get(name, name): cell for name, cell in row.value.items() if name not in ASIDE}
    number, label = row.value.get("row"), row.value.get("label")
    if isinstance(number, int | str) and not isinstance(number, bool):
        value["key"] = f"autoj-{number:0>4}"
    if label is not None:
        value["human_label"] = LABELS.get(label, label) if isinstance(label, int) else label
    if options["judgement"] == "kept" and (judgement := _said(row.value, exchanged=options["labels"] == "exchanged")):
        # One pair stands there twice, and the published figures count it twice: the rows are told apart.
        value["original"] = judgement | ({"source": value["key"]} if "key" in value else {})
    return Row(row.line, value, row.warnings)


def _said(value: Mapping[str, Any], *, exchanged: bool) -> dict[str, str]:
    """The original judgement; nothing where the straight run says none of the three."""
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
