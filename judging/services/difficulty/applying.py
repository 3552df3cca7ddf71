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


def apply(found: Difficulty, *, by: User | None) -> Done:
    """Drop what was found, each item only if it stands on the text that was judged. Doing it again drops nothing."""
    weighed, done = {item.item_id: item for item in found.dropped}, Done()

    def drop(item: Item) -> None:
        if item.state != Item.State.ACCEPTED or item.base_id != weighed[item.pk].base_id:
            raise LeftOut(WhyNot.DROPPED if item.state == Item.State.DROPPED else WhyNot.RACED)
        leading.drop(item, by=by, reason=REASON, note=evidence(found, weighed[item.pk]))

    ids = sorted(weighed)
    for start in range(0, len(ids), bulk.AT_ONCE):
        items = Item.objects.filter(project=found.source.judge.project_id, pk__in=ids[start : start + bulk.AT_ONCE])
        _add(done, bulk.work_through(items, drop, project=found.source.judge.project))
    return done


def evidence(found: Difficulty, item: Weighed) -> str:
    """What the history says: on whose word, at which threshold, with which scores."""
    scores = ", ".join(f"{author} {item.scores[author]:.2f}" for author in found.authors)
    return f"{EVIDENCE}{found.source}, threshold {found.threshold:.2f}. {scores}."


def dropped_items(project: Project) -> QuerySet[Item]:
    """Items that this filter has dropped and nobody has taken back since; `why`: the note of it."""
    notes = Event.objects.filter(item=OuterRef("pk"), verb="dropped").order_by("-pk").values("note")[:1]
    dropped = Item.objects.filter(project=project, state=Item.State.DROPPED, drop_reason=REASON)
    return dropped.annotate(why=Subquery(notes)).filter(why__startswith=EVIDENCE)


def drawn(gone: QuerySet[Item], seed: int, size: int = SAMPLED) -> QuerySet[Item]:
    """Some of them to look at, with `why`: the same ones for the same seed, as long as nothing comes or goes."""
    ids = list(gone.order_by("pk").values_list("pk", flat=True))
    return gone.filter(pk__in=random.Random(seed).sample(ids, min(size, len(ids))))  # noqa: S311 - a sample, no secret


def restore(project: Project, *, by: User | None, items: QuerySet[Item] | None = None) -> Done:
    """Accept again what this filter has dropped: all of it, or those of `items` that it has."""
    wanted = dropped_items(project) if items is None else dropped_items(project).filter(pk__in=items.values("pk"))
    done, after, finished = Done(), 0, False
    while not finished:
        outcome = bulk.work_through(wanted, lambda item: leading.reinstate(item, by=by), project=project, after=after)
        after, finished = outcome.after, outcome.finished
        _add(done, outcome)
    return done


def _add(done: Done, outcome: bulk.Outcome) -> None:
    done.count += outcome.done
    done.left_out += outcome.left_out
