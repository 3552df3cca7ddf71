"""Whose preferences an address of the ranking asks for: `people`, or a judge by its number; else the first there is."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest

from annotate.models import Project
from judging.services.rankings.fights import Side, sides

PEOPLE = "people"


@dataclass(frozen=True)
class Asked:
    """sides: all that preferred something; side: the chosen one, None where there is none."""

    sides: list[tuple[str, Side]]
    by: str = ""
    side: Side | None = None


def asked(request: HttpRequest, project: Project) -> Asked:
    there = [(_word(side), side) for side in sides(project) if side.fights]
    wanted = request.GET.get("by", "")
    found = [(word, side) for word, side in there if word == wanted] if wanted else there[:1]
    if wanted and not found:
        raise Http404
    return Asked(there, *found[0]) if found else Asked(there)


def _word(side: Side) -> str:
    return str(side.rater.pk) if side.rater else PEOPLE
