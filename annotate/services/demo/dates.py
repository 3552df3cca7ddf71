"""Dates in the past for what the demo does today.

A demo in which everybody worked in the same second shows empty charts and nothing about time. So the rows that a step
has just written are moved to the step's day, directly in their tables. Only the demo may do this: everywhere else
a time in the database is when it happened.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone

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
)

# table, its path to the project, and its columns that tell when something happened
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
    """A time of the day, so many days ago."""
    hours, minutes = map(int, clock.split(":"))
    day = timezone.localtime() - timedelta(days=days_ago)
    return day.replace(hour=hours, minute=minutes, second=0, microsecond=0)


@contextmanager
def dated(project: Project, when: datetime, *, seconds: int = 0) -> Iterator[None]:
    """What is written inside gets the date `when`; annotations were begun so many seconds earlier."""
    started = timezone.now()
    yield
    _set_effort(project, started, when, seconds)
    for table, path, columns in TIMES:
        for column in columns:
            _written(table, path, project, column, started).update(**{column: when})


def _set_effort(project: Project, started: datetime, when: datetime, seconds: int) -> None:
    begun = _written(Annotation, "item__project", project, "created_at", started)
    begun.update(created_at=when - timedelta(seconds=seconds), active_seconds=seconds)


def _written(table: type[Model], path: str, project: Project, column: str, since: datetime) -> QuerySet[Any]:
    return table._default_manager.filter(**{path: project, f"{column}__gte": since})
