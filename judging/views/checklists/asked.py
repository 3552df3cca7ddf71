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

    def has(self, question: QuestionStatistics) -> bool:
        return (
            self.sign in ("", question.sign or "works")
            and self.scenario in ("", question.scenario)
            and (not self.task or self.task in question.tasks)
            and self.q.casefold() in f"{question.key} {question.text}".casefold()
        )

    @property
    def address(self) -> str:
        words = {name: getattr(self, name) for name in FILTERS}
        return urlencode({"judge": self.judge.pk} | {name: value for name, value in words.items() if value})


def asked(request: HttpRequest, judge: Judge) -> Asked:
    filters = {name: request.GET.get(name, "")[:200] for name in FILTERS}
    if filters["sign"] not in (*SIGNS, ALTERNATIVE, FEW_ANSWERS, "works"):
        filters["sign"] = ""
    return Asked(judge, **filters)


def judge_asked(request: HttpRequest, judges: Sequence[Judge]) -> Judge | None:
    """The one that the address names, else the first; None where there is none. A judge that is not there is 404."""
    judge_pk = request.GET.get("judge", "")
    matches = [judge for judge in judges if not judge_pk or str(judge.pk) == judge_pk]
    if judge_pk and not matches:
        raise Http404
    return matches[0] if matches else None


def place_asked(request: HttpRequest, name: str) -> Place | None:
    match = PLACE.fullmatch(request.GET.get(name, ""))
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]), int(match[4]))


def word_of(position: Place) -> str:
    return "~".join(map(str, position))
