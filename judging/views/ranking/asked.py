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
    side_rows = [(_word(side), side) for side in sides(project) if side.fights]
    side_word = request.GET.get("by", "")
    matches = [(word, side) for word, side in side_rows if word == side_word] if side_word else side_rows[:1]
    if side_word and not matches:
        raise Http404
    word, side = matches[0] if matches else ("", None)
    divide, pasted = request.GET.get("divide", ""), request.GET.get("beside", "")
    other_board, fault = _read(pasted)
    return Asked(
        side_rows,
        word,
        side,
        divide if divide in DIVISIONS else "",
        request.GET.get("ties") == "davidson",
        pasted,
        other_board,
        fault,
    )


def _read(pasted: str) -> tuple[Mapping[str, float], str]:
    try:
        return pasted_scores(pasted), ""
    except BadLines as bad:
        return {}, str(bad)


def _word(side: Side) -> str:
    return str(side.rater.pk) if side.rater else PEOPLE
