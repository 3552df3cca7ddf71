"""What one person does in a race, again and again, and what they say they received."""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from annotate.chores import erase_withdrawn
from annotate.chores import reopen_stale as reopening_job
from annotate.engine.purposes import purposes
from annotate.errors import LeaseLost, StaleDraft, WrongState
from annotate.guidelines import reopen, rulings
from annotate.guidelines.stale import StaleFilters
from annotate.items import actions, drafts, leases, queue
from annotate.kinds import find_kind
from annotate.kinds.protocol import Prompts
from annotate.models import Annotation, Guideline, Invitation, Item, Member, Participant, Precedent, Run, Slot, User
from annotate.people import accounts
from annotate.people.members import change_member
from annotate.review import adjudication, claim, decisions
from annotate.review import take_back as review_take_back
from annotate.review.adjudication import table_of
from annotate.survey import withdrawal
from annotate.work import submit
from annotate.work.desk import open_next, set_aside
from tests.support.scripted import Script

Received = Iterator[dict[str, Any]]
MADE_WORSE = {"perturbed_answer": "The canal is 28 kilometres long.", "explanation": "82 became 28."}


def claim_and_finish(member: Member, *, stage: str) -> Received:
    """Until nothing is left: take a slot and finish it at once."""
    while slot := queue.claim_next(member, stage):
        with transaction.atomic():
            leases.finish(slot, _token(slot), member.user_id)
        yield {"slot": slot.pk, "item": slot.item_id}


def claim_and_release(member: Member, *, stage: str, times: int) -> Received:
    """Take a slot and hand it back; says between which moments the person was sure to hold it."""
    for _time in range(times):
        slot = queue.claim_next(member, stage)
        if slot is None:
            continue
        held_from = time.monotonic_ns()
        token = _token(slot)
        yield {"slot": slot.pk, "from": held_from, "until": time.monotonic_ns()}
        leases.release(slot, token)


def work(member: Member) -> Received:
    """Write and review whatever is there, until nothing is: accept, fix and send back in turn."""
    decision = 0
    while True:
        review = queue.claim_next(member, "review")
        slot = review or queue.claim_next(member, "annotate")
        if slot is None:
            return
        if review:
            decision += 1
            wrote = _decide(member, slot, decision)
        else:
            wrote = _write(member, slot)
        yield {"item": slot.item_id, "stage": slot.stage, "round": slot.round, "wrote": wrote}


def decide_everything(member: Member) -> Received:
    """Write, review and adjudicate whatever is there, each as this person sees it, until nothing is."""
    mine = member.user.pk % 3
    while True:
        for stage in ("adjudicate", "review", "annotate"):
            if slot := queue.claim_next(member, stage):
                break
        else:
            return
        if stage == "annotate":
            _write(member, slot, error=mine if slot.item_id % 2 else 0)
        elif stage == "review":
            _decide(member, slot, mine + slot.item_id)
        else:
            _adjudicate(member, slot)
        yield {"item": slot.item_id, "stage": stage, "round": slot.round, "slot": slot.pk}


def take_and_hand_in(member: Member, *, error: int = 0) -> Received:
    """A window of the work page: take what is handed out, calibration and checks too, and hand it in, to the end.

    What another window of the same person has handed in meanwhile is too late here.
    """
    while slot := open_next(Member.objects.select_related("project__readiness", "user").get(pk=member.pk)):
        try:
            _write(member, slot, error=error)
        except (LeaseLost, StaleDraft):
            yield {"did": "too late", "item": slot.item_id}
        else:
            yield {"did": "submitted", "item": slot.item_id}


def hand_in(member: Member, *, annotation: int, token: str) -> Received:
    """Submit once, as a double click or a retry does."""
    mine = Annotation.objects.select_related("slot", "suggestion").get(pk=annotation)
    try:
        submit.submit(annotation=mine, token=UUID(token), by=member.user)
    except (LeaseLost, WrongState) as refused:
        yield {"did": type(refused).__name__, "item": mine.item_id}
    else:
        yield {"did": "submitted", "item": mine.item_id}


def take_back(member: Member, *, annotation: int) -> Received:
    mine = Annotation.objects.select_related("slot").get(pk=annotation)
    try:
        submit.undo(annotation=mine, by=member.user)
    except WrongState:
        yield {"did": "refused", "item": mine.item_id}
    else:
        yield {"did": "taken back", "item": mine.item_id}


