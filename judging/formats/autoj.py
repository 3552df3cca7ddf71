"""Pairs of Auto-J: one human label each, and the judge's choices in both orders.

In the published file the swapped run's labels refer to the order in which that run saw the answers (they are not
un-swapped): 0 is whichever answer came first. Source: Auto-J (arXiv 2310.05470).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.format import Option
from annotate.formats.rows import ImportRow
from judging.formats.fields import MOST_GROUP, VoteFormat, label_of, name_of, number_of, text_of, unswapped
from judging.formats.format import AnswerSide, FileVote, JudgeStatement, Voted

LABELS = {0: "first", 1: "second", 2: "tie"}
SAID: Mapping[Any, str | None] = {**LABELS, None: None}
RESPONSES = ("response 1", "response 2")
STRAIGHT, SWAPPED = "autoj_output", "autoj_output_swapped_raw"
RATER = "annotator"  # the file names nobody
NAMES = {"first": RESPONSES[0], "second": RESPONSES[1]}


class AutoJ(VoteFormat):
    slug = "autoj"
    kinds = frozenset({"preference", "branching"})
    whole = True
    name = gettext_lazy("Auto-J: one label and a judge in both orders")
    options = (Option("labels", gettext_lazy("Labels in swapped runs"), ("exchanged", "kept"), "exchanged"),)

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        texts = [text_of(value, field) for field in RESPONSES]
        return Voted(
            line=row.line,
            key=f"autoj-{number_of(value, 'row'):04}",
            facts={"prompt": text_of(value, "prompt"), "first": texts[0], "second": texts[1]},
            sides=[AnswerSide(field, text) for field, text in zip(RESPONSES, texts, strict=True)],
            group=name_of(value, "group", MOST_GROUP),
            votes=[FileVote(RATER, {"choice": label_of(value, "label", LABELS), "reason": "", "recognised": False})],
            said=list(_statements(value, exchanged=options["labels"] == "exchanged")),
            names=NAMES,
        )


def _statements(value: Mapping[str, Any], *, exchanged: bool) -> Iterator[JudgeStatement]:
    yield JudgeStatement("auto-j", "pairwise", path=STRAIGHT, choice=label_of(value, STRAIGHT, SAID))
    if SWAPPED in value:
        choice = unswapped(label_of(value, SWAPPED, SAID), exchanged=exchanged)
        yield JudgeStatement("auto-j", "pairwise", path=SWAPPED, choice=choice, swapped=True)


FORMAT = AutoJ()
