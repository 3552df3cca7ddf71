"""Votes about pairs in the plainest shape: one row for what one person, or one judge, said of two answers.

    {"key": "q1", "prompt": "…", "first": {"author": "model-a", "text": "…"},
     "second": {"author": "model-b", "text": "…"}, "rater": "anna", "choice": "first"}

`judge` in place of `rater` (and `strategy`, if the file knows it) is a judge. `swapped`: it saw the second answer
first; what `first` means then is for the option `labels` to say: `kept`, the answer called so here; `exchanged`, the
one that was shown first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.base import Option
from annotate.formats.rows import Row
from judging.formats.base import Said, Side, Vote, Voted
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_GROUP,
    MOST_RATER,
    Bad,
    VoteFormat,
    label_of,
    name_of,
    optional_text,
    text_of,
    unswapped,
    value_of,
)

CHOICES: Mapping[Any, str | None] = {each: each for each in ("first", "second", "tie", "both_bad")}
PEOPLES = {**CHOICES, "cannot_tell": "cannot_tell"}
JUDGES = {**CHOICES, "both_good": "both_good", None: None}
NAMES = {"first": "first.text", "second": "second.text"}
MOST_KEY = 200


class Ratings(VoteFormat):
    slug = "ratings"
    name = gettext_lazy("Ratings: a row for each vote on a pair")
    options = (Option("labels", gettext_lazy("In swapped runs the labels are"), ("exchanged", "kept"), "kept"),)

    def voted(self, row: Row, options: Mapping[str, str]) -> Voted:
        value = row.value
        sides = [_side(value, field) for field in ("first", "second")]
        if sides[0].author == sides[1].author:
            raise Bad("second.author", _("is the author of the first answer too."))
        votes, said = _who_said(value, exchanged=options["labels"] == "exchanged")
        return Voted(
            line=row.line,
            key=name_of(value, "key", MOST_KEY),
            facts={"prompt": text_of(value, "prompt"), "first": sides[0].text, "second": sides[1].text},
            sides=sides,
            group=name_of(value, "group", MOST_GROUP) if value.get("group") else "",
            votes=votes,
            said=said,
            names=NAMES,
        )


def _side(value: Mapping[str, Any], field: str) -> Side:
    found = value_of(value, field)
    if not isinstance(found, dict):
        raise Bad(field, _('must be an object such as {"author": "model-a", "text": "…"}.'))
    try:
        return Side(name_of(found, "author"), text_of(found, "text"))
    except Bad as bad:
        raise Bad(f"{field}.{bad.path}", str(bad)) from None


def _who_said(value: Mapping[str, Any], *, exchanged: bool) -> tuple[Sequence[Vote], Sequence[Said]]:
    if ("rater" in value) == ("judge" in value):
        raise Bad("rater", _("a row must name a rater or a judge, and not both."))
    is_swapped, reason = _flag(value, "swapped"), optional_text(value, "reason")
    is_exchanged = is_swapped and exchanged
    if "judge" in value:
        choice = unswapped(label_of(value, "choice", JUDGES), exchanged=is_exchanged)
        asked = name_of(value, "strategy", 80) if value.get("strategy") else "pairwise"
        judge = name_of(value, "judge", MOST_AUTHOR)
        return [], [Said(judge, asked, path="choice", choice=choice, swapped=is_swapped, reason=reason)]
    choice = unswapped(label_of(value, "choice", PEOPLES), exchanged=is_exchanged)
    draft = {"choice": choice, "reason": reason, "recognised": _flag(value, "recognised")}
    return [Vote(name_of(value, "rater", MOST_RATER), draft)], []


def _flag(value: Mapping[str, Any], field: str) -> bool:
    found = value.get(field, False)
    if not isinstance(found, bool):
        raise Bad(field, _("must be true or false."))
    return found


FORMAT = Ratings()
