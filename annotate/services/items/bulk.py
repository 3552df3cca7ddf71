"""One verb for many items: in parts short enough for a request, each item by its own service, everything counted."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet

from annotate.models import Item, Member, Project, User
from annotate.services import leading
from annotate.services.errors import WrongState
from annotate.services.leading import LeftOut, WhyNot

AT_ONCE = 500  # items in one request
TOGETHER = 100  # items in one transaction: others must be able to write in between

Verb = Callable[[Item], None]


@dataclass
class Outcome:
    """What became of a part of a selection. `after` is the last item seen; finished where nothing is left."""

    done: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    after: int = 0
    finished: bool = True

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """(code, words, count), the most frequent first."""
        return [(why, str(WhyNot(why).label), count) for why, count in self.left_out.most_common()]


def work_through(
    items: QuerySet[Item], verb: Verb, *, project: Project, after: int = 0, most: int | None = None
) -> Outcome:
    """Apply a verb to the next items after an id, at most AT_ONCE of them; most bounds how many may be done."""
    outcome = Outcome(after=after)
    ahead = items.defer("facts").filter(pk__gt=after).order_by("pk")
    selected = list(ahead[: AT_ONCE + 1])
    outcome.finished = len(selected) <= AT_ONCE
    queue = iter(selected[:AT_ONCE])
    while batch := list(islice(queue, TOGETHER)):
        with transaction.atomic():
            for item in batch:
                if outcome.done == most:
                    outcome.finished = True
                    return outcome
                item.project = project
                _apply(verb, item, outcome)
    return outcome


def _apply(verb: Verb, item: Item, outcome: Outcome) -> None:
    outcome.after = item.pk
    try:
        verb(item)
    except LeftOut as exclusion:
        outcome.left_out[exclusion.why] += 1
    except WrongState:
        outcome.left_out[WhyNot.RACED] += 1
    else:
        outcome.done += 1


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """What a lead wants done to every selected item. Raises Refused (see leading) when it never can be."""

    verb: str
    by: User
    to: Member | None = None
    priority: int = 0
    reason: str = ""
    note: str = ""

    def apply(self, item: Item) -> None:
        match self.verb:
            case "assign":
                assert self.to is not None
                leading.assign(item, to=self.to, by=self.by)
            case "unassign":
                leading.unassign(item, by=self.by)
            case "priority":
                leading.set_priority(item, by=self.by, priority=self.priority)
            case "drop":
                leading.drop(item, by=self.by, reason=self.reason, note=self.note)
            case "requeue":
                leading.requeue(item, by=self.by, note=self.note)
            case "restore":
                leading.restore(item, by=self.by, note=self.note)
            case "reopen":
                leading.reopen(item, by=self.by, note=self.note)
            case _:
                raise ValueError(self.verb)
