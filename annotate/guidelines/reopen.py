"""Reopening stale items: those that a lead chose, each by the verb `reopened`, and no others.

A Reopening is a background job (see annotate/engine/chores.py). Each part is committed in one transaction together with
the progress, so a worker that continues after another one's death neither repeats nor skips an item. A Reopening can be
taken back for the items that nobody has begun.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.audit.trail import record, recording
from annotate.engine.chores import Leases, Parts, all_chores
from annotate.errors import Refused, WrongState
from annotate.guidelines.stale import ACCEPTED, Cause, StaleFilters, since, stale
from annotate.items import actions, flow, slots
from annotate.items.actions import NotApplicable, RefusalReason
from annotate.models import Definition, Event, Item, Reopening, Slot, User

TOGETHER = 100  # items in one transaction: others must be able to write in between
AT_ONCE = 200  # items processed in the request; the worker does the rest
UNDER_WAY = (Reopening.State.WAITING, Reopening.State.LEAVING)
leases = Leases(
    Reopening,
    Q(state__in=UNDER_WAY),
    timedelta(seconds=60),
    related=("project", "guideline__project", "definition__project", "created_by"),
)
FRESH, BEGUN, MOVED = "fresh", "begun", "moved"
WORDS: Mapping[str, str | Promise] = {
    **dict(RefusalReason.choices),
    FRESH: gettext_lazy("no longer stale"),
    BEGUN: gettext_lazy("already started by someone: left open"),
    MOVED: gettext_lazy("has moved on since: left as it is"),
}


def begin(
    *, cause: Cause, by: User | None, filters: StaleFilters, ids: list[int] | None = None, note: str = ""
) -> Reopening:
    """Reopen the stale items with these ids, or all that pass the filters: a few in the request, many by a worker.

    Raises Refused if nothing was chosen.
    """
    if ids is not None and not ids:
        raise Refused(_("Choose at least one item."))
    selection: dict[str, Any] = {**asdict(filters), "state": ACCEPTED}
    if ids is not None:
        selection["ids"] = sorted(set(ids))
    with transaction.atomic():
        reopening = Reopening.objects.create(
            project_id=cause.project_id, **{_column(cause): cause}, selection=selection, created_by=by
        )
        reopening.note = _note(reopening, note.strip())
        reopening.save(update_fields=["note"])
        record("reopening.begun", reopening, after={_column(cause): cause.version, "selection": selection})
    return _start(reopening)


def _column(cause: Cause) -> str:
    return "definition" if isinstance(cause, Definition) else "guideline"


def take_back(reopening: Reopening, *, by: User) -> Reopening:
    """Accept again the reopened items that nobody has begun. Raises WrongState if it is unfinished or taken back."""
    finished_query = Reopening.objects.filter(pk=reopening.pk, state=Reopening.State.DONE)
    with recording("reopening.taken_back", reopening, "state"):
        if not finished_query.update(
            state=Reopening.State.LEAVING, at=0, ended_at=None, left_out={}, token=None, lease_until=None
        ):
            raise WrongState(_("This can no longer be taken back. Reload the page."))
    return _start(Reopening.objects.get(pk=reopening.pk))


def _start(reopening: Reopening) -> Reopening:
    """Do the first part here; the worker that is called continues."""
    all_chores()["reopen_stale"].work(reopening.pk, most=AT_ONCE)
    reopening.refresh_from_db()
    return reopening


def parts(reopening: Reopening) -> Parts:
    """Reopen its items, or accept them again, until none is left."""
    while True:
        count = _part(reopening)
        if reopening.state not in UNDER_WAY:
            return
        yield count


def reasons(reopening: Reopening) -> list[tuple[str, int]]:
    """The reasons why items were left out, in words, the most frequent first."""
    counted = sorted(reopening.left_out.items(), key=lambda entry: -entry[1])
    return [(str(WORDS.get(why, why)), n) for why, n in counted]


def _part(reopening: Reopening) -> int:
    """Process the next items; returns how many were looked at."""
    back = reopening.state == Reopening.State.LEAVING
    verb: Callable[[Reopening, Item], None] = _close_again if back else _reopen
    counted, skip_counts = Counter[str](), Counter(reopening.left_out)
    with transaction.atomic():
        items = list(
            (reopened_by(reopening) if back else _chosen_items(reopening))
            .filter(pk__gt=reopening.at)
            .order_by("pk")[:TOGETHER]
        )
        for item in items:
            item.project = reopening.project
            _try(verb, reopening, item, counted, skip_counts)
        changes: dict[str, Any] = {"at": items[-1].pk if items else reopening.at}
        column = "taken_back" if back else "reopened"
        changes[column] = getattr(reopening, column) + counted["done"]
        if len(items) < TOGETHER:
            changes |= {"state": Reopening.State.TAKEN_BACK if back else Reopening.State.DONE}
            changes |= {"ended_at": timezone.now()}
            skip_counts += _gone(reopening, changes, skip_counts)
        leases.keep(reopening, left_out=dict(+skip_counts), **changes)
    return len(items)


def _try(
    verb: Callable[[Reopening, Item], None],
    reopening: Reopening,
    item: Item,
    counted: Counter[str],
    skip_counts: Counter[str],
) -> None:
    try:
        verb(reopening, item)
        counted["done"] += 1
    except NotApplicable as exclusion:
        skip_counts[exclusion.why.value] += 1
    except _Stays as stays:
        skip_counts[str(stays)] += 1
    except WrongState:
        skip_counts[RefusalReason.RACED.value] += 1


class _Stays(Exception):
    """A reopened item that is not accepted again; the text is a key of WORDS."""


def _reopen(reopening: Reopening, item: Item) -> None:
    actions.reopen(item, by=reopening.created_by, note=reopening.note, reopening=reopening)


def _close_again(reopening: Reopening, item: Item) -> None:
    with transaction.atomic():
        flow.lock(item.pk)
        event = Event.objects.filter(item=item).exclude(from_state="").order_by("-id").first()
        if event is None or event.verb != "reopened" or event.reopening_id != reopening.pk:
            raise _Stays(MOVED)
        if not slots.remove_untouched(Slot.objects.filter(item=item, round=item.round)):
            raise _Stays(BEGUN)
        flow.move(item, "reclosed", by=reopening.created_by, note=reopening.note, reopening=reopening)


def _gone(reopening: Reopening, changes: Mapping[str, Any], skip_counts: Mapping[str, int]) -> Counter[str]:
    """How many items that were chosen one by one were no longer stale when their turn came."""
    if reopening.state != Reopening.State.WAITING or "ids" not in reopening.selection:
        return Counter()
    return Counter({FRESH: len(reopening.selection["ids"]) - changes["reopened"] - sum(skip_counts.values())})


def _chosen_items(reopening: Reopening) -> QuerySet[Item]:
    selection = dict(reopening.selection)
    ids = selection.pop("ids", None)
    items = stale(since(reopening.cause), StaleFilters(**selection)).defer("facts")
    return items if ids is None else items.filter(pk__in=ids)


def reopened_by(reopening: Reopening) -> QuerySet[Item]:
    """The items that it reopened, whatever their state is now."""
    events = reopening.events.filter(verb="reopened")
    return Item.objects.filter(project_id=reopening.project_id, pk__in=events.values("item")).defer("facts")


def _note(reopening: Reopening, note: str) -> str:
    """The note in the history of each item, in words; the key of the events identifies this reopening."""
    sentence = _("Guidelines, version %(version)d (reopening %(number)d)")
    if reopening.definition:
        sentence = _("Questions, version %(version)d (reopening %(number)d)")
    sentence %= {"version": reopening.cause.version, "number": reopening.pk}
    return f"{sentence}: {note}" if note else sentence
