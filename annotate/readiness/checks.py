"""Checks among the work: when one is handed out, how it replaces an item of the queue, and how it is counted.

Whether the n-th hand-out of a person is a check is drawn from a keyed hash. So the result is the same on every call,
and the checks to come can be counted beforehand: "12 of 80" is right whether the twelfth was a check or not.
"""

import uuid
from collections.abc import Iterable
from decimal import Decimal

from django.db.models import Exists, F, OuterRef, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotate import hidden_checks
from annotate.items import flow, leases, queue
from annotate.models import Annotation, Item, Member, Notification, Project, Readiness, Skip, Slot, User
from annotate.models.items import ItemQuerySet
from annotate.readiness import calibration
from annotate.readiness.calibration import CheckTally, tally

PURPOSES = (Item.Purpose.GOLD, Item.Purpose.ATTENTION)
SALT = "annotate.readiness"


def check_requirements(member: Member) -> Readiness | None:
    """The requirements for a person who gets checks in their stream; None for others, and where there are no checks."""
    readiness = None if member.leads else hidden_checks.requirements_of(member.project)
    return readiness if readiness is not None and readiness.check_share > 0 else None


def is_drawn(member: Member, number: int, share: Decimal) -> bool:
    """Whether this person's hand-out with this number, from 0, is a check."""
    return _number(member, f"place-{number}") < share


def _number(member: Member, label: str) -> float:
    """A fixed number in 0..1 for a member and label; it cannot be predicted without the installation's key."""
    digest = salted_hmac(SALT, f"{member.pk}:{label}", algorithm="sha256").digest()
    return int.from_bytes(digest[:8]) / 2**64


def unseen_checks(member: Member) -> ItemQuerySet:
    """The checks that this person has not had."""
    had = Slot.objects.filter(item=OuterRef("pk"), own=True, reserved_for=member.user)
    skipped = Skip.objects.filter(item=OuterRef("pk"), person=member.user)
    return hidden_checks.answered_for(member, *PURPOSES).filter(~Exists(had), ~Exists(skipped))


def submitted_count(member: Member) -> int:
    """How many items of the stream this person has submitted, which is the number of the next one."""
    return Slot.objects.done_by(member.user, project=member.project_id).count()


def still_to_come(member: Member, *, first: int, work: int) -> int:
    """How many checks are handed out before this many work items are done, the next hand-out being number `first`."""
    readiness = check_requirements(member)
    check_count = unseen_checks(member).count() if readiness and work else 0
    total, number = 0, first
    while readiness and work > 0 and total < check_count:
        if is_drawn(member, number, readiness.check_share):
            total += 1
        else:
            work -= 1
        number += 1
    return total


def next_check(member: Member) -> Slot | None:
    """A check for this person, held, where their next hand-out is one and the queue has work to hide it in."""
    readiness = check_requirements(member)
    if readiness is None or queue.reached_limit(member) or _holds_something(member):
        return None
    if not is_drawn(member, submitted_count(member), readiness.check_share):
        return None
    ids = list(unseen_checks(member).values_list("pk", flat=True))
    if not ids:
        return None
    # Two windows at once draw the same check: the second fails at one_slot_a_person_a_round and finds the held slot.
    item_id = min(ids, key=lambda pk: _number(member, f"item-{pk}"))
    pk = hidden_checks.until_free(lambda: _take_the_place(member, item_id))
    return Slot.objects.select_related("item__base__slot").get(pk=pk) if pk else None


def _holds_something(member: Member) -> bool:
    slots = Slot.objects.held_by(member.user).filter(project_id=member.project_id, stage=Slot.Stage.ANNOTATE)
    return slots.exists()


def _take_the_place(member: Member, item_id: int) -> int | None:
    """Put the check into the slot that would have been handed out; its work item gets a new slot at the queue's end.

    So the number in the address does not reveal that the check was made for one person.
    """
    if _holds_something(member):
        return None
    slot = _next_of_the_queue(member)
    if slot is None:
        return None
    for pk in sorted([slot.item_id, item_id]):  # the lock order for several items
        flow.lock(pk)
    if not Item.objects.filter(pk=item_id, state=Item.State.ACCEPTED, purpose__in=PURPOSES).exists():
        return None
    now = timezone.now()
    open_slot = Slot.objects.open().filter(pk=slot.pk, item_id=slot.item_id, reserved_for=None)
    changed = open_slot.update(
        item_id=item_id,
        round=Item.objects.values_list("round", flat=True).get(pk=item_id),
        no=hidden_checks.draw_number(),
        own=True,
        unit=None,
        state=Slot.State.HELD,
        holder=member.user,
        reserved_for=member.user,
        token=uuid.uuid4(),
        lease_until=leases.lease_end(member.project, now),
    )
    if not changed:
        return None
    same = ("item_id", "project_id", "stage", "round", "no", "priority", "opens_at", "blind", "unit")
    Slot.objects.create(**{name: getattr(slot, name) for name in same})
    return slot.pk


