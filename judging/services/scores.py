"""Scores of answers by one judge, as every report reads them: newest verdicts, outdated ones left out and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Project
from judging.models import Judge


@dataclass(frozen=True)
class Scored:
    """One answer as one judge scored it.

    score: 0..1 by the item's rule; 0.0 where the call failed or nothing could be read (`failed`), as the published
    averages count it. what_if: the same under every rule that the item could have: rule -> score.
    labels: division -> values of the item, such as `task` -> ("Coding",).
    """

    author: str
    item_id: int
    answer_id: int
    verdict_id: int | None  # None where a job failed and left no verdict
    scenario: str
    labels: Mapping[str, Sequence[str]]
    score: float
    failed: bool = False
    flagged: bool = False  # joined to the checklist other than word for word
    what_if: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Scores:
    """outdated: verdicts about an older answer or an item that has changed since; unjudged: current answers without."""

    judge: Judge
    rows: Sequence[Scored]
    outdated: int = 0
    unjudged: int = 0


def judges(project: Project) -> Sequence[Judge]:
    """Those with verdicts about single answers, the one with most of them first."""
    raise NotImplementedError


def scores(project: Project, judge: Judge) -> Scores:
    """Every current answer that this judge has judged, in a fixed number of queries."""
    raise NotImplementedError
