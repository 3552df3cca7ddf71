"""How many items a release would hold, and which it would leave out and why."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.models import Erasure, Item, ItemCount, Project
from annotate.releases.actions import ANY, ReleaseFilters

BY_CHOICE = gettext_lazy("not in the chosen groups and languages")
WITHDRAWN = gettext_lazy("withdrawn by the person who reported them")
CHECKS = gettext_lazy("calibration, gold and attention items")


@dataclass(frozen=True)
class LeftOut:
    """Items that are left out for one reason. state: of all of them, or ""."""

    why: str | Promise
    items: int
    state: str = ""


@dataclass(frozen=True)
class ReleaseContents:
    items: int
    left_out: Sequence[LeftOut]


def contents_of(project: Project, filters: ReleaseFilters) -> ReleaseContents:
    """Counted by state, which takes no longer in a large project; only choices of groups or languages read items."""
    counts, checks = Counter[str](), 0
    for purpose, state, n in ItemCount.objects.filter(project=project).totals("purpose", "state"):
        if purpose == Item.Purpose.WORK:
            counts[state] += n
        else:
            checks += n
    chosen = [state for state in Item.State.values if filters.state in (ANY, state)]
    withdrawn = _withdrawn(project, chosen) if counts else 0
    held = sum(counts[state] for state in chosen) - withdrawn
    items = filters.items(project).count() if filters.groups or filters.languages else held
    others = [LeftOut(state.label, counts[state], state.value) for state in Item.State if state.value not in chosen]
    reasons = [*others, LeftOut(BY_CHOICE, held - items), LeftOut(WITHDRAWN, withdrawn), LeftOut(CHECKS, checks)]
    return ReleaseContents(items, [reason for reason in reasons if reason.items])


def _withdrawn(project: Project, states: Sequence[str]) -> int:
    erased = Erasure.objects.filter(item__project=project, item__purpose=Item.Purpose.WORK, item__state__in=states)
    return erased.aggregate(n=Count("item", distinct=True))["n"]
