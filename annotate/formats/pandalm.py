"""The labelled pairs of PandaLM's test set, as queries with two responses for the kind `branching`.

The label is the majority of its three annotators; a pair on which all three differ has none. The verdict of one of its
two judges, in one order, is kept as the item's original judgement, with its reason. Both judges' verdicts can be
imported as those of judges by `import_judgements`. Source of the shape: PandaLM (arXiv 2306.05087).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.format import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

NAMES = {"response1": "first", "response2": "second", "motivation_app": "scenario"}
ANNOTATORS = ("annotator1", "annotator2", "annotator3")
LABELS: Mapping[Any, str] = {0: "tie", 1: "first", 2: "second"}
# judge by its name in the option -> (its name, the field of its verdict, the field of its reason)
JUDGES = {
    "pandalm": ("pandalm-7b", "pandalm_result", "pandalm_reason"),
    "gpt35": ("gpt-3.5", "gpt35_result", "gpt35_reason"),
}
JUDGEMENTS: Mapping[Any, str] = {**LABELS, **{str(number): label for number, label in LABELS.items()}, "Tie": "tie"}
OF_JUDGES = {field for _name, *fields in JUDGES.values() for field in fields}
ASIDE = {"idx", "cmp_key", "instruction", "input", *ANNOTATORS, *OF_JUDGES}
MAJORITY = 2
RESPONSES = ("first", "second")


class PandaLmPairs(Format):
    slug = "pandalm"
    name = gettext_lazy("PandaLM: labelled pairs")
    kinds = frozenset({"branching"})
    options = (Option("judgement", gettext_lazy("Import the judgement of"), ("pandalm", "gpt35", "nobody"), "pandalm"),)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        for row in JsonLines().rows(source, {}):
            yield _native(row, options["judgement"]) if isinstance(row, ImportRow) else row


def _native(row: ImportRow, judge: str) -> ImportRow:
    """Missing values, unknown values and values of another type stay unchanged, for the kind to report."""
    value: dict[str, Any] = {NAMES.get(name, name): cell for name, cell in row.value.items() if name not in ASIDE}
    number, query = row.value.get("idx"), _query(row.value)
    if isinstance(number, int | str) and not isinstance(number, bool):
        value["key"] = f"pandalm-{number:0>4}"
    if query is not None:
        value["query"] = query
    if label := _majority(row.value):
        value["human_label"] = label
    if judgement := _judgement(row.value, judge):
        value["original"] = judgement
    # In the published file the answers True and False are booleans.
    words = {name: str(value[name]) for name in RESPONSES if isinstance(value.get(name), bool)}
    noticed = [
        (name, _("is a truth value, not text; it is kept as the word %(word)s.") % {"word": word})
        for name, word in words.items()
    ]
    return ImportRow(row.line, value | words | _authors(row.value.get("cmp_key")), [*row.warnings, *noticed])


def _judgement(value: Mapping[str, Any], judge: str) -> dict[str, str]:
    """The original judgement; none if that judge gave no verdict on the pair, as in “garbage”."""
    name, result, reason = JUDGES.get(judge, ("", "", ""))
    raw_verdict = value.get(result)
    verdict = (
        JUDGEMENTS.get(raw_verdict)
        if isinstance(raw_verdict, int | str) and not isinstance(raw_verdict, bool)
        else None
    )
    if verdict is None:
        return {}
    judgement = {"style": "verdict", "judge": name, "verdict": verdict}
    text = value.get(reason)
    return judgement | ({"text": text} if isinstance(text, str) and text.strip() else {})


def _query(value: Mapping[str, Any]) -> Any:
    """Instruction and input as one text; the raw value if they are not texts."""
    instruction, input_text = value.get("instruction"), value.get("input") or ""
    if isinstance(instruction, str) and isinstance(input_text, str):
        return "\n\n".join(filter(None, [instruction, input_text]))
    return instruction


def _majority(value: Mapping[str, Any]) -> str:
    votes = [value.get(name) for name in ANNOTATORS]
    labels = [LABELS[vote] for vote in votes if isinstance(vote, int) and not isinstance(vote, bool) and vote in LABELS]
    ((label, count),) = Counter(labels).most_common(1) or [("", 0)]
    return label if count >= MAJORITY else ""


def _authors(pair: Any) -> dict[str, str]:
    """The two authors, from two names joined by an underscore."""
    names = pair.split("_") if isinstance(pair, str) else []
    return {"author_first": names[0], "author_second": names[1]} if len(names) == 2 and all(names) else {}


FORMAT = PandaLmPairs()
