"""Figures of as many models as wanted, without a single verdict: their pages are weighed, not their arithmetic."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from judging.ratings.leaderboards import (
    AuthorStanding,
    Bounds,
    GroupCell,
    GroupValue,
    JudgeReading,
    Leaderboard,
    table_of,
)
from lib.stats.averages import OVERALL
from lib.stats.bootstrap import MeanDifference
from lib.stats.figures import Figure
from lib.stats.prediction_powered import CorrectedMean, LabelledRow
from lib.stats.ranking.standings import RankedModel

SCENARIOS = ("error_correction", "response_maintenance")
GROUPS = ("Code", "Extraction", "Following", "Knowledge", "Maths", "Reasoning", "Roles", "Safety", "Style", "Writing")


def names_of(models: int) -> list[str]:
    """The best first, which is the one with the highest number."""
    return [f"author {number:03}" for number in reversed(range(models))]


def share(number: int, models: int) -> float:
    return (number + 0.5) / models


class GeneratedReading(JudgeReading):
    """A reading of generated figures: author n of N has n/N everywhere, but (N - n)/N in the group `Writing`."""

    models = 1000

    @cached_property
    def board(self) -> Leaderboard:
        columns = (*SCENARIOS, OVERALL)
        standings = []
        for place, name in enumerate(names_of(self.models), start=1):
            value = share(self.models - place, self.models)
            values = dict.fromkeys(columns, value)
            intervals = dict.fromkeys(columns, self._around(value))
            weighted = {"weights": dict.fromkeys(columns, value / 2)}
            standings.append(AuthorStanding(name, 20, 1, 1, values, intervals, (place, place + 9), weighted))
        return Leaderboard(self.judge, columns, standings, table_of(()))

    @cached_property
    def marked(self) -> Mapping[str, int]:
        return {"failed": self.models, "unparsed": 0, "flagged": self.models}

    def difference(self, first: str, second: str) -> list[MeanDifference]:
        return []

    def breakdown(self, by: str) -> list[GroupValue]:
        return [
            GroupValue(name, OVERALL, group, 12, 1 - value if group == GROUPS[-1] else value)
            for group in GROUPS
            for name, value in ((row.author, row.values[OVERALL] or 0.0) for row in self.board.standings)
        ]

    def breakdown_intervals(self, by: str) -> Mapping[GroupCell, Bounds | None]:
        return {(row.author, row.scenario, row.group): self._around(row.value) for row in self.breakdown(by)}

    @staticmethod
    def _around(value: float) -> Bounds:
        return max(value - 0.05, 0.0), min(value + 0.05, 1.0)


def corrected_rows(models: int) -> Sequence[LabelledRow]:
    """The best first; author n of N has a mean of n/N, and by labels alone (N - n)/N."""
    rows = []
    for place, name in enumerate(names_of(models), start=1):
        value = share(models - place, models)
        figures = [Figure(mean, 20, mean - 0.05, mean + 0.05) for mean in (value, 1 - value, value)]
        mean = CorrectedMean(*figures, weight=0.5, worth=1.5)
        rows.append(LabelledRow(name, {SCENARIOS[0]: mean, OVERALL: mean}, 0))
    return rows


def ranked_models(models: int) -> Sequence[RankedModel]:
    """The strongest first; author n of N has won n of N battles."""
    rows = []
    for place, name in enumerate(names_of(models), start=1):
        strength, elo = share(models - place, models), 1500.0 - place
        figures = [strength / 1000, strength / 2000, strength / 500, elo, elo - 50, elo + 50]
        rows.append(RankedModel(name, models, models - place, 1, *figures, place, place + 9))
    return rows
