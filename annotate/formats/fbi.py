"""The published tuples of FBI: JSON lines, or a tab-separated table with a header, its columns in any order.

Names and values stay the published ones, which the kind `perturbation` knows. Tables do not contain ability and
category: the number of a tuple gives them (`lf-19_formatting-errors`), unless the table has columns `task` and
`category`. Every tuple is kept. A tuple whose texts occurred before, or whose gold and perturbed texts are equal, gets
a warning. Source of the shape: FBI (arXiv 2406.13439), assets of its repository.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.csv_table import CsvTable
from annotate.formats.format import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source
from lib.texts.stored_sentences import say as _

GOLD, PERTURBED = "og", "perturbed_gpt4"
TEXTS = ("question", GOLD, PERTURBED)
INVARIANT = "score-invariant"
# Files of the long form whose changes should not affect a score: most rows are in the score-invariant files too.
INVARIANT_CATEGORIES = {"formatting-errors", "superficial-errors"}
# Tuple numbers begin with a short name of the ability.
ABILITIES = {"lf": "long-form", "factual": "factual", "if": "instruction-following", "reasoning": "reasoning"}
# Tuple numbers of the other abilities end with their category; those of score-invariant tuples have no ending.
CATEGORIES = {
    "assumption": "assumption-errors",
    "do_less": "do-less-errors",
    "do_more": "do-more-errors",
    "format": "ignore-format-errors",
    "sequence": "incorrect-sequence-errors",
}
REMEMBERED = 200_000  # tuples of a file that later ones are compared with; limited to keep memory small

SeenTuples = dict[bytes, tuple[int, str]]  # digest of the texts -> line and key of the first tuple with them


class Fbi(Format):
    slug = "fbi"
    name = gettext_lazy("FBI tuples, as published")
    kinds = frozenset({"perturbation"})
    endings = (".tsv",)
    options = (
        Option("as", gettext_lazy("Treat the published answers as"), ("facts", "suggestion", "final"), "suggestion"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """Native rows. As final they have the verdict with which they were published: valid, or score invariant."""
        lines = source.first_character() == b"{"
        rows = JsonLines().rows(source, {}) if lines else CsvTable().rows(source, {"separator": "tab"})
        lines_by_digest: SeenTuples = {}
        for row in rows:
            yield _native(row, options["as"], lines_by_digest) if isinstance(row, ImportRow) else row


def _native(row: ImportRow, taken_as: str, lines_by_digest: SeenTuples) -> ImportRow:
    value = _labelled(row.value)
    if taken_as == "facts":
        value = {name: value[name] for name in value if name != PERTURBED}
    elif taken_as == "final":
        is_invariant = value.get("task") == INVARIANT or value.get("category") in INVARIANT_CATEGORIES
        value = {"verdict": "score_invariant" if is_invariant else "valid", "note": ""} | value
    return ImportRow(row.line, value, list(_warnings(row.line, value, lines_by_digest)))


def _labelled(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with ability and category, and with an empty gold answer if its cell was empty."""
    ability, category = _from_number(row.get("cdx"))
    labels = {"task": ability, "category": category, GOLD: ""}
    return {name: value for name, value in labels.items() if name == GOLD or value} | dict(row)


def _from_number(cdx: Any) -> tuple[str, str]:
    """(ability, category) from a tuple's number; empty if the number does not contain them."""
    if not isinstance(cdx, str):
        return "", ""
    prompt, _line, category = cdx.partition("_")
    ability = ABILITIES.get(prompt.partition("-")[0], "")
    if ability and not category:
        return INVARIANT, "score_invariant"
    return ability, CATEGORIES.get(category, category)


def _warnings(line: int, value: Mapping[str, Any], lines_by_digest: SeenTuples) -> Iterator[tuple[str, str]]:
    texts = [value.get(name) for name in TEXTS]
    if not all(isinstance(text, str) for text in texts):
        return
    if value[GOLD] == value[PERTURBED]:
        yield PERTURBED, _("The perturbed answer is the gold answer.")
    digest = hashlib.blake2b("\0".join(map(str, texts)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = f"{value.get('category')}/{value.get('cdx')}"
    if digest in lines_by_digest:
        position = {"line": lines_by_digest[digest][0], "key": lines_by_digest[digest][1]}
        yield "", _("The same texts stand in line %(line)s already, as “%(key)s”; both are kept.") % position
    elif len(lines_by_digest) < REMEMBERED:
        lines_by_digest[digest] = line, key


FORMAT = Fbi()
