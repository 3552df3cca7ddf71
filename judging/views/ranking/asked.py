"""What an address of the ranking asks for: whose preferences, divided how, with which ties, beside what."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.http import Http404, HttpRequest

from annotate.models import Project
from judging.services.rankings.fights import Side, sides
from judging.services.rankings.pasted import BadLines, pasted_scores
from judging.services.rankings.ranked import DIVISIONS

PEOPLE = "people"


@dataclass(frozen=True)
class Asked:
    """sides: all that preferred something; side: the chosen one, None where there is none. divide: one of DIVISIONS,
    or "". pasted: another leaderboard as it was typed; beside: the same read; fault: why it cannot be read."""

    sides: list[tuple[str, Side]]
    by: str = ""
    side: Side | None = None
    divide: str = ""
    davidson: bool = False
    pasted: str = ""
    beside: Mapping[str, float] = field(default_factory=dict)
    fault: str = ""


def asked(request: HttpRequest, project: Project) -> Asked:
    """?by= is `people` or the number of a judge; else the first there is."""
    there = [(_word(side), side) for side in sides(project) if side.fights]
    wanted = request.GET.get("by", "")
    found = [(word, side) for word, side in there if word == wanted] if wanted else there[:1]
    if wanted and not found:
        raise Http404
    word, side = found[0] if found else ("", None)
    divide, pasted = request.GET.get("divide", ""), request.GET.get("beside", "")
    beside, fault = _read(pasted)
    return Asked(
        there,
        word,
        side,
        divide if divide in DIVISIONS else "",
        request.GET.get("ties") == "davidson",
        pasted,
        beside,
        fault,
    )


def _read(pasted: str) -> tuple[Mapping[str, float], str]:
    try:
        return pasted_scores(pasted), ""
    except BadLines as bad:
        return {}, str(bad)


def _word(side: Side) -> str:
    return str(side.rater.pk) if side.rater else PEOPLE
