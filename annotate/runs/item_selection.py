"""Selection of a run's items: `run.options["items"]` holds the filters of the item list, by their names.

A purpose that plans a job for each item plans those of `chosen_items(run)`; the page before the start shows what is
left out and why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.items.queries import ItemFilters, matching
from annotate.models import Item, Run
from annotate.models.items import ItemQuerySet

if TYPE_CHECKING:
    from annotate.engine.purposes import Purpose

OF_THE_RUN = ("items", "limit")  # names in a run's options that do not belong to its purpose


def stored(filters: ItemFilters) -> dict[str, Any]:
    """Filters as a run stores them: only those that are set, dates as text."""
    return {name: str(value) if isinstance(value, date) else value for name, value in filters.given().items()}


def filters_of(run: Run) -> ItemFilters:
    """The filters that a run was planned with; names that are not (or no longer) filters are ignored."""
    stored_filters = run.options.get("items") or {}
    filter_names = {field.name for field in fields(ItemFilters)}
    return ItemFilters(
        **{name: _parse_filter(name, value) for name, value in stored_filters.items() if name in filter_names}
    )


def _parse_filter(name: str, value: Any) -> Any:
    return date.fromisoformat(value) if name in ("since", "until") else value


def passing(run: Run) -> ItemQuerySet:
    """All items of the project that pass the run's filters, whatever their state."""
    return matching(run.project, filters_of(run))


def chosen_items(run: Run) -> ItemQuerySet:
    """The undecided items that pass the run's filters, in order; for some purposes also, or only, accepted ones."""
    items = passing(run).order_by("pk")
    purpose = _purpose(run)
    if not purpose.takes_undecided(run.project):
        return items.filter(state=Item.State.ACCEPTED)
    return items.exclude(state=Item.State.DROPPED) if purpose.takes_accepted else items.undecided()


def _purpose(run: Run) -> "Purpose":
    from annotate.engine.purposes import purposes  # which import this module

    return purposes()[run.purpose]


@dataclass(frozen=True)
class SkippedItems:
    """Items that pass the filters and get no job. state: of the item list, if the reason is a state."""

    reason: str | Promise
    items: int
    state: str = ""


def skipped_items(run: Run, jobs: int) -> Sequence[SkippedItems]:
    """Why items that pass the filters get no job, in two queries; jobs: how many were planned."""
    items, purpose = passing(run).order_by(), _purpose(run)
    if not purpose.about_items:
        return ()
    counts = items.aggregate(
        accepted=Count("pk", filter=Q(state=Item.State.ACCEPTED)),
        dropped=Count("pk", filter=Q(state=Item.State.DROPPED)),
        open=Count("pk", filter=~Q(state__in=[Item.State.ACCEPTED, Item.State.DROPPED])),
    )
    takes_open = purpose.takes_undecided(run.project)
    able = (counts["open"] if takes_open else 0) + (counts["accepted"] if purpose.takes_accepted else 0)
    covered_count = run.jobs.aggregate(items=Count("item", distinct=True))["items"]  # an item may have several jobs
    rest, limit = max(able - covered_count, 0), run.options.get("limit")
    beyond = rest if limit is not None and jobs >= limit else 0
    reasons = [
        SkippedItems(_("already accepted"), 0 if purpose.takes_accepted else counts["accepted"], Item.State.ACCEPTED),
        SkippedItems(_("not accepted yet"), 0 if takes_open else counts["open"]),
        SkippedItems(_("dropped"), counts["dropped"], Item.State.DROPPED),
        SkippedItems(_("over the limit"), beyond),
        SkippedItems(_("nothing to ask about them"), rest - beyond),
    ]
    return [reason for reason in reasons if reason.items]


def reasons(run: Run, jobs: int) -> Sequence[SkippedItems]:
    """Everything that gets no job, whole items or parts of them, and why."""
    purpose_reasons = [SkippedItems(reason, count) for reason, count in _purpose(run).left_out(run) if count]
    return [*skipped_items(run, jobs), *purpose_reasons]


def why_nothing(run: Run) -> list[str]:
    """Why a planned run has no job, in sentences; empty if it has one."""
    if run.jobs.exists():
        return []
    purpose = _purpose(run)
    sentence = gettext("%(reason)s: %(n)d.")
    counted = [sentence % {"reason": capfirst(str(entry.reason)), "n": entry.items} for entry in reasons(run, 0)]
    sentences = [*counted, *map(str, purpose.why_nothing(run))]
    if sentences or not purpose.about_items:
        return sentences
    return [gettext("No item matches the filters.")]
