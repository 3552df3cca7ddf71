"""The labelled pairs of PandaLM's test set, as queries with two responses for the kind `branching`.

The label is what most of its three annotators say; a pair about which all three differ has none. What one of its two
judges said, in one order, is kept as the item's original judgement: a verdict with its reason. As verdicts of judges of
ours both come in by `import_judgements`. Source of the shape: PandaLM (arXiv 2306.05087).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.base import Format, Option
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source

NAMES = {"response1": "first", "response2": "second", "motivation_app": "scenario"}
ANNOTATORS = ("annotator1", "annotator2", "annotator3")
LABELS: Mapping[Any, str] = {0: "tie", 1: "first", 2: "second"}
# judge as the option calls it -> (its name, its verdict, its reason)
JUDGES = {
    "pandalm": ("pandalm-7b", "pandalm_result", "pandalm_reason"),
    "gpt35": ("gpt-3.5", "gpt35_result", "gpt35_reason"),
}
SAID: Mapping[Any, str] = {**LABELS, **{str(number): label for number, label in LABELS.items()}, "Tie": "tie"}
OF_JUDGES = {field for _name, *fields in JUDGES.values() for field in fields}
ASIDE = {"idx", "cmp_key", "instruction", "input", *ANNOTATORS, *OF_JUDGES}
MAJORITY = 2
RESPONSES = ("first", "second")


class PandaLmPairs(Format):
    slug = "pandalm"
    name = gettext_lazy("PandaLM: labelled pairs")
    kinds = frozenset({"branching"})
    options = (Option("judgement", gettext_lazy("Keep the judgement of"), ("pandalm", "gpt35", "nobody"), "pandalm"),)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        for row in JsonLines().rows(source, {}):
            yield _native(row, options["judgement"]) if isinstance(row, Row) else row


def _native(row: Row, judge: str) -> Row:
    """What is missing, of another type or unknown stays so, for the kind to say."""
    value: dict[str, Any] = {NAMES.get(name, name): cell for name, cell in row.value.items() if name not in ASIDE}
    number, query = row.value.get("idx"), _query(row.value)
    if isinstance(number, int | str) and not isinstance(number, bool):
        value["key"] = f"pandalm-{number:0>4}"
    if query is not None:
        value["query"] = query
    if label := _majority(row.value):
        value["human_label"] = label
    if judgement := _said(row.value, judge):
        value["original"] = judgement
    # The published file has read the answers True and False as truth values.
    words = {name: str(value[name]) for name in RESPONSES if isinstance(value.get(name), bool)}
    noticed = [
        (name, _("is a truth value, not text; it is kept as the word %(word)s.") % {"word": word})
        for name, word in words.items()
    ]
    return Row(row.line, value | words | _authors(row.value.get("cmp_key")), [*row.warnings, *noticed])


def _said(value: Mapping[str, Any], judge: str) -> dict[str, str]:
    """The original judgement; nothing where that judge said nothing about the pair, as in “garbage”."""
    name, result, reason = JUDGES.get(judge, ("", "", ""))
    raw_verdict = value.get(result)
    verdict = (
        SAID.get(raw_verdict) if isinstance(raw_verdict, int | str) and not isinstance(raw_verdict, bool) else None
    )
    if verdict is None:
        return {}
    judgement = {"style": "verdict", "judge": name, "verdict": verdict}
    text = value.get(reason)
    return judgement | ({"text": text} if isinstance(text, str) and text.strip() else {})


def _query(value: Mapping[str, Any]) -> Any:
    """Instruction and input as one text; whatever stands there where they are no texts."""
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
    """Of two names joined by an underscore."""
    names = pair.split("_") if isinstance(pair, str) else []
    return {"author_first": names[0], "author_second": names[1]} if len(names) == 2 and all(names) else {}


FORMAT = PandaLmPairs()
