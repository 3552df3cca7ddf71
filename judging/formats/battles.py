"""Battles of two models: `left`, `right`, and the winner; CSV or JSON lines. Other columns are not read.

A row may name its item (`key`), the request (`prompt`), the two answers (`left_text`, `right_text`), the `group`, and
the rater (`rater` or `judge`). A row without a key is an item of its own, named by its line, so that only one such file
fits into a project.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_GROUP,
    MOST_RATER,
    VoteFormat,
    name_of,
    optional_text,
    sides,
    vote_or_statement,
)
from judging.formats.format import Voted

NAMES = {"first": "left_text", "second": "right_text"}
SOMEBODY = "file"
MOST_KEY = 200


class BattleFormat(VoteFormat):
    slug = "battles"
    name = gettext_lazy("Battles: one row per win between two models")
    tables = True

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        prompt = optional_text(value, "prompt") or f"Battle {row.line}: the file holds no texts."
        votes, verdicts = vote_or_statement(value, _who(value))
        return Voted(
            line=row.line,
            key=name_of(value, "key", MOST_KEY) if value.get("key") else f"battle-{row.line:06}",
            facts={"prompt": prompt, **{fact: optional_text(value, column) for fact, column in NAMES.items()}},
            sides=sides(value, [optional_text(value, column) for column in NAMES.values()]),
            group=name_of(value, "group", MOST_GROUP) if value.get("group") else "",
            votes=votes,
            said=verdicts,
            names=NAMES,
        )


def _who(value: Mapping[str, Any]) -> tuple[str, bool]:
    if value.get("judge"):
        return name_of(value, "judge", MOST_AUTHOR), True
    return (name_of(value, "rater", MOST_RATER) if value.get("rater") else SOMEBODY), False


FORMAT = BattleFormat()
