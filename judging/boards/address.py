"""Parameters that several boards share: judge, start of the page, number. An unknown judge gives 404."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from django.http import Http404, HttpRequest

PAGE = 25
MOST_DIGITS = 9


class HasJudge(Protocol):
    @property
    def pk(self) -> int: ...


JudgedT = TypeVar("JudgedT", bound=HasJudge)


def chosen_judge(judge_pk: str, judges: Sequence[JudgedT]) -> JudgedT:
    """The judge with this number, or the first one without a number. Raises Http404 if there is none."""
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


def whole_number(text: str) -> int:
    """A number of an address; 0 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
