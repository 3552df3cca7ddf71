"""What addresses of these pages ask for. What is not there is 404; other words fall back to the usual."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from django.http import Http404, HttpRequest

PAGE = 25
MOST_DIGITS = 9


class Judged(Protocol):
    @property
    def pk(self) -> int: ...


One = TypeVar("One", bound=Judged)


def chosen(request: HttpRequest, judges: Sequence[One]) -> One:
    """The judge of `?judge=`, the first one where nothing is said."""
    judge_pk = request.GET.get("judge", "")
    matches = [judge for judge in judges if str(judge.pk) == judge_pk] if judge_pk else judges
    if not matches:
        raise Http404
    return matches[0]


def start_of(request: HttpRequest) -> int:
    """`?start=`, at the beginning of a page."""
    text = request.GET.get("start", "")
    start = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0
    return start - start % PAGE


def number_of(request: HttpRequest, most: int) -> int:
    """`?n=`, from 1 to most; most where it is anything else."""
    text = request.GET.get("n", "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else most
    return number if 1 <= number <= most else most


def address_without(request: HttpRequest, *names: str) -> str:
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return query.urlencode()
