"""The options of the leaderboard."""

from typing import Any, Literal

from django.http import QueryDict
from pydantic import Field, field_validator

from annotate.models import Project
from judging.boards.options import JudgeBoardOptions
from judging.models import Judge
from lib.charts.radar import MOST

COMPARED = 5  # judges side by side; more columns cannot be read


class LeaderboardOptions(JudgeBoardOptions):
    """by: the division of the groups; column: what they show. sort: a column of the table, with a minus for descending
    order. first, second: two authors compared. pick: authors of the radar. beside: judges compared with the judge.
    """

    by: Literal["task", "subtask", "error_type", "feedback_type"] = "task"
    column: str = "overall"
    sort: str = "-overall"
    first: str = ""
    second: str = ""
    pick: tuple[str, ...] = Field(default=())
    beside: tuple[Judge, ...] = Field(default=())

    @field_validator("pick")
    @classmethod
    def _drawn(cls, authors: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(authors))[:MOST]

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        values = super().known(query, project)
        beside = [judge for judge in values["judges"] if str(judge.pk) in query.getlist("beside")]
        return values | {"beside": tuple(beside[:COMPARED])}

    def sorting(self, column: str) -> str:
        """The address of the same page sorted by this column: descending first, reversed if it already is."""
        return self.address_with(sort=column if self.sort == f"-{column}" else f"-{column}")

    @property
    def sorted_by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def falling(self) -> bool:
        return self.sort.startswith("-")

    @property
    def compared(self) -> list[Judge]:
        """The judge and those beside it, each once."""
        return list(dict.fromkeys([self.judge, *self.beside])) if self.judge else []
