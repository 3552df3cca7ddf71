"""The calibration round: a few items of each group, worked before the queue opens. Its attempts are rounds of slots."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Annotation, Item, Member, Notification, Readiness, Slot
from annotate.models.work import SlotQuerySet
from annotate.services import queue
from annotate.services.readiness import asking, places, telling
from annotate.services.readiness.outcomes import Tally, tally

Purpose = Item.Purpose.CALIBRATION
NOTHING = Tally()


@dataclass(frozen=True)
class Standing:
    """Where somebody is. attempt: 0 before the first; total, done: items of this attempt.

    tally: of a finished attempt. state: begin | running | waiting (for a lead's review) | failed | passed.
    """

    state: str
    attempt: int = 0
    total: int = 0
    done: int = 0
    tally: Tally = NOTHING

    @property
    def current(self) -> int:
        return min(self.done + 1, self.total)

    @property
    def next_attempt(self) -> int:
        return self.attempt + 1


def standing(member: Member) -> Standing:
    """Reads only. What was voided, as by a lead who took an item out, does not count."""
    slots = list(_slots(member).values_list("round", "state", "pk"))

    def tally_of(slot_ids: Sequence[int]) -> Tally:
        return tally(answers(member, slot_ids), member.project)

    return standing_of(
        asking.asked_by(member.project), slots, is_in=member.calibrated_at is not None, tally_of=tally_of
    )


def standing_of(
    readiness: Readiness | None,
    slots: Sequence[tuple[int, str, int]],
    *,
    is_in: bool,
    tally_of: Callable[[Sequence[int]], Tally],
) -> Standing:
    """slots: (attempt, state, id) of one person; tally_of: what was answered in the slots with these ids."""
    attempt = max((round_ for round_, _state, _pk in slots), default=0)
    attempt_slots = [(state, pk) for round_, state, pk in slots if round_ == attempt]
    submitted_ids = [pk for state, pk in attempt_slots if state == Slot.State.SUBMITTED]
    if readiness is None or is_in:
        return Standing("passed", attempt, len(attempt_slots), len(submitted_ids), tally_of(submitted_ids))
    if not attempt:
        return Standing("begin")
    if len(submitted_ids) < len(attempt_slots):
        return Standing("running", attempt, len(attempt_slots), len(submitted_ids))
    return _finished(readiness, attempt, len(submitted_ids), tally_of(submitted_ids))


def _finished(readiness: Readiness, attempt: int, total: int, answer_tally: Tally) -> Standing:
    passed = "passed" if answer_tally.reaches(readiness.passes_at) else "failed"
    state = "waiting" if readiness.calibration_by == Readiness.By.REVIEW else passed
    return Standing(state, attempt, total, total, answer_tally)


def answers(member: Member, slots: Sequence[int]) -> list[Annotation]:
    """What was handed in in these slots, with items and expected answers."""
    if not slots:
        return []
    annotations = Annotation.objects.filter(slot__in=slots, author=member.user, submitted_at__isnull=False)
    return list(annotations.select_related("slot", "item__base").order_by("pk"))


def last_answers(member: Member) -> list[Annotation]:
    """What was handed in in the newest attempt."""
    submitted_slots = list(_slots(member).filter(state=Slot.State.SUBMITTED).values_list("round", "pk"))
    newest = max((round_ for round_, _pk in submitted_slots), default=0)
    return answers(member, [pk for round_, pk in submitted_slots if round_ == newest])


def answer_in(member: Member, slot_id: int) -> Annotation | None:
    """What this person handed in in that slot of a calibration of theirs; None for any other slot."""
    return next(iter(answers(member, list(_slots(member).filter(pk=slot_id).values_list("pk", flat=True)))), None)


def has_items(member: Member) -> bool:
    """Whether there is anything for an attempt within what is given to this person."""
    return places.answered_for(member, Purpose).exists()


def _slots(member: Member) -> SlotQuerySet:
    return places.places_of(member).filter(item__purpose=Purpose)


def next_slot(member: Member) -> Slot | None:
    """The next item of the attempt, held; the first attempt begins here. None when there is nothing to hand out."""
    if settle(member):
        return None
    held = _slots(member).held_by(member.user).order_by("pk").first()
    if held:
        return held
    begin(member)
    open_slots = _slots(member).open().not_skipped_by(member.user).order_by("round", "pk")
    for pk in open_slots.values_list("pk", flat=True):
        if slot := queue.claim(pk, member):
            return slot
    return None


def begin(member: Member, *, again: bool = False) -> bool:
    """Open an attempt, if none is open; another one after a failed one only where `again` asks for it.

    False where there is one, where they have passed, or where the project has no items for it.
    """
    return bool(places.until_free(lambda: _begin(member, again=again)))


def _begin(member: Member, *, again: bool) -> bool:
    # Whoever asks in a second window waits here, and then finds the attempt that the first one has opened.
    Member.objects.select_for_update().get(pk=member.pk)
    now = standing(member)
    if now.state != "begin" and not (again and now.state == "failed"):
        return False
    return bool(open_attempt(member, now.next_attempt))


def open_attempt(member: Member, attempt: int) -> list[Slot]:
    """Inside a transaction in which the member is locked: a slot on each chosen item."""
    return Slot.objects.bulk_create(
        Slot(
            item_id=pk,
            project_id=member.project_id,
            stage=Slot.Stage.ANNOTATE,
            round=attempt,
            no=places.drawn_number(),
            reserved_for=member.user,
        )
        for pk in chosen(member)
    )


def chosen(member: Member) -> list[int]:
    """The ids of so many items of each group as are asked for: those that this person has had least often."""
    readiness = asking.asked_by(member.project)
    had = Counter(_slots(member).values_list("item_id", flat=True))
    candidates = list(places.answered_for(member, Purpose).order_by("group", "pk").values_list("group", "pk"))
    picked: list[int] = []
    for _group, rows in groupby(candidates, key=lambda row: row[0]):
        ids = [pk for _group, pk in rows]
        random.shuffle(ids)
        picked += sorted(ids, key=lambda pk: had[pk])[: readiness.calibration_each if readiness else 0]
    return picked


def settle(member: Member) -> bool:
    """Let somebody in who has passed by the expected answers; whether they are in.

    In the transaction of the submission, and again when they ask for work: nothing depends on one moment.
    """
    with transaction.atomic():
        locked = Member.objects.select_for_update().get(pk=member.pk)
        if locked.calibrated_at is None and standing(member).state == "passed":
            locked.calibrated_at = timezone.now()
            locked.save(update_fields=["calibrated_at"])
    member.calibrated_at = locked.calibrated_at
    return locked.calibrated_at is not None


def handed_in(member: Member) -> None:
    """After each answer, inside its transaction: the last one of an attempt lets in, or waits for a lead."""
    if settle(member) or standing(member).state != "waiting":
        return

    def words() -> str:
        return _("%(name)s has handed in the calibration. Look at it and let them in.") % {"name": member.user}

    telling.tell_leads(member.project, Notification.Verb.CALIBRATE, words)
