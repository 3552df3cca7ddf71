"""Battles of two models: `left`, `right`, and the winner; CSV or JSON lines. Other columns are not read.

A row may name its item (`key`), the request (`prompt`), the two answers (`left_text`, `right_text`), the `group`, and
the rater (`rater` or `judge`). A row without a key is an item of its own, named by its line, so that only one such file
fits into a project.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow
from judging.formats.base import AnswerSide, FileVote, JudgeStatement, Voted
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_GROUP,
    MOST_RATER,
    BadVoteValue,
    VoteFormat,
    label_of,
    name_of,
    optional_text,
)
from lib.texts.stored_sentences import say as _

WINNERS: Mapping[Any, str | None] = {"left": "first", "right": "second", "tie": "tie"}
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


def sides(value: Mapping[str, Any], texts: list[str]) -> list[AnswerSide]:
    """The models on the left and on the right, without texts if neither has one. Raises BadVoteValue if equal."""
    names = [name_of(value, column, MOST_AUTHOR) for column in ("left", "right")]
    if names[0] == names[1]:
        raise BadVoteValue("right", _("is also the model on the left."))
    side_texts: list[str] | list[None] = texts if any(texts) else [None, None]
    return [AnswerSide(name, text) for name, text in zip(names, side_texts, strict=True)]


def vote_or_statement(value: Mapping[str, Any], who: tuple[str, bool]) -> tuple[list[FileVote], list[JudgeStatement]]:
    """The winner as a vote of this rater or a verdict of this judge. who: the name, and whether it is a judge."""
    choice = label_of(value, "winner", WINNERS)
    name, by_judge = who
    if by_judge:
        return [], [JudgeStatement(name, "pairwise", path="winner", choice=choice)]
    return [FileVote(name, {"choice": choice, "reason": "", "recognised": False})], []


def _who(value: Mapping[str, Any]) -> tuple[str, bool]:
    if value.get("judge"):
        return name_of(value, "judge", MOST_AUTHOR), True
    return (name_of(value, "rater", MOST_RATER) if value.get("rater") else SOMEBODY), False


FORMAT = BattleFormat()
