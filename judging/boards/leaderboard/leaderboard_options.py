"""The options of the leaderboard."""

from typing import Any, Literal
from urllib.parse import urlencode

from django.http import QueryDict
from pydantic import Field, field_validator

from annotate.models import Project
from judging.boards.item_filters import ItemFilterOptions
from judging.boards.model_pages import ModelPageOptions
from judging.boards.options import JudgeBoardOptions
from judging.models import Judge
from lib.charts.radar import MOST

COMPARED = 5  # judges side by side; more columns cannot be read


class LeaderboardOptions(ModelPageOptions, ItemFilterOptions, JudgeBoardOptions):
    """by: the division of the groups; column: what they show. sort: a column of the table, or `group/` with a group of
    the heat map, with a minus for descending order. first, second: two authors compared; pair: the same, picked in the
    table. pick: authors of the chart of groups. beside: judges compared with the judge.
    """

    by: Literal["task", "subtask", "error_type", "feedback_type"] = "task"
    column: str = "overall"
    sort: str = "-overall"
    first: str = ""
    second: str = ""
    pair: tuple[str, ...] = Field(default=())
    pick: tuple[str, ...] = Field(default=())
    beside: tuple[Judge, ...] = Field(default=())

    @property
    def compared_pair(self) -> tuple[str, str]:
        """Picked in the table, else chosen by name; "" where nobody is."""
        first, second = [*self.pair, "", ""][:2]
        return (first, second) if second else (self.first or first, self.second)

    @property
    def files_address(self) -> str:
        """For the files of the table: the judge and the filters."""
        judge = [("judge", str(self.judge.pk))] if self.judge else []
        return "&".join(filter(None, [urlencode(judge), self.filter_address]))

    @field_validator("pick")
    @classmethod
    def _drawn(cls, authors: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(authors))[:MOST]

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        values = super().known(query, project)
        beside = [judge for judge in values["judges"] if str(judge.pk) in query.getlist("beside")]
        return values | {"beside": tuple(beside[:COMPARED])}

    @property
    def compared(self) -> list[Judge]:
        """The judge and those beside it, each once."""
        return list(dict.fromkeys([self.judge, *self.beside])) if self.judge else []
