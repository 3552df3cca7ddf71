"""Which items a run takes: `run.options["items"]` holds the filters of the item list, by their names.

A purpose that plans a job for each item plans those of `chosen(run)`; what is left out and why is said before start.
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

from annotate.models import Item, Run
from annotate.models.items import ItemQuerySet
from annotate.services.items.lists import Filters, matching

if TYPE_CHECKING:
    from annotate.purposes.base import Purpose

OF_THE_RUN = ("items", "limit")  # what stands among a run's options beside those of its purpose


def stored(filters: Filters) -> dict[str, Any]:
    """Filters as a run keeps them: only those that are set, dates as text."""
    return {name: str(value) if isinstance(value, date) else value for name, value in filters.given().items()}


def filters_of(run: Run) -> Filters:
    """The filters that a run was planned with; what is no filter (any more) is passed over."""
    stored_filters = run.options.get("items") or {}
    filter_names = {field.name for field in fields(Filters)}
    return Filters(**{name: _read(name, value) for name, value in stored_filters.items() if name in filter_names})


def _read(name: str, value: Any) -> Any:
    return date.fromisoformat(value) if name in ("since", "until") else value


def passing(run: Run) -> ItemQuerySet:
    """All items of the project that pass the run's filters, whatever their state."""
    return matching(run.project, filters_of(run))


def chosen(run: Run) -> ItemQuerySet:
    """The items that pass the run's filters and are not decided, in order; for some purposes accepted ones (too)."""
    items = passing(run).order_by("pk")
    purpose = _purpose(run)
    if not purpose.takes_undecided(run.project):
        return items.filter(state=Item.State.ACCEPTED)
    return items.exclude(state=Item.State.DROPPED) if purpose.takes_accepted else items.undecided()


def _purpose(run: Run) -> "Purpose":
    from annotate.purposes import purposes  # which import this module

    return purposes()[run.purpose]


@dataclass(frozen=True)
class LeftOut:
    """Items that pass the filters and get no job. state: of the item list, where the reason is one."""

    reason: str | Promise
    items: int
    state: str = ""


def left_out(run: Run, jobs: int) -> Sequence[LeftOut]:
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
        LeftOut(_("accepted already"), 0 if purpose.takes_accepted else counts["accepted"], Item.State.ACCEPTED),
        LeftOut(_("not accepted yet"), 0 if takes_open else counts["open"]),
        LeftOut(_("dropped"), counts["dropped"], Item.State.DROPPED),
        LeftOut(_("beyond the limit"), beyond),
        LeftOut(_("there is nothing to ask about them"), rest - beyond),
    ]
    return [reason for reason in reasons if reason.items]


def reasons(run: Run, jobs: int) -> Sequence[LeftOut]:
    """Whatever gets no job, whole items or parts of them, and why."""
    purpose_reasons = [LeftOut(reason, count) for reason, count in _purpose(run).left_out(run) if count]
    return [*left_out(run, jobs), *purpose_reasons]


def why_nothing(run: Run) -> list[str]:
    """Why a planned run has no job, in sentences; empty where it has one."""
    if run.jobs.exists():
        return []
    purpose = _purpose(run)
    sentence = gettext("%(reason)s: %(n)d.")
    counted = [sentence % {"reason": capfirst(str(entry.reason)), "n": entry.items} for entry in reasons(run, 0)]
    sentences = [*counted, *map(str, purpose.why_nothing(run))]
    if sentences or not purpose.about_items:
        return sentences
    return [gettext("No item passes the filters: the project has none that fits.")]