def accept_review(member: Member, *, review: int, token: str) -> Received:
    mine = Annotation.objects.select_related("slot").get(pk=review)
    try:
        decisions.accept(review=mine, token=UUID(token), by=member.user)
    except (LeaseLost, WrongState) as refused:
        yield {"did": type(refused).__name__, "item": mine.item_id}
    else:
        yield {"did": "accepted", "item": mine.item_id}


def take_decision_back(member: Member, *, review: int) -> Received:
    mine = Annotation.objects.select_related("slot").get(pk=review)
    try:
        review_take_back.take_back(review=mine, by=member.user)
    except (WrongState, LeaseLost):
        yield {"did": "refused", "item": mine.item_id}
    else:
        yield {"did": "taken back", "item": mine.item_id}


def take_up(member: Member, *, slot: int) -> Received:
    """Claim one slot."""
    taken = queue.claim(slot, member)
    yield {"did": "taken up" if taken else "too late", "item": Slot.objects.get(pk=slot).item_id if taken else None}


def drop_everything(member: Member) -> Received:
    """A lead empties the project in one go."""
    items = Item.objects.filter(project=member.project)

    def drop(item: Item) -> None:
        actions.drop(item, by=member.user, reason="other", note="n")

    outcome = actions.work_through(items, drop, project=member.project)
    yield {"did": "dropped", "count": outcome.done}


def rule_on_all(member: Member, *, questions: list[tuple[int, int]]) -> Received:
    """A lead rules on every question, as it stood when their page was opened."""
    for pk, last in questions:
        ruling = f"{member.user.username} on {pk}"
        try:
            one = Precedent.objects.get(pk=pk)
            rulings.rule(precedent=one, by=member.user, ruling=ruling, everywhere=True, based_on=last)
        except rulings.Outruled as raced:
            yield {"did": "was told", "question": pk, "theirs": raced.theirs}
        else:
            yield {"did": "ruled", "question": pk, "ruling": ruling}


def demote(member: Member, *, username: str) -> Received:
    """A lead makes another one viewer."""
    lead = Member.objects.select_related("project", "user").get(user__username=username)
    change_member(lead, by=member.user, role="viewer")
    yield {"did": "demoted"}


def join_as_guest(member: Member, *, invitation: int, guest: str) -> Received:
    """Open an invitation with a new account; `giver` is the role of its maker at the end of the transaction."""
    stored = Invitation.objects.get(pk=invitation)
    try:
        with transaction.atomic():
            accounts.accept(stored, user=User.objects.create(username=guest))
            role = Member.objects.get(project=stored.project_id, user=stored.created_by_id).role
    except accounts.Lapsed:
        yield {"did": "was late"}
    else:
        yield {"did": "joined", "giver": role}


def reopen_stale(member: Member) -> Received:
    """A lead reopens everything that the newest guidelines make stale."""
    guideline = Guideline.objects.filter(project=member.project).latest("version")
    made = reopen.begin(cause=guideline, by=member.user, filters=StaleFilters())
    reopening_job.work(made.pk)
    made.refresh_from_db()
    yield {"did": "reopened", "reopened": made.reopened}


def make_worse(member: Member, *, run: int) -> Received:
    """What a worker does with the jobs of one run of perturbations, each in its own transaction."""
    of, purpose = Run.objects.select_related("project", "endpoint").get(pk=run), purposes()["perturb"]
    kind = find_kind("perturbation")
    for case in purpose.load(of, list(of.jobs.order_by("pk")), Prompts(kind.wordings(), {})):
        made = asyncio.run(purpose.work(case, Script({"number-errors": MADE_WORSE})))
        with transaction.atomic():
            purpose.store(case, made)
        yield {"item": case.item.pk, "run": run}


def adjudicate_at_once(member: Member, *, slot: int) -> Received:
    """Take the adjudication up, if it is to be had, and decide it twice, as a double click does."""
    taken = queue.claim(slot, member)
    if taken is None:
        yield {"did": "too late"}
        return
    _adjudicate(member, taken)
    yield {"did": "decided"}
    try:
        review = Annotation.objects.select_related("slot").get(slot=taken, author=member.user)
        adjudication.accept(review=review, token=_token(taken), by=member.user, note="n")
    except (LeaseLost, WrongState):
        yield {"did": "refused"}
    else:
        yield {"did": "decided"}


