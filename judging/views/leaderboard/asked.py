"""What an address of the leaderboard asks for. A judge that is not there is 404; other words fall back to the usual."""

from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, QueryDict

from annotate.models import Project
from judging.models import Judge
from judging.services.leaderboard import DIVISIONS
from judging.services.scores import judges as judges_of
from lib.charts.radar import MOST

COMPARED = 5  # judges side by side; more columns cannot be read


@dataclass(frozen=True)
class Asked:
    """judges: all there are; beside: those that are compared. picked: authors of the radar, in the order of the list.

    sort: a column of the table, with a minus for falling. column: what the groups show.
    """

    judges: list[Judge]
    judge: Judge | None = None
    beside: list[Judge] = field(default_factory=list)
    by: str = DIVISIONS[0]
    column: str = "overall"
    sort: str = "-overall"
    picked: list[str] = field(default_factory=list)
    first: str = ""
    second: str = ""

    def said(self) -> list[tuple[str, str]]:
        """Name and value of every word of the address; what is usual is not said."""
        parameters = [("judge", str(self.judge.pk))] if self.judge else []
        parameters += [(name, value) for name in USUAL if (value := getattr(self, name)) != USUAL[name]]
        parameters += [("pick", name) for name in self.picked]
        return parameters + [("beside", str(judge.pk)) for judge in self.beside]

    def sorting(self, column: str) -> str:
        """The address of the same page sorted by this column: falling first, turned round where it already is."""
        turned = column if self.sort == f"-{column}" else f"-{column}"
        return urlencode(replace(self, sort=turned).said())

    @property
    def sorted_by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def falling(self) -> bool:
        return self.sort.startswith("-")


USUAL = {"by": DIVISIONS[0], "column": "overall", "sort": "-overall", "first": "", "second": ""}


def asked(request: HttpRequest, project: Project) -> Asked:
    query, judges = request.GET, list(judges_of(project))
    by = query.get("by", "")
    return Asked(
        judges=judges,
        judge=_judge(query, judges),
        beside=[judge for judge in judges if str(judge.pk) in query.getlist("beside")][:COMPARED],
        by=by if by in DIVISIONS else DIVISIONS[0],
        column=query.get("column", "overall"),
        sort=query.get("sort", "-overall"),
        picked=list(dict.fromkeys(query.getlist("pick")))[:MOST],
        first=query.get("first", ""),
        second=query.get("second", ""),
    )


def _judge(query: QueryDict, judges: list[Judge]) -> Judge | None:
    """The one that the address names, else the one with most verdicts; None where nobody has judged anything."""
    judge_pk = query.get("judge", "")
    if not judge_pk:
        return judges[0] if judges else None
    matches = [judge for judge in judges if str(judge.pk) == judge_pk]
    if not matches:
        raise Http404
    return matches[0]
