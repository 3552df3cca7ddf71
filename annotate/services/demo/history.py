"""Replays fixtures/feedback_demo_history.jsonl with the services that people use, one line a step."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import F

from annotate.models import Annotation, Comment, Item, Member, Notification, Precedent, Project, Slot
from annotate.services import comments, drafts, precedents, projects, queue, reviewing, submitting
from annotate.services.demo import dates
from annotate.services.reviewing import Reason

FOLDER = Path(settings.BASE_DIR) / "fixtures"


@dataclass(frozen=True)
class Step:
    """What somebody did: on which day (counted back from today) and when, with which changes to the draft."""

    day: int
    at: str
    who: str
    does: str
    key: str
    seconds: int = 60
    set: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    reason: str = ""
    reasons: list[dict[str, str]] = field(default_factory=list)
    answer: str = ""
    field: str = ""


def replay(project: Project) -> None:
    lines = (FOLDER / "feedback_demo_history.jsonl").read_text(encoding="utf-8").splitlines()
    for step in (Step(**json.loads(line)) for line in lines):
        member = Member.objects.select_related("project", "user").get(project=project, user__username=step.who)
        if step.day == 0:  # what somebody holds now is held now
            STEPS[step.does](step, member)
        else:
            with dates.dated(project, dates.moment(step.day, step.at), seconds=step.seconds):
                STEPS[step.does](step, member)
    _read_older_messages(project)


def _read_older_messages(project: Project) -> None:
    """People who came to work since then have read what was told to them before."""
    older = Notification.objects.filter(project=project, created_at__lt=dates.moment(3, "00:00"))
    older.update(read_at=F("created_at"))


def publish_guidelines(project: Project, *, by: Any, note: str) -> None:
    version = project.guidelines.count() + 1
    text = (FOLDER / f"feedback_guidelines_{version}.md").read_text(encoding="utf-8")
    projects.write_guideline(project, text=text, note=note, by=by, based_on=version - 1)


def _submit(step: Step, member: Member) -> None:
    annotation = _begin(step, member)
    submitting.submit(annotation=annotation, token=_lease(annotation), by=member.user)


def _hold(step: Step, member: Member) -> None:
    _begin(step, member)


def _skip(step: Step, member: Member) -> None:
    slot = _claim(step, member)
    assert slot.token is not None
    queue.skip(slot, slot.token, person=member.user, reason=step.reason, note=step.note)


def _accept(step: Step, member: Member) -> None:
    review = _begin(step, member)
    reviewing.accept(review=review, token=_lease(review), by=member.user)


def _fix(step: Step, member: Member) -> None:
    review = _begin(step, member)
    reviewing.fix_and_accept(review=review, token=_lease(review), by=member.user, note=step.note)


def _send_back(step: Step, member: Member) -> None:
    review = _begin(step, member)
    reasons = [Reason(**reason) for reason in step.reasons]
    reviewing.send_back(review=review, token=_lease(review), by=member.user, reasons=reasons)


def _drop(step: Step, member: Member) -> None:
    review = _begin(step, member)
    reviewing.drop(review=review, token=_lease(review), by=member.user, reason=step.reason, note=step.note)


def _answer(step: Step, member: Member) -> None:
    thread = Comment.objects.unresolved().select_related("item").get(item=_item(step, member))
    comments.answer(thread=thread, by=member.user, text=step.note, answer=step.answer)


def _publish(step: Step, member: Member) -> None:
    publish_guidelines(member.project, by=member.user, note=step.note)


def _ask(step: Step, member: Member) -> None:
    precedents.ask(item=_item(step, member), field=step.field, by=member.user, question=step.note)


def _rule(step: Step, member: Member) -> None:
    """For all groups."""
    precedent = Precedent.objects.get(item=_item(step, member), field=step.field)
    last_event_id = precedent.events.latest("pk").pk
    precedents.rule(precedent=precedent, by=member.user, ruling=step.answer, everywhere=True, based_on=last_event_id)


STEPS: dict[str, Callable[[Step, Member], None]] = {
    "submit": _submit,
    "hold": _hold,
    "skip": _skip,
    "accept": _accept,
    "fix": _fix,
    "send_back": _send_back,
    "drop": _drop,
    "answer": _answer,
    "publish_guidelines": _publish,
    "ask": _ask,
    "rule": _rule,
}


def _begin(step: Step, member: Member) -> Annotation:
    """The item is taken up and its draft changed as the step says."""
    slot = _claim(step, member)
    annotation = drafts.open_draft(slot, author=member.user, item=_item(step, member), project=member.project)
    draft = {**annotation.draft, **step.set}
    decided = list(step.set)
    return drafts.save(annotation, draft, revision=annotation.revision, decided=decided, seconds=step.seconds)


def _claim(step: Step, member: Member) -> Slot:
    slot = queue.claim(Slot.objects.open().get(item=_item(step, member)).pk, member)
    assert slot is not None, f"{step.who} cannot take {step.key}"
    return slot


def _item(step: Step, member: Member) -> Item:
    return Item.objects.select_related("project", "base").get(project=member.project, key=step.key)


def _lease(annotation: Annotation) -> Any:
    assert annotation.slot is not None
    return annotation.slot.token
