"""How much waits for a member in their project, with their unread notifications, in one statement for the frame."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, IntegerField, Q, QuerySet, Subquery
from django.utils import timezone

from annotate import hidden_checks
from annotate.models import Annotation, Item, Member, Notification, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.prepared import prepared
from annotate.sqlite_hints import Unindexed

COUNTED_AT_MOST = 100  # a page of a project need not know whether 300 or 3,000 wait


@dataclass(frozen=True)
class Waiting:
    """to_annotate includes what was returned. None: not counted, because this person is handed only some of the items.

    A count of COUNTED_AT_MOST means as many or more.
    """

    unread: int = 0
    to_annotate: int | None = 0
    to_review: int = 0
    returned: int = 0
    drafts: int = 0

    @property
    def work(self) -> int:
        """What this person could do next, all together."""
        return min((self.to_annotate or 0) + self.to_review, COUNTED_AT_MOST)

    @property
    def unread_shown(self) -> str:
        return shown(self.unread)


def shown(count: int | None) -> str:
    """ "" for nothing, 99+ for what was not counted to its end."""
    if not count:
        return ""
    return str(count) if count < COUNTED_AT_MOST else f"{COUNTED_AT_MOST - 1}+"


def waiting_for(member: Member) -> Waiting:
    if not member.annotates:
        return Waiting(_of_viewer.rows(user=member.user_id)[0])
    in_turns = bool(member.project.kind.unit_column)
    counts = _COUNTS[member.reviews, in_turns]
    ids = {"user": member.user_id, "project": member.project_id, "now": timezone.now()}
    unread, returned, drafts, to_annotate, *to_review = counts.rows(**ids)[0]
    if member.languages or member.groups or member.project.kind.opinions:
        to_annotate = None
    elif member.project.paused or hidden_checks.is_closed(member, Slot.Stage.ANNOTATE):
        to_annotate = 0
    return Waiting(unread, to_annotate, sum(to_review), returned, drafts)


class Counted(Subquery):
    """The number of rows of a queryset, counted up to `most`."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"

    def __init__(self, rows: QuerySet[Any], most: int = COUNTED_AT_MOST) -> None:
        super().__init__(rows.order_by().values("pk")[:most], output_field=IntegerField())


def _unread(user: Any) -> Counted:
    return Counted(Notification.objects.filter(user=user, read_at=None))


@prepared
def _of_viewer(user: int) -> QuerySet[User, Any]:
    return User.objects.filter(pk=user).values_list(_unread(user))


@prepared
def _of_annotator(user: int, project: int, now: datetime) -> QuerySet[User, Any]:
    return User.objects.filter(pk=user).values_list(*_work_counts(user, project, now))


@prepared
def _of_reviewer(user: int, project: int, now: datetime) -> QuerySet[User, Any]:
    return User.objects.filter(pk=user).values_list(*_work_counts(user, project, now), *_reviews(user, project, now))


@prepared
def _of_annotator_in_turns(user: int, project: int, now: datetime) -> QuerySet[User, Any]:
    return User.objects.filter(pk=user).values_list(*_work_counts(user, project, now, in_turns=True))


@prepared
def _of_reviewer_in_turns(user: int, project: int, now: datetime) -> QuerySet[User, Any]:
    work = _work_counts(user, project, now, in_turns=True)
    return User.objects.filter(pk=user).values_list(*work, *_reviews(user, project, now))


# (reviews, whether items belong together, so that people have turns) -> the statement
_COUNTS = {
    (False, False): _of_annotator,
    (True, False): _of_reviewer,
    (False, True): _of_annotator_in_turns,
    (True, True): _of_reviewer_in_turns,
}


def _reviews(user: Any, project: Any, now: Any) -> list[Counted]:
    """Counted one by one, because each state has an index without the millions of other slots."""
    slots = Slot.objects.filter(project_id=project)
    return [Counted(of_state.fitting_reviews(user, now)) for of_state in (slots.open(), slots.held())]


def _work_counts(user: Any, project: Any, now: Any, *, in_turns: bool = False) -> list[Counted]:
    slots = Slot.objects.filter(project_id=project)
    # Few slots are reserved and few drafts unfinished: SQLite must not begin with all slots of the project.
    in_project = Slot.objects.alias(of_project=Unindexed(F("project_id"))).filter(of_project=project)
    reserved = in_project.open().filter(reserved_for=user, item__purpose=Item.Purpose.WORK)
    returned = reserved.filter(Q(reserved_until=None) | Q(reserved_until__gt=now))
    texts = Annotation.objects.filter(author=user, submitted_at=None, revision__gt=0)
    texts = texts.alias(of_project=Unindexed(F("slot__project_id"))).filter(of_project=project)
    loose = texts.filter(~Q(slot__state=Slot.State.HELD) | ~Q(slot__holder=user))
    takeable = _takeable(slots, user, now)
    takeable = takeable.in_nobody_elses_turn(user, now) if in_turns else takeable
    return [_unread(user), Counted(returned), Counted(loose), Counted(takeable)]


def _takeable(slots: SlotQuerySet, user: Any, now: Any) -> SlotQuerySet:
    stage = Slot.Stage.ANNOTATE
    fitting = slots.open().filter(stage=stage).due(now).reserved_for_nobody_else(user, now)
    return fitting.not_skipped_by(user).not_already_in(user).not_own_work(user, stage)