def _next_of_the_queue(member: Member) -> Slot | None:
    """The next slot that nobody has written in and that is reserved for nobody."""
    fresh = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).filter(reserved_for=None)
    fresh = fresh.filter(item__purpose=Item.Purpose.WORK, own=False, about=None)
    return fresh.filter(~Exists(Annotation.objects.filter(slot=OuterRef("pk")))).first()


# The share of right checks in a person's stream, and the pause when it is too low.


def recent(project: Project, members: Iterable[Member], window: int) -> dict[int, list[Annotation]]:
    """account -> their last checks, newest first, since a lead last ended a pause; in one query."""
    condition = Q(pk=None)
    for member in members:
        since = Q(submitted_at__gt=member.checks_since) if member.checks_since else Q()
        condition |= Q(author_id=member.user_id) & since
    newest = Window(RowNumber(), partition_by=[F("author")], order_by=[F("submitted_at").desc(), F("pk").desc()])
    answers = Annotation.objects.filter(
        condition,
        slot__project=project,
        slot__own=True,
        item__purpose__in=PURPOSES,
        submitted_at__isnull=False,
    )
    newest_answers = answers.annotate(place=newest).filter(place__lte=window).select_related("item__base", "slot")
    by_person: dict[int, list[Annotation]] = {}
    for answer in newest_answers.order_by("-submitted_at", "-pk"):
        by_person.setdefault(answer.author_id or 0, []).append(answer)
    return by_person


def pause_below_floor(member: Member) -> None:
    """Pause a person below the floor, and notify them and the leads. Call it after each check, in its transaction."""
    readiness = hidden_checks.requirements_of(member.project)
    if readiness is None or not readiness.floor:
        return
    # Two answers at once are counted one after the other, so that the later one sees both.
    locked = Member.objects.select_for_update().get(pk=member.pk)
    answers = recent(member.project, [locked], readiness.window).get(member.user_id, [])
    answer_tally = tally(answers, member.project)
    if locked.paused_at is None and len(answers) >= readiness.window and not answer_tally.reaches(readiness.floor):
        _pause(member, readiness, answer_tally)


def _pause(member: Member, readiness: Readiness, answer_tally: CheckTally) -> None:
    figures = {
        "name": member.user,
        "checks": answer_tally.checks,
        "share": round(answer_tally.percent or 0),
        "floor": round(100 * readiness.floor),
    }

    def reason() -> str:
        return (
            _(
                "Some items in your work have a known answer. In your last %(checks)d of them, %(share)d%% "
                "of the fields were as expected; this project requires %(floor)d%%."
            )
            % figures
        )

    def word() -> str:
        return (
            _(
                "%(name)s is paused: in the last %(checks)d checks, %(share)d%% of the fields were as "
                "expected; %(floor)d%% are required. Look at the checks, talk to them, then let them "
                "continue."
            )
            % figures
        )

    Member.objects.filter(pk=member.pk, paused_at=None).update(
        paused_at=timezone.now(), paused_reason=calibration.in_language_of(member.user, reason)
    )
    calibration.tell_leads(member.project, Notification.Verb.PAUSED, word)
    calibration.tell(member.user, member.project, Notification.Verb.PAUSED, reason, by=None)


# An answer to a check: the state of its item does not change, and the answer counts for the person.


def take(item: Item, annotation: Annotation, *, by: User) -> None:
    """Call it inside the transaction of the submission. item: with its project, locked."""
    flow.record(item, "submitted", by=by, annotation=annotation)
    member = Member.objects.select_related("project__readiness", "user").filter(project=item.project, user=by).first()
    if member is None:  # they have left the project meanwhile
        return
    if item.purpose == Item.Purpose.CALIBRATION:
        calibration.finish_attempt(member)
    elif item.purpose != Item.Purpose.WORK:
        pause_below_floor(member)


# The next slot for the work page.


def next_slot(member: Member) -> Slot | None:
    """The next annotation slot, held: calibration, a check, or from the queue. None when there is nothing."""
    if member.project.paused or member.paused_at is not None:
        return None
    if hidden_checks.must_calibrate(member):
        if slot := calibration.next_slot(member):
            return slot
    elif slot := next_check(member):
        return slot
    return queue.claim_next(member, Slot.Stage.ANNOTATE)
