"""Leaderboards as pages read them: made once for each state of the project, in a fixed number of queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.models import Project
from judging.models import Judge
from judging.services.leaderboard import Board, GroupValue, board, breakdown
from judging.services.remembering import remembered, states_of
from judging.services.scored_items import COUNTED
from judging.services.scores import Scores, scores


@dataclass(frozen=True)
class Reading:
    """What one judge's verdicts say. state: what they are made of, as one word (remembering.py)."""

    project: Project
    judge: Judge
    state: str

    @cached_property
    def scores(self) -> Scores:
        return remembered("scores", self.state, lambda: scores(self.project, self.judge))

    @cached_property
    def board(self) -> Board:
        return remembered("board", self.state, lambda: board(self.scores))

    @cached_property
    def marked(self) -> Mapping[str, int]:
        """How many counted answers have each mark."""
        return remembered("marked", self.state, self._marked)

    def _marked(self) -> dict[str, int]:
        return {mark: sum(getattr(row, mark) for row in self.scores.rows) for mark in COUNTED}

    def breakdown(self, by: str) -> list[GroupValue]:
        return remembered(f"breakdown:{by}", self.state, lambda: breakdown(self.scores.rows, by))


def readings(project: Project, judges: Sequence[Judge]) -> list[Reading]:
    """One for each judge, in five queries; what was not made before takes five more for each."""
    states = states_of(project, judges)
    return [Reading(project, judge, states[judge.pk]) for judge in judges]
