"""Calibration rounds, and the comparison of answers to checks with the expected ones.

The kind defines what counts as agreement. A calibration is worked before the queue opens: a few items of each group.
Its attempts are rounds of slots.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate import hidden_checks
from annotate.items import queue
from annotate.models import Annotation, Item, Member, Notification, Project, Readiness, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.notices.inbox import notify

EXPECTED = "expected"  # the rater of an expected answer of which only some fields count; `decided` lists them
OPEN: tuple[Any, ...] = (None, "")  # nothing is expected; an empty list can be expected, and means that none applies


@dataclass(frozen=True)
class CheckOutcome:
    """fields: the names that are judged, in the order of the form; wrong: those in which the answer differs."""

    fields: Sequence[str]
    wrong: Sequence[str]

    @property
    def n(self) -> int:
        return len(self.fields)

    @property
    def hits(self) -> int:
        return len(self.fields) - len(self.wrong)


@dataclass(frozen=True)
class CheckTally:
    """hits of n judged fields, and the number of checks."""

    hits: int = 0
    n: int = 0
    checks: int = 0

    @property
    def share(self) -> float | None:
        """None where nothing was judged."""
        return self.hits / self.n if self.n else None

    @property
    def percent(self) -> float | None:
        return 100 * self.hits / self.n if self.n else None

    def reaches(self, least: object) -> bool:
        """Whether the share is at least `least`; False if nothing was judged. Exact, as shares are stored."""
        return self.n > 0 and self.hits >= float(str(least)) * self.n - 1e-9


def outcome(annotation: Annotation, project: Project) -> CheckOutcome:
    """annotation: with its item and the item's base. Without an expected answer nothing is judged."""
    item, kind = annotation.item, project.kind
    if item.base is None:
        return CheckOutcome([], [])
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    drafts = [kind.upgrade(text.draft, text.schema) for text in (item.base, annotation)]
    counted = _compared_fields(item, project, facts)
    judged = [name for name in counted if drafts[0].get(name) not in OPEN]
    unsuitable = [kind.unsuitable(kind.read_draft(draft)) for draft in drafts]
    if all(unsuitable):
        return CheckOutcome(judged, [])
    differing_names = kind.disagreements(facts, drafts)
    if any(unsuitable):  # then the whole answer differs, and above all the field that says so
        whole = [name for name in counted if name in judged or name in differing_names]
        return CheckOutcome(whole, whole)
    return CheckOutcome(judged, [name for name in judged if name in differing_names])


def _compared_fields(item: Item, project: Project, facts: object) -> list[str]:
    """The names of the compared fields; without those that published data leaves open, where nobody can be wrong."""
    names = [field.name for field in project.kind.fields(facts) if not field.free]
    assert item.base is not None
    decided_names = item.base.decided if item.base.rater == EXPECTED else []
    return [name for name in names if name in decided_names] or names


def tally(annotations: Iterable[Annotation], project: Project) -> CheckTally:
    outcomes = [outcome(annotation, project) for annotation in annotations]
    return CheckTally(
        sum(answer_outcome.hits for answer_outcome in outcomes),
        sum(answer_outcome.n for answer_outcome in outcomes),
        len(outcomes),
    )


# Notifications: to leads and to the person concerned, each in their own language.


Words = Callable[[], str]


def in_language_of(user: User, words: Words) -> str:
    with override(user.language or settings.LANGUAGE_CODE):
        return words()


def tell(user: User, project: Project, verb: str, words: Words, *, by: User | None) -> None:
    notify(user, None, verb, by=by, note=in_language_of(user, words), project=project)


def tell_leads(project: Project, verb: str, words: Words) -> None:
    leads = Member.objects.filter(project=project, user__is_active=True).who_can(Member.Role.LEAD)
    for lead in leads.select_related("user").order_by("pk"):
        tell(lead.user, project, verb, words, by=None)


# The calibration round.


Purpose = Item.Purpose.CALIBRATION
NOTHING = CheckTally()


@dataclass(frozen=True)
class CalibrationStanding:
    """A person's progress in the calibration. attempt: 0 before the first; total, done: items of this attempt.

    tally: of a finished attempt. state: begin | running | waiting (for a lead's review) | failed | passed.
    """

    state: str
    attempt: int = 0
    total: int = 0
    done: int = 0
    tally: CheckTally = NOTHING

    @property
    def current(self) -> int:
        return min(self.done + 1, self.total)

    @property
    def next_attempt(self) -> int:
        return self.attempt + 1


def standing(member: Member) -> CalibrationStanding:
    """Reads only. Voided slots do not count, such as those of an item that a lead took out."""
    slots = list(_slots(member).values_list("round", "state", "pk"))

    def tally_of(slot_ids: Sequence[int]) -> CheckTally:
        return tally(answers(member, slot_ids), member.project)

    return standing_of(
        hidden_checks.requirements_of(member.project), slots, is_in=member.calibrated_at is not None, tally_of=tally_of
    )


