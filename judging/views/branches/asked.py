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
    said = request.GET.get("judge", "")
    found = [judge for judge in judges if str(judge.pk) == said] if said else judges
    if not found:
        raise Http404
    return found[0]


def start_of(request: HttpRequest) -> int:
    """`?start=`, at the beginning of a page."""
    said = request.GET.get("start", "")
    start = int(said) if said.isascii() and said.isdecimal() and len(said) <= MOST_DIGITS else 0
    return start - start % PAGE


def number_of(request: HttpRequest, most: int) -> int:
    """`?n=`, from 1 to most; most where it is anything else."""
    said = request.GET.get("n", "")
    number = int(said) if said.isascii() and said.isdecimal() and len(said) <= MOST_DIGITS else most
    return number if 1 <= number <= most else most


def address_without(request: HttpRequest, *names: str) -> str:
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return query.urlencode()
