"""What an address of the checklist pages asks for; words that mean nothing filter nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest

from judging.models import Judge
from judging.services.checklists.statistics import ALTERNATIVE, FEW_ANSWERS, SIGNS, Place, QuestionStatistics

PLACE = re.compile(r"(\d{1,2})~(-?\d{1,5})~(\d{1,18})~(\d{1,6})", re.ASCII)
FILTERS = ("sign", "scenario", "task", "q")
SHOWN = ("met", "missed", "unsaid", "disagreed")


@dataclass(frozen=True)
class Asked:
    judge: Judge
    sign: str = ""
    scenario: str = ""
    task: str = ""
    q: str = ""

    def has(self, one: QuestionStatistics) -> bool:
        return (
            self.sign in ("", one.sign or "works")
            and self.scenario in ("", one.scenario)
            and (not self.task or self.task in one.tasks)
            and self.q.casefold() in f"{one.key} {one.text}".casefold()
        )

    @property
    def address(self) -> str:
        words = {name: getattr(self, name) for name in FILTERS}
        return urlencode({"judge": self.judge.pk} | {name: value for name, value in words.items() if value})


def asked(request: HttpRequest, judge: Judge) -> Asked:
    given = {name: request.GET.get(name, "")[:200] for name in FILTERS}
    if given["sign"] not in (*SIGNS, ALTERNATIVE, FEW_ANSWERS, "works"):
        given["sign"] = ""
    return Asked(judge, **given)


def judge_asked(request: HttpRequest, judges: Sequence[Judge]) -> Judge | None:
    """The one that the address names, else the first; None where there is none. A judge that is not there is 404."""
    wanted = request.GET.get("judge", "")
    found = [judge for judge in judges if not wanted or str(judge.pk) == wanted]
    if wanted and not found:
        raise Http404
    return found[0] if found else None


def place_asked(request: HttpRequest, name: str) -> Place | None:
    found = PLACE.fullmatch(request.GET.get(name, ""))
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]), int(found[4]))


def word_of(place: Place) -> str:
    return "~".join(map(str, place))
