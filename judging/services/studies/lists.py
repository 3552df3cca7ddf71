"""Studies with their progress, for leads of both projects: whoever leads only one of them learns nothing of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotate.kinds import all_kinds
from annotate.models import Member, Project, Slot, User
from judging.models import Study


@dataclass(frozen=True)
class Progress:
    """How many votes are in, of how many that are wanted."""

    study: Study
    done: int
    wanted: int
    held: int

    @property
    def is_closed(self) -> bool:
        return self.study.closed_at is not None


def studies_for(user: User, project: Project) -> QuerySet[Study]:
    """Studies drawn from this project or voted on in it, of which this person leads both sides."""
    led = Member.objects.filter(user=user, role=Member.Role.LEAD).values("project")
    both = Study.objects.filter(source__in=led, project__in=led)
    return both.filter(Q(source=project) | Q(project=project)).select_related("source", "project", "created_by")


def pairs_are_voted_on(source: Project) -> bool:
    """Whether a study of pairs of this project's answers is still running."""
    pairs = [slug for slug, kind in all_kinds().items() if kind.answers_shown == 2]
    return Study.objects.filter(source=source, project__kind_slug__in=pairs, closed_at=None).exists()


def with_progress(studies: Sequence[Study]) -> list[Progress]:
    """One query however many."""
    votes = Slot.objects.filter(item__ballot__study__in=studies, stage=Slot.Stage.ANNOTATE, item__purpose="work")
    counted = votes.values("item__ballot__study").annotate(
        done=Count("pk", filter=Q(state=Slot.State.SUBMITTED)),
        held=Count("pk", filter=Q(state=Slot.State.HELD)),
        wanted=Count("pk", filter=~Q(state=Slot.State.VOID)),
    )
    rows = {row["item__ballot__study"]: row for row in counted}
    none = {"done": 0, "wanted": 0, "held": 0}
    return [
        Progress(study, *((rows.get(study.pk) or none)[name] for name in ("done", "wanted", "held")))
        for study in studies
    ]


def close(study: Study) -> int:
    """Nobody gets a vote of this study any more; what somebody has in hand can be finished. How many were open."""
    with transaction.atomic():
        Study.objects.filter(pk=study.pk, closed_at=None).update(closed_at=timezone.now())
        open_slots = Slot.objects.filter(item__ballot__study=study, state=Slot.State.OPEN)
        # By their ids: an UPDATE cannot join, and a claim in this moment keeps what it has got.
        ids = list(open_slots.values_list("pk", flat=True))
        return Slot.objects.filter(pk__in=ids, state=Slot.State.OPEN).update(
            state=Slot.State.VOID, reserved_for=None, reserved_until=None
        )
