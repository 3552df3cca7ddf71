"""Query strings of the leaderboard and of other boards, parsed. Unknown judges give 404; other words fall back."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, QueryDict

from annotate.models import Member, Project
from judging.access import judging_member
from judging.models import Judge
from judging.ratings.intent_scores import has_intents
from judging.ratings.leaderboards import DIVISIONS
from judging.verdicts.verdict_scores import judges as judges_of
from lib.charts.radar import MOST

COMPARED = 5  # judges side by side; more columns cannot be read


@dataclass(frozen=True)
class LeaderboardQuery:
    """judges: all judges; beside: those that are compared. picked: authors of the radar, in the order of the list.

    sort: a column of the table, with a minus for descending order. column: what the groups show.
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
        """Name and value of every parameter of the address; defaults are left out."""
        parameters = [("judge", str(self.judge.pk))] if self.judge else []
        parameters += [(name, value) for name in USUAL if (value := getattr(self, name)) != USUAL[name]]
        parameters += [("pick", name) for name in self.picked]
        return parameters + [("beside", str(judge.pk)) for judge in self.beside]

    def sorting(self, column: str) -> str:
        """The address of the same page sorted by this column: descending first, reversed if it already is."""
        turned = column if self.sort == f"-{column}" else f"-{column}"
        return urlencode(replace(self, sort=turned).said())

    @property
    def sorted_by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def falling(self) -> bool:
        return self.sort.startswith("-")


USUAL = {"by": DIVISIONS[0], "column": "overall", "sort": "-overall", "first": "", "second": ""}


def parse_leaderboard_query(request: HttpRequest, project: Project) -> LeaderboardQuery:
    query, judges = request.GET, list(judges_of(project))
    by = query.get("by", "")
    return LeaderboardQuery(
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
    """The judge that the address names, else the one with most verdicts; None if nobody has judged anything."""
    judge_pk = query.get("judge", "")
    if not judge_pk:
        return judges[0] if judges else None
    matches = [judge for judge in judges if str(judge.pk) == judge_pk]
    if not matches:
        raise Http404
    return matches[0]


# Parameters that several boards share: judge, start of the page, number.


PAGE = 25
MOST_DIGITS = 9


class HasJudge(Protocol):
    @property
    def pk(self) -> int: ...


JudgedT = TypeVar("JudgedT", bound=HasJudge)


def chosen_judge(request: HttpRequest, judges: Sequence[JudgedT]) -> JudgedT:
    """The judge of `?judge=`, or the first one without this parameter."""
    judge_pk = request.GET.get("judge", "")
    matches = [judge for judge in judges if str(judge.pk) == judge_pk] if judge_pk else judges
    if not matches:
        raise Http404
    return matches[0]


def start_of(request: HttpRequest) -> int:
    """`?start=`, rounded down to the beginning of a page."""
    text = request.GET.get("start", "")
    start = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0
    return start - start % PAGE


def number_of(request: HttpRequest, most: int) -> int:
    """`?n=`, from 1 to most; most for anything else."""
    text = request.GET.get("n", "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else most
    return number if 1 <= number <= most else most


def address_without(request: HttpRequest, *names: str) -> str:
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return query.urlencode()


def tab_of(member: Member) -> str:
    kind = member.project.kind
    return "judging" if kind.judges_answers or kind.opinions else "overview"


def intents_member(request: HttpRequest, slug: str) -> Member:
    """Members who may read verdicts; 404 in projects whose cases have no intents."""
    member = judging_member(request, slug)
    if not has_intents(member.project):
        raise Http404
    return member


def whole_number(text: str) -> int:
    """A number of an address; 0 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
