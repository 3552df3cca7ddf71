"""Dropping what was found too easy, with the evidence in each item's history, and taking that back."""

import random
from collections import Counter
from dataclasses import dataclass, field

from django.db.models import OuterRef, QuerySet, Subquery

from annotate.models import Event, Item, Project, User
from annotate.services import leading
from annotate.services.items import bulk
from annotate.services.leading import LeftOut, WhyNot
from judging.services.difficulty.finding import SAMPLED, Difficulty, Weighed

REASON = "too_easy"
EVIDENCE = "Difficulty filter: "  # how notes of this filter begin: by it they are found again


@dataclass
class Done:
    """left_out: why -> how many, such as items that somebody moved meanwhile."""

    count: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def apply(difficulty: Difficulty, *, by: User | None) -> Done:
    """Drop what was found, each item only if it stands on the text that was judged. Doing it again drops nothing."""
    weighed, change = {item.item_id: item for item in difficulty.dropped}, Done()

    def drop(item: Item) -> None:
        if item.state != Item.State.ACCEPTED or item.base_id != weighed[item.pk].base_id:
            raise LeftOut(WhyNot.DROPPED if item.state == Item.State.DROPPED else WhyNot.RACED)
        leading.drop(item, by=by, reason=REASON, note=evidence(difficulty, weighed[item.pk]))

    ids = sorted(weighed)
    for start in range(0, len(ids), bulk.AT_ONCE):
        items = Item.objects.filter(
            project=difficulty.source.judge.project_id, pk__in=ids[start : start + bulk.AT_ONCE]
        )
        _add(change, bulk.work_through(items, drop, project=difficulty.source.judge.project))
    return change


def evidence(difficulty: Difficulty, item: Weighed) -> str:
    """What the history says: on whose word, at which threshold, with which scores."""
    scores = ", ".join(f"{author} {item.scores[author]:.2f}" for author in difficulty.authors)
    return f"{EVIDENCE}{difficulty.source}, threshold {difficulty.threshold:.2f}. {scores}."


def dropped_items(project: Project) -> QuerySet[Item]:
    """Items that this filter has dropped and nobody has taken back since; `why`: the note of it."""
    notes = Event.objects.filter(item=OuterRef("pk"), verb="dropped").order_by("-pk").values("note")[:1]
    dropped = Item.objects.filter(project=project, state=Item.State.DROPPED, drop_reason=REASON)
    return dropped.annotate(why=Subquery(notes)).filter(why__startswith=EVIDENCE)


def drawn(items: QuerySet[Item], seed: int, size: int = SAMPLED) -> QuerySet[Item]:
    """Some of them to look at, with `why`: the same ones for the same seed, as long as nothing comes or goes."""
    ids = list(items.order_by("pk").values_list("pk", flat=True))
    return items.filter(pk__in=random.Random(seed).sample(ids, min(size, len(ids))))  # noqa: S311 - a sample, no secret


def restore(project: Project, *, by: User | None, items: QuerySet[Item] | None = None) -> Done:
    """Accept again what this filter has dropped: all of it, or those of `items` that it has."""
    restorable_items = (
        dropped_items(project) if items is None else dropped_items(project).filter(pk__in=items.values("pk"))
    )
    change, after, finished = Done(), 0, False
    while not finished:
        outcome = bulk.work_through(
            restorable_items, lambda item: leading.reinstate(item, by=by), project=project, after=after
        )
        after, finished = outcome.after, outcome.finished
        _add(change, outcome)
    return change


def _add(change: Done, outcome: bulk.Outcome) -> None:
    change.count += outcome.done
    change.left_out += outcome.left_out
