"""Comparison of two runs: the outcome of each at every item, and its page."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from annotate.models import Item, Job, Member, Run
from annotate.runs.pages import run_of
from annotate.runs.plan import purpose_of
from annotate.web.access import LEADS, membership, project_page
from annotate.web.pager import row_named
from lib.texts.differences import TextDifference, difference

CHUNK = 200
PAGE = 20
LOOKED_AT = 4000  # items that are searched at once for a page of differing ones
QUICK = 4000  # the most jobs of both runs together that are counted while the page loads


@dataclass(frozen=True)
class ItemOutcomes:
    """One item and the outcome of each run there; None if a run left none."""

    item: Item
    left: Any
    right: Any

    @property
    def equal(self) -> bool:
        return self.left is not None and self.left == self.right

    @property
    def differs(self) -> bool:
        """True also if only one of them left an outcome."""
        return bool(self.left != self.right)


@dataclass
class RunComparison:
    """Counts over all items of either run.

    only_left, only_right: items with an outcome of only that run; neither: items at which both failed.
    """

    run: Run
    other: Run
    equal: int = 0
    differing: int = 0
    only_left: int = 0
    only_right: int = 0
    neither: int = 0

    @property
    def total(self) -> int:
        return self.equal + self.differing + self.only_left + self.only_right + self.neither


@dataclass(frozen=True)
class ComparedPage:
    """previous, next: the item id before or after which the next page begins; None if there is none.

    looked_at_all: False if the search stopped before the page was full; it continues there.
    """

    rows: Sequence[ItemOutcomes]
    previous: int | None
    next: int | None
    looked_at_all: bool = True


def compare(run: Run, other_run: Run) -> RunComparison:
    """How often they agree, item by item. Jobs without an item are left out."""
    comparison = RunComparison(run, other_run)
    for items in _items(run, other_run):
        for compared in _outcomes(run, other_run, items):
            _count(comparison, compared)
    return comparison


def is_quick(run: Run, other_run: Run) -> bool:
    """Whether comparing all of it is fast enough to wait for."""
    return Job.objects.filter(run__in=[run, other_run])[: QUICK + 1].count() <= QUICK


def compared_page(
    run: Run, other_run: Run, *, differing: bool, after: int | None = None, before: int | None = None, size: int = PAGE
) -> ComparedPage:
    """One page by item id. differing: only items that `differs`. after, before: item ids; at most one of them."""
    rows, last_pk, ended = _search(run, other_run, differing, after, before, size)
    more = len(rows) > size
    rows = rows[:size]
    onward = rows[-1].item.pk if more else last_pk
    beyond = onward if more or not ended else None
    if before is not None:
        rows = rows[::-1]
        return ComparedPage(rows, beyond, rows[-1].item.pk if rows else before - 1, more or ended)
    came_from = rows[0].item.pk if rows else (after or 0) + 1
    return ComparedPage(rows, came_from if after is not None else None, beyond, more or ended)


def _search(
    run: Run, other_run: Run, differing: bool, after: int | None, before: int | None, size: int
) -> tuple[list[ItemOutcomes], int, bool]:
    """The page and one more item, the last item looked at, and whether there was nothing left to look at."""
    rows, looked_at, last_pk = list[ItemOutcomes](), 0, before or after or 0
    for items in _items(run, other_run, after=after, before=before):
        rows += [compared for compared in _outcomes(run, other_run, items) if compared.differs or not differing]
        looked_at, last_pk = looked_at + len(items), items[-1].pk
        if len(rows) > size or looked_at >= LOOKED_AT:
            return rows, last_pk, False
    return rows, last_pk, True


def _outcomes(run: Run, other_run: Run, items: list[Item]) -> Iterator[ItemOutcomes]:
    keys = [item.pk for item in items]
    left, right = purpose_of(run).outcomes(run, keys), purpose_of(other_run).outcomes(other_run, keys)
    return (ItemOutcomes(item, left.get(item.pk), right.get(item.pk)) for item in items)


def _count(comparison: RunComparison, compared: ItemOutcomes) -> None:
    if compared.left is None and compared.right is None:
        comparison.neither += 1
    elif compared.right is None:
        comparison.only_left += 1
    elif compared.left is None:
        comparison.only_right += 1
    elif compared.equal:
        comparison.equal += 1
    else:
        comparison.differing += 1


def _items(run: Run, other_run: Run, *, after: int | None = None, before: int | None = None) -> Iterator[list[Item]]:
    """By key range, backwards from `before`: no long query that would block a writer."""
    about = Job.objects.filter(run__in=[run, other_run], item__isnull=False).values("item_id")
    item_rows = Item.objects.filter(pk__in=about).defer("facts").order_by("pk" if before is None else "-pk")
    beyond = "pk__gt" if before is None else "pk__lt"
    last_pk = (after or 0) if before is None else before
    while items := list(item_rows.filter(**{beyond: last_pk})[:CHUNK]):
        yield items
        last_pk = items[-1].pk


# The page: two runs side by side, item by item.


LONGEST = 20_000  # characters of a text that is compared


@dataclass(frozen=True)
class OutcomeSide:
    """One field of both outcomes, as text."""

    name: str
    left: str
    right: str

    @property
    def marked(self) -> TextDifference:
        return difference(self.left, self.right)


@dataclass(frozen=True)
class ItemDifference:
    """An item with the differences between its two outcomes; missing: the name of the run without an outcome."""

    item: Item
    sides: list[OutcomeSide]
    equal: bool
    missing: str


@login_required
def run_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two runs side by side, item by item; 404 if the address names none.

    Counting large runs takes a while: their page requests the counts separately, with `count`.
    """
    lead = membership(request, slug, LEADS)
    run, other_run = _both(request, lead)
    counted = "count" in request.GET or is_quick(run, other_run)
    context: dict[str, Any] = {
        "run": run,
        "other": other_run,
        "comparison": compare(run, other_run) if counted else None,
    }
    if counted and request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_compared.html", {"project": lead.project, "membership": lead} | context)
    differing = request.GET.get("show") != "all"
    after, before = row_named(request, "after"), row_named(request, "before")
    page = compared_page(
        run, other_run, differing=differing, after=None if before is not None else after, before=before
    )
    context |= {"page": page, "differing": differing, "items": [_item_difference(compared) for compared in page.rows]}
    return project_page(request, lead, "runs/compare.html", context, tab="runs")


def _both(request: HttpRequest, lead: Member) -> tuple[Run, Run]:
    run, other_pk = row_named(request, "run"), row_named(request, "other")
    if run is None or other_pk is None:
        raise Http404
    both = run_of(lead, run), run_of(lead, other_pk)
    if both[0].purpose != both[1].purpose:  # their outcomes cannot be compared
        raise Http404
    return both


def _item_difference(compared: ItemOutcomes) -> ItemDifference:
    missing = {(True, False): gettext("no result from the first"), (False, True): gettext("no result from the second")}
    without = (compared.left is None, compared.right is None)
    word = gettext("no result from either") if all(without) else missing.get(without, "")
    return ItemDifference(
        compared.item, [] if any(without) else list(sides(compared.left, compared.right)), compared.equal, word
    )


def sides(left: Any, right: Any) -> Iterator[OutcomeSide]:
    """The parts in which two outcomes differ: by field if both are objects, else as a whole."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for name in [*left, *(name for name in right if name not in left)]:
            if left.get(name) != right.get(name):
                yield OutcomeSide(name, _text(left.get(name)), _text(right.get(name)))
    elif left != right:
        yield OutcomeSide("", _text(left), _text(right))


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return text[:LONGEST]
