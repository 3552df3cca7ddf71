"""The demo project: sample data of our own, four people, and two weeks of their work, replayed from a file.

If everybody had worked in the same second, charts would be empty. So the rows that a step has just written are moved to
the step's day, directly in their tables. Only the demo may do this: everywhere else a time in the database is the time
when something happened.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field as dataclasses_field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from annotate.errors import Refused
from annotate.guidelines import rulings
from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from annotate.items import comments, drafts, leases, queue
from annotate.models import (
    Annotation,
    Batch,
    Comment,
    Event,
    Guideline,
    Item,
    Member,
    Notification,
    Precedent,
    PrecedentEvent,
    Project,
    Skip,
    Slot,
    User,
)
from annotate.project import actions
from annotate.review import decisions
from annotate.review.decisions import Reason
from annotate.work import submit

# table, its path to the project, and its columns with a time
TIMES: list[tuple[type[Model], str, list[str]]] = [
    (Annotation, "item__project", ["saved_at", "submitted_at"]),
    (Batch, "project", ["created_at", "finished_at"]),
    (Comment, "item__project", ["created_at"]),
    (Event, "project", ["at"]),
    (Guideline, "project", ["created_at"]),
    (Item, "project", ["created_at", "changed_at"]),
    (Member, "project", ["joined_at"]),
    (Notification, "project", ["created_at"]),
    (Precedent, "project", ["asked_at", "ruled_at"]),
    (PrecedentEvent, "precedent__project", ["at"]),
    (Skip, "item__project", ["created_at"]),
    (Slot, "project", ["opens_at"]),
]


def moment(days_ago: int, clock: str) -> datetime:
    """A time of the day, `days_ago` days ago."""
    hours, minutes = map(int, clock.split(":"))
    day = timezone.localtime() - timedelta(days=days_ago)
    return day.replace(hour=hours, minute=minutes, second=0, microsecond=0)


@contextmanager
def dated(project: Project, when: datetime, *, seconds: int = 0) -> Iterator[None]:
    """Rows written inside get the date `when`; annotations are dated as begun `seconds` earlier."""
    started = timezone.now()
    yield
    _set_effort(project, started, when, seconds)
    for table, path, columns in TIMES:
        for column in columns:
            _rows_since(table, path, project, column, started).update(**{column: when})


def _set_effort(project: Project, started: datetime, when: datetime, seconds: int) -> None:
    begun = _rows_since(Annotation, "item__project", project, "created_at", started)
    begun.update(created_at=when - timedelta(seconds=seconds), active_seconds=seconds)


def _rows_since(table: type[Model], path: str, project: Project, column: str, since: datetime) -> QuerySet[Any]:
    return table._default_manager.filter(**{path: project, f"{column}__gte": since})


# The replay of fixtures/feedback_demo_history.jsonl, with the services that people use; each line is a step.


FOLDER = Path(settings.BASE_DIR) / "fixtures"


@dataclass(frozen=True)
class DemoStep:
    """One action of a person: the day (counted back from today) and time, and the changes to the draft."""

    day: int
    at: str
    who: str
    does: str
    key: str
    seconds: int = 60
    set: Mapping[str, Any] = dataclasses_field(default_factory=dict)
    note: str = ""
    reason: str = ""
    reasons: list[dict[str, str]] = dataclasses_field(default_factory=list)
    answer: str = ""
    field: str = ""


def replay(project: Project) -> None:
    lines = (FOLDER / "feedback_demo_history.jsonl").read_text(encoding="utf-8").splitlines()
    for step in (DemoStep(**json.loads(line)) for line in lines):
        member = Member.objects.select_related("project", "user").get(project=project, user__username=step.who)
        if step.day == 0:  # a slot that is held today is held now
            STEPS[step.does](step, member)
        else:
            with dated(project, moment(step.day, step.at), seconds=step.seconds):
                STEPS[step.does](step, member)
    _read_older_messages(project)


def _read_older_messages(project: Project) -> None:
    """People who have worked since then have read their older notifications."""
    older = Notification.objects.filter(project=project, created_at__lt=moment(3, "00:00"))
    older.update(read_at=F("created_at"))


def publish_guidelines(project: Project, *, by: Any, note: str) -> None:
    version = project.guidelines.count() + 1
    text = (FOLDER / f"feedback_guidelines_{version}.md").read_text(encoding="utf-8")
    actions.write_guideline(project, text=text, note=note, by=by, based_on=version - 1)


def _submit(step: DemoStep, member: Member) -> None:
    annotation = _begin(step, member)
    submit.submit(annotation=annotation, token=_lease(annotation), by=member.user)


def _hold(step: DemoStep, member: Member) -> None:
    _begin(step, member)


def _skip(step: DemoStep, member: Member) -> None:
    slot = _claim(step, member)
    assert slot.token is not None
    leases.skip(slot, slot.token, person=member.user, reason=step.reason, note=step.note)


def _accept(step: DemoStep, member: Member) -> None:
    review = _begin(step, member)
    decisions.accept(review=review, token=_lease(review), by=member.user)


def _fix(step: DemoStep, member: Member) -> None:
    review = _begin(step, member)
    decisions.fix_and_accept(review=review, token=_lease(review), by=member.user, note=step.note)


def _send_back(step: DemoStep, member: Member) -> None:
    review = _begin(step, member)
    reasons = [Reason(reason["field"], reason["text"]) for reason in step.reasons]
    decisions.send_back(review=review, token=_lease(review), by=member.user, reasons=reasons)


def _drop(step: DemoStep, member: Member) -> None:
    review = _begin(step, member)
    decisions.drop(review=review, token=_lease(review), by=member.user, reason=step.reason, note=step.note)


def _answer(step: DemoStep, member: Member) -> None:
    thread = Comment.objects.unresolved().select_related("item").get(item=_item(step, member))
    comments.answer(thread=thread, by=member.user, text=step.note, answer=step.answer)


def _publish(step: DemoStep, member: Member) -> None:
    publish_guidelines(member.project, by=member.user, note=step.note)


def _ask(step: DemoStep, member: Member) -> None:
    rulings.ask(item=_item(step, member), field=step.field, by=member.user, question=step.note)


def _rule(step: DemoStep, member: Member) -> None:
    """For all groups."""
    precedent = Precedent.objects.get(item=_item(step, member), field=step.field)
    last_event_id = precedent.events.latest("pk").pk
    rulings.rule(precedent=precedent, by=member.user, ruling=step.answer, everywhere=True, based_on=last_event_id)


STEPS: dict[str, Callable[[DemoStep, Member], None]] = {
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


def _begin(step: DemoStep, member: Member) -> Annotation:
    """Claim the item and change its draft as the step says."""
    slot = _claim(step, member)
    annotation = drafts.open_draft(slot, author=member.user, item=_item(step, member), project=member.project)
    draft = {**annotation.draft, **step.set}
    decided = list(step.set)
    return drafts.save(annotation, draft, revision=annotation.revision, decided=decided, seconds=step.seconds)


def _claim(step: DemoStep, member: Member) -> Slot:
    slot = queue.claim(Slot.objects.open().get(item=_item(step, member)).pk, member)
    assert slot is not None, f"{step.who} cannot take {step.key}"
    return slot


def _item(step: DemoStep, member: Member) -> Item:
    return Item.objects.select_related("project", "base").get(project=member.project, key=step.key)


def _lease(annotation: Annotation) -> Any:
    assert annotation.slot is not None
    return annotation.slot.token


# Making the project.


SLUG = "demo"
PEOPLE = {  # username: name shown to others, role
    "lead": ("Lin Bauer", Member.Role.LEAD),
    "ana": ("Ana Silva", Member.Role.ANNOTATOR),
    "bo": ("Bo Chen", Member.Role.ANNOTATOR),
    "rui": ("Rui Tanaka", Member.Role.REVIEWER),
}
FIRST_DAY = 14


@dataclass(frozen=True)
class DemoSeed:
    """password: of all accounts when they were made. made: whether this call made them."""

    password: str
    made: bool


def seed() -> DemoSeed:
    """Make the demo project once; another call changes nothing and returns the same password.

    Raises Refused where accounts of these names belong to somebody else.
    """
    if Project.objects.filter(slug=SLUG).exists():
        return DemoSeed(kept_password(), made=False)
    usernames = User.objects.filter(username__in=PEOPLE).values_list("username", flat=True)
    if usernames:
        raise Refused(
            f"Accounts of the demo's names exist already: {', '.join(usernames)}. The demo leaves them alone; "
            "seed an installation without them (another DATA_DIR or DATABASE_URL)."
        )
    password = kept_password()
    # All or nothing, so that an interrupted call can simply be repeated.
    with transaction.atomic():
        _make(password)
    return DemoSeed(password, made=True)


def kept_password() -> str:
    """DEMO_PASSWORD, else one drawn for this installation and kept in its data folder for the next call."""
    path = Path(settings.DATA_DIR) / "demo-password"
    env_password = os.environ.get("DEMO_PASSWORD", "")
    if not env_password and path.exists():
        return path.read_text().strip()
    password = env_password or secrets.token_urlsafe(12)
    path.touch(mode=0o600)
    path.write_text(password)
    return password


def _make(password: str) -> None:
    project = actions.create_project(
        slug=SLUG, kind="feedback", name="Feedback demo", languages=["en", "zh"], licence="CC0-1.0", lease_minutes=60
    )
    for username, (display_name, role) in PEOPLE.items():
        user = User.objects.create_user(username, password=password, display_name=display_name)
        Member.objects.create(project=project, user=user, role=role)
    lead = User.objects.get(username="lead")
    with dated(project, moment(FIRST_DAY, "08:30")):
        publish_guidelines(project, by=lead, note="First version")
        _import_samples(project)
    replay(project)
    for part in settings.DEMO_PARTS:
        import_string(part)(project)


def _import_samples(project: Project) -> None:
    """Raises Refused with the problems if the sample file was changed and does not fit the kind."""
    path = Path(settings.BASE_DIR) / "fixtures" / "feedback_demo.jsonl"
    names, how = [os.path.relpath(path)], Settings(format="jsonl")
    report = import_files(project=project, names=names, settings=how, strict=True)
    if not report.kept:
        raise Refused(f"{path.name}: {report.problems}")
