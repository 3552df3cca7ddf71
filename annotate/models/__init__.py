"""The tables, one file a subject; import them from here."""

from annotate.models.items import DROP_REASONS, Batch, Item
from annotate.models.people import Invitation, Member, Notification, User
from annotate.models.projects import Guideline, Project
from annotate.models.records import Comment, Event, Release
from annotate.models.work import Annotation, SetAside, Skip, Slot

__all__ = [
    "DROP_REASONS",
    "Annotation",
    "Batch",
    "Comment",
    "Event",
    "Guideline",
    "Invitation",
    "Item",
    "Member",
    "Notification",
    "Project",
    "Release",
    "SetAside",
    "Skip",
    "Slot",
    "User",
]
