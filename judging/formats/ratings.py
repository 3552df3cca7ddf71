"""Votes about answers in the plainest shape: a row for the vote of a person or a judge on a pair or on one answer.

    {"key": "q1", "prompt": "…", "first": {"author": "model-a", "text": "…"},
     "second": {"author": "model-b", "text": "…"}, "rater": "anna", "choice": "first"}
    {"key": "q2", "prompt": "…", "answer": {"author": "model-a", "text": "…"},
     "rater": "anna", "scores": {"Clarity": 4}}

`judge` instead of `rater` (and `strategy`, if the file has it) marks a judge. `swapped`: it saw the second answer
first. The option `labels` says what `first` then means: `kept`, the answer called so here; `exchanged`, the one that
was shown first. `prompt` and every `text` may be missing together: such rows are ratings that nobody can judge again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.format import Option
from annotate.formats.rows import ImportRow
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_GROUP,
    MOST_RATER,
    VoteFormat,
    checked_name,
    flag_of,
    label_of,
    name_of,
    optional_text,
    text_of,
    unswapped,
    value_of,
)
from judging.formats.format import AnswerSide, BadJudgementValue, FileVote, JudgeStatement, Voted
from lib.texts.stored_sentences import say as _

CHOICES: Mapping[Any, str | None] = {choice: choice for choice in ("first", "second", "tie", "both_bad")}
PEOPLES = {**CHOICES, "cannot_tell": "cannot_tell"}
JUDGES = {**CHOICES, "both_good": "both_good", None: None}
NAMES = {"first": "first.text", "second": "second.text", "answer": "answer.text"}
MOST_KEY, MOST_STRATEGY = 200, 80
VotesAndStatements = tuple[Sequence[FileVote], Sequence[JudgeStatement]]


class RatingsFormat(VoteFormat):
    slug = "ratings"
    name = gettext_lazy("Ratings: one row per vote on a pair or an answer")
    kinds = frozenset({"preference", "score_vote", "branching"})
    options = (Option("labels", gettext_lazy("Labels in swapped runs"), ("exchanged", "kept"), "kept"),)

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        fields = ["answer"] if "answer" in value else ["first", "second"]
        sides = [_side(value, field) for field in fields]
        if len({side.author for side in sides}) < len(sides):
            raise BadJudgementValue("second.author", _("is also the author of the first answer."))
        text_flags = [side.text is not None for side in sides]
        if any(text_flags) and not all(text_flags):
            raise BadJudgementValue(f"{fields[text_flags.index(False)]}.text", _("is missing."))
        texts = {field: side.text for field, side in zip(fields, sides, strict=True)}
        votes, judgements = (
            _scored(value) if "answer" in value else _pair_votes(value, options["labels"] == "exchanged")
        )
        return Voted(
            line=row.line,
            key=name_of(value, "key", MOST_KEY),
            facts={"prompt": text_of(value, "prompt"), **texts} if all(text_flags) else _unknown(value, fields),
            sides=sides,
            group=name_of(value, "group", MOST_GROUP) if value.get("group") else "",
            votes=votes,
            said=judgements,
            names=NAMES,
        )


def _unknown(value: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """Facts of an item whose texts the file does not hold; a score vote needs some text to show."""
    notice = f"{name_of(value, 'key', MOST_KEY)}: the file of votes holds no texts."
    prompt = optional_text(value, "prompt") or notice
    return {"prompt": prompt, **{field: notice if field == "answer" else "" for field in fields}}


def _side(value: Mapping[str, Any], field: str) -> AnswerSide:
    side_value = value_of(value, field)
    if not isinstance(side_value, dict):
        raise BadJudgementValue(field, _('must be an object such as {"author": "model-a", "text": "…"}.'))
    try:
        return AnswerSide(name_of(side_value, "author"), text_of(side_value, "text") if "text" in side_value else None)
    except BadJudgementValue as bad:
        raise BadJudgementValue(f"{field}.{bad.path}", str(bad)) from None


def _pair_votes(value: Mapping[str, Any], is_exchanged: bool) -> VotesAndStatements:
    """The votes of a row on a pair."""
    is_swapped, reason = flag_of(value, "swapped"), optional_text(value, "reason")
    rater, by_judge = _who(value)
    choice = label_of(value, "choice", JUDGES if by_judge else PEOPLES)
    choice = unswapped(choice, exchanged=is_swapped and is_exchanged)
    if by_judge:
        return [], [
            JudgeStatement(
                rater, _strategy_name(value), path="choice", choice=choice, swapped=is_swapped, reason=reason
            )
        ]
    return [FileVote(rater, {"choice": choice, "reason": reason, "recognised": flag_of(value, "recognised")})], []


def _scored(value: Mapping[str, Any]) -> VotesAndStatements:
    """The scores of a row for one answer. null: a person could not tell, or a judge's reply was unreadable."""
    all_scores = _scores(value)
    rater, by_judge = _who(value)
    reason = optional_text(value, "reason")
    numbers = {name: score for name, score in all_scores.items() if score is not None}
    if by_judge:
        called = numbers if len(all_scores) > 1 else dict(zip([""], numbers.values(), strict=False))
        return [], [JudgeStatement(rater, _strategy_name(value), path="scores", scores=called, reason=reason)]
    untold = [name for name in all_scores if name not in numbers]
    scores = {name: int(score) if score.is_integer() else score for name, score in numbers.items()}
    draft = {"scores": scores, "cannot_tell": untold, "reason": reason, "recognised": flag_of(value, "recognised")}
    return [FileVote(rater, draft)], []


def _scores(value: Mapping[str, Any]) -> dict[str, float | None]:
    scores = value_of(value, "scores")
    if not isinstance(scores, dict) or not scores:
        raise BadJudgementValue("scores", _('must be an object such as {"Clarity": 4}.'))
    return {checked_name(name, "scores", MOST_AUTHOR): _score(score, name) for name, score in scores.items()}


def _score(score: Any, name: str) -> float | None:
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise BadJudgementValue(f"scores.{name}", _("must be a number or null."))
    return None if score is None else float(score)


def _who(value: Mapping[str, Any]) -> tuple[str, bool]:
    """The rater's name, and whether it is a judge."""
    if ("rater" in value) == ("judge" in value):
        raise BadJudgementValue("rater", _("a row must name either a rater or a judge."))
    by_judge = "judge" in value
    return (name_of(value, "judge", MOST_AUTHOR) if by_judge else name_of(value, "rater", MOST_RATER)), by_judge


def _strategy_name(value: Mapping[str, Any]) -> str:
    """How the judge was asked, as far as the file knows."""
    if value.get("strategy"):
        return name_of(value, "strategy", MOST_STRATEGY)
    return "single" if "answer" in value else "pairwise"


FORMAT = RatingsFormat()