def review_at_once(member: Member, *, slot: int) -> Received:
    taken = queue.claim(slot, member)
    if taken is None:
        yield {"did": "too late"}
        return
    review = _open(member, taken)
    decisions.accept(review=review, token=_token(taken), by=member.user)
    yield {"did": "decided"}


def sweep(member: Member, *, times: int) -> Received:
    for _time in range(times):
        yield {"did": "swept", "count": leases.sweep(timezone.now() + timedelta(days=1))}


def _token(slot: Slot) -> UUID:
    assert slot.token is not None
    return slot.token


ERRORS = ("Logical Error", "Factual Error", "Incomplete Answer")


def _adjudicate(member: Member, slot: Slot) -> None:
    """Takes the first text whole."""
    claim.open_review(slot, member)
    review = Annotation.objects.select_related("slot").get(slot=slot, author=member.user)
    item = Item.objects.select_related("project").get(pk=slot.item_id)
    table = table_of(Slot.objects.select_related("about").get(pk=slot.pk), item)
    names = [one.name for one in table.disputed]
    drafts.save(review, table.candidates[0].draft, revision=review.revision, decided=names)
    adjudication.accept(review=review, token=_token(slot), by=member.user, note="n")


def _write(member: Member, slot: Slot, error: int = 0) -> bool:
    annotation = _open(member, slot)
    if error:
        draft = {**annotation.draft, "error_type": [ERRORS[error]]}
        annotation = drafts.save(annotation, draft, revision=annotation.revision, decided=[])
    submit.submit(annotation=annotation, token=_token(slot), by=member.user)
    return True


def _decide(member: Member, slot: Slot, number: int) -> bool:
    """Every third review is a fix, every fifth comes back once."""
    review, token = _open(member, slot), _token(slot)
    if number % 5 == 0 and slot.round == 1:
        reason = decisions.Reason("feedback", "Say which error you mean.")
        decisions.send_back(review=review, token=token, by=member.user, reasons=[reason])
        return False
    if number % 3 == 0:
        draft = {**review.draft, "feedback": f"{review.draft['feedback']} Check again."}
        drafts.save(review, draft, revision=review.revision, decided=[])
        decisions.fix_and_accept(review=review, token=token, by=member.user)
        return True
    decisions.accept(review=review, token=token, by=member.user)
    return False


def keep_writing(member: Member, *, word: str, times: int) -> Received:
    """Claim what there is and save it again and again, until nobody may any more."""
    while slot := queue.claim_next(member, "annotate"):
        mine = _open(member, slot)
        for number in range(times):
            draft = {**mine.draft, "first_question": f"{word} {number}"}
            try:
                mine = _saved_or_set_aside(mine, draft)
            except WrongState:
                yield {"told": slot.item_id}
                break


def _saved_or_set_aside(mine: Annotation, draft: dict[str, Any]) -> Annotation:
    """As the work page does it. Raises WrongState."""
    try:
        return drafts.save(mine, draft, revision=mine.revision, decided=[])
    except StaleDraft:
        set_aside(mine, draft)
        return mine


def withdraw_everything(member: Member) -> Received:
    for participant in Participant.objects.filter(survey__project=member.project).order_by("pk"):
        made = withdrawal.begin(participant)
        erase_withdrawn.work(made.pk)
        yield {"withdrawn": participant.pk}


def _open(member: Member, slot: Slot) -> Annotation:

    item = Item.objects.get(pk=slot.item_id)
    return drafts.open_draft(slot, author=member.user, item=item, project=member.project)


ACTIONS: dict[str, Callable[..., Received]] = {
    action.__name__: action
    for action in (
        claim_and_finish,
        claim_and_release,
        work,
        take_and_hand_in,
        decide_everything,
        hand_in,
        take_back,
        accept_review,
        take_decision_back,
        take_up,
        drop_everything,
        rule_on_all,
        reopen_stale,
        make_worse,
        keep_writing,
        withdraw_everything,
        adjudicate_at_once,
        review_at_once,
        sweep,
        demote,
        join_as_guest,
    )
}