def standing_of(
    readiness: Readiness | None,
    slots: Sequence[tuple[int, str, int]],
    *,
    is_in: bool,
    tally_of: Callable[[Sequence[int]], CheckTally],
) -> CalibrationStanding:
    """slots: (attempt, state, id) of one person; tally_of: what was answered in the slots with these ids."""
    attempt = max((round_ for round_, _state, _pk in slots), default=0)
    attempt_slots = [(state, pk) for round_, state, pk in slots if round_ == attempt]
    submitted_ids = [pk for state, pk in attempt_slots if state == Slot.State.SUBMITTED]
    if readiness is None or is_in:
        return CalibrationStanding("passed", attempt, len(attempt_slots), len(submitted_ids), tally_of(submitted_ids))
    if not attempt:
        return CalibrationStanding("begin")
    if len(submitted_ids) < len(attempt_slots):
        return CalibrationStanding("running", attempt, len(attempt_slots), len(submitted_ids))
    return _finished(readiness, attempt, len(submitted_ids), tally_of(submitted_ids))


def _finished(readiness: Readiness, attempt: int, total: int, answer_tally: CheckTally) -> CalibrationStanding:
    passed = "passed" if answer_tally.reaches(readiness.passes_at) else "failed"
    state = "waiting" if readiness.calibration_by == Readiness.By.REVIEW else passed
    return CalibrationStanding(state, attempt, total, total, answer_tally)


def answers(member: Member, slots: Sequence[int]) -> list[Annotation]:
    """The answers submitted in these slots, with items and expected answers."""
    if not slots:
        return []
    annotations = Annotation.objects.filter(slot__in=slots, author=member.user, submitted_at__isnull=False)
    return list(annotations.select_related("slot", "item__base").order_by("pk"))


def last_answers(member: Member) -> list[Annotation]:
    """The answers submitted in the newest attempt."""
    submitted_slots = list(_slots(member).filter(state=Slot.State.SUBMITTED).values_list("round", "pk"))
    newest = max((round_ for round_, _pk in submitted_slots), default=0)
    return answers(member, [pk for round_, pk in submitted_slots if round_ == newest])


def answer_in(member: Member, slot_id: int) -> Annotation | None:
    """This person's submitted answer in that slot of their own calibration; None for any other slot."""
    return next(iter(answers(member, list(_slots(member).filter(pk=slot_id).values_list("pk", flat=True)))), None)


def has_items(member: Member) -> bool:
    """Whether there are calibration items within the languages and groups of this person."""
    return hidden_checks.answered_for(member, Purpose).exists()


def _slots(member: Member) -> SlotQuerySet:
    return hidden_checks.own_slots_of(member).filter(item__purpose=Purpose)


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
    """Open an attempt if none is open; after a failed one only if `again` is set.

    Returns False if an attempt is open, if they have passed, or if the project has no items for it.
    """
    return bool(hidden_checks.until_free(lambda: _begin(member, again=again)))


def _begin(member: Member, *, again: bool) -> bool:
    # A request from a second window waits here, and then finds the attempt that the first one has opened.
    Member.objects.select_for_update().get(pk=member.pk)
    now = standing(member)
    if now.state != "begin" and not (again and now.state == "failed"):
        return False
    return bool(open_attempt(member, now.next_attempt))


def open_attempt(member: Member, attempt: int) -> list[Slot]:
    """Make a slot on each chosen item. Call it inside a transaction in which the member is locked."""
    return Slot.objects.bulk_create(
        Slot(
            item_id=pk,
            project_id=member.project_id,
            stage=Slot.Stage.ANNOTATE,
            round=attempt,
            no=hidden_checks.draw_number(),
            own=True,
            reserved_for=member.user,
        )
        for pk in choose_items(member)
    )


def choose_items(member: Member) -> list[int]:
    """Item ids, as many of each group as the project asks for: those that this person has had least often."""
    readiness = hidden_checks.requirements_of(member.project)
    had = Counter(_slots(member).values_list("item_id", flat=True))
    candidates = list(hidden_checks.answered_for(member, Purpose).order_by("group", "pk").values_list("group", "pk"))
    picked: list[int] = []
    for _group, rows in groupby(candidates, key=lambda row: row[0]):
        ids = [pk for _group, pk in rows]
        random.shuffle(ids)
        picked += sorted(ids, key=lambda pk: had[pk])[: readiness.calibration_each if readiness else 0]
    return picked


def settle(member: Member) -> bool:
    """Admit a person who has passed by the expected answers; returns whether they are admitted.

    Called in the transaction of the submission, and again when they ask for work, so that a missed call does no harm.
    """
    with transaction.atomic():
        locked = Member.objects.select_for_update().get(pk=member.pk)
        if locked.calibrated_at is None and standing(member).state == "passed":
            locked.calibrated_at = timezone.now()
            locked.save(update_fields=["calibrated_at"])
    member.calibrated_at = locked.calibrated_at
    return locked.calibrated_at is not None


def finish_attempt(member: Member) -> None:
    """Call it after each answer, inside its transaction: the last answer admits the person or waits for a lead."""
    if settle(member) or standing(member).state != "waiting":
        return

    def words() -> str:
        return _("%(name)s has submitted the calibration. Review it and let them in.") % {"name": member.user}

    tell_leads(member.project, Notification.Verb.CALIBRATE, words)
