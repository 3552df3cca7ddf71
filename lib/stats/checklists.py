"""Checklists: item statistics of a yes/no question over the judged answers, scores of an answer, too easy items."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from lib.stats.correlation import pearson
from lib.stats.intervals import wilson

Met = Sequence[bool | None]  # one entry per answer; None: no verdict


@dataclass(frozen=True)
class QuestionFigure:
    """value: None where undefined; then note gives the reason. n: answers (or pairs) that it is based on."""

    value: float | None
    n: int
    note: str = ""


@dataclass(frozen=True)
class QuestionShare:
    """met of n answers. low, high: 95 % interval, 0..1; None like value where n is 0. skipped: without a verdict."""

    value: float | None
    met: int
    n: int
    low: float | None = None
    high: float | None = None
    skipped: int = 0


def share_met(verdicts: Met) -> QuestionShare:
    """Share of answers that meet the question, with its Wilson interval."""
    known_verdicts = [verdict for verdict in verdicts if verdict is not None]
    n, met, skipped = len(known_verdicts), sum(known_verdicts), len(verdicts) - len(known_verdicts)
    interval = wilson(met, n)
    return (
        QuestionShare(met / n, met, n, *interval, skipped) if interval else QuestionShare(None, 0, 0, skipped=skipped)
    )


def discrimination(question: Met, other_questions: Sequence[Met]) -> QuestionFigure:
    """Corrected item–total correlation, -1..1: do answers that meet the rest of the checklist meet this one?

    other_questions: the other questions, over the same answers. The total is the share met of those with a verdict,
    without the question itself. An answer with one unknown side is left out. Undefined for a single question, for
    fewer than three answers, and where one side never varies.
    """
    if not other_questions:
        return QuestionFigure(None, 0, "alone")
    rows = [
        (float(verdict), total)
        for index, verdict in enumerate(question)
        if verdict is not None
        and (total := _share([other_question[index] for other_question in other_questions])) is not None
    ]
    return _correlation(rows)


def against(question: Met, other_question: Met) -> QuestionFigure:
    """Phi coefficient with another question, -1..1: -1 if exactly those answers meet it that miss the other."""
    rows = [
        (float(verdict), float(two))
        for verdict, two in zip(question, other_question, strict=True)
        if verdict is not None and two is not None
    ]
    return _correlation(rows)


def agreement(judges: Sequence[Met]) -> QuestionFigure:
    """Share of judge pairs with equal verdicts on an answer, over all answers; 0..1. n of the figure counts pairs.

    judges: the verdicts of each judge on the same answers. Undefined where no answer was judged by two.
    """
    pairs = [
        (first_verdict, second_verdict)
        for verdicts in zip(*judges, strict=True)
        for first_verdict, second_verdict in combinations([verdict for verdict in verdicts if verdict is not None], 2)
    ]
    if not pairs:
        return QuestionFigure(None, 0, "one judge")
    return QuestionFigure(
        sum(first_verdict == second_verdict for first_verdict, second_verdict in pairs) / len(pairs), len(pairs)
    )


def _share(verdicts: Met) -> float | None:
    known_verdicts = [verdict for verdict in verdicts if verdict is not None]
    return sum(known_verdicts) / len(known_verdicts) if known_verdicts else None


def _correlation(rows: Sequence[tuple[float, float]]) -> QuestionFigure:
    n = len(rows)
    if n < 3:
        return QuestionFigure(None, n, "too few")
    left, right = zip(*rows, strict=True)
    if len(set(left)) == 1:
        return QuestionFigure(None, n, "always" if left[0] else "never")
    if len(set(right)) == 1:
        return QuestionFigure(None, n, "rest")
    return QuestionFigure(pearson(left, right).value, n)


# Scores of one answer from the questions that it meets.


RULES = ("weights", "any", "all")


def score(met: Collection[int], weights: Sequence[float | None], rule: str) -> float:
    """Score of one answer, 0..1 where the weights sum to 1.

    met: indices (from 0) of the questions that are met, without questions that have no verdict.
    weights: one a question, None where questions have none; rule: one of RULES. Raises ValueError for another rule.
    Without questions every rule gives 0, because nothing is met.
    Source: FB-Bench (arXiv 2410.09412); `any` is what its published figures do, `all` what its formula says.
    """
    if rule == "weights":
        return math.fsum(weights[index] or 0.0 for index in met)
    if rule == "any":
        return float(bool(met))
    if rule == "all":
        return float(bool(weights) and len(met) == len(weights))
    raise ValueError(f"There is no rule {rule!r}; rules: {', '.join(RULES)}.")


def what_if(met: Collection[int], weights: Sequence[float | None]) -> dict[str, float]:
    """The score under every rule possible for the checklist: by weights where it has them, else any and all."""
    rules = ("any", "all") if all(weight is None for weight in weights) else ("weights",)
    return {rule: score(met, weights, rule) for rule in rules}


NEAR = 0.001  # how far weights of a checklist may be from adding up to 1


def too_easy(scores: Mapping[str, Sequence[float | None]], authors: Sequence[str], threshold: float) -> bool | None:
    """True where every score of every author reaches the threshold.

    scores: author -> scores of all their samples, 0..1, None where a call failed or a reply could not be read;
    authors that are not in `authors` are ignored. threshold: 0..1.
    None where it is unknown: an author has no score, and no score is below the threshold. False takes precedence over
    None, because one score below the threshold decides.
    """
    if not authors:
        return None
    author_scores = [list(scores.get(author, ())) or [None] for author in authors]
    flat = [score for samples in author_scores for score in samples]
    if any(score is not None and score < threshold - NEAR for score in flat):
        return False
    return None if any(score is None for score in flat) else True
