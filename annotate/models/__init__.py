"""The tables, one file per subject; import them from here."""

from annotate.models.api import ApiToken, Delivery, Repeatable, Webhook
from annotate.models.audit import AuditEntry, AuditHead
from annotate.models.items import (
    DROP_REASONS,
    AlikePair,
    AlikeSearch,
    Batch,
    Classification,
    Item,
    ItemCount,
    Sample,
    Sampled,
)
from annotate.models.media import MediaFile
from annotate.models.people import Digest, Invitation, Member, Notification, User
from annotate.models.projects import Definition, Guideline, Project, Reopening, SavedView
from annotate.models.readiness import Dispute, Precedent, PrecedentEvent, Readiness
from annotate.models.records import Comment, Event, Release
from annotate.models.runs import Call, Endpoint, Job, Minute, Pass, Place, Probing, PromptVersion, Run
from annotate.models.search import SearchGrams, SearchIndex, SearchPending, SearchText
from annotate.models.shared import CacheEntry, RateCounter
from annotate.models.survey import Erasure, Participant, ReportedCase, Survey, Withdrawal
from annotate.models.work import Annotation, SetAside, Skip, Slot, UnitTurn

__all__ = [
    "DROP_REASONS",
    "AlikePair",
    "AlikeSearch",
    "Annotation",
    "ApiToken",
    "AuditEntry",
    "AuditHead",
    "Batch",
    "CacheEntry",
    "Call",
    "Classification",
    "Comment",
    "Definition",
    "Delivery",
    "Digest",
    "Dispute",
    "Endpoint",
    "Erasure",
    "Event",
    "Guideline",
    "Invitation",
    "Item",
    "ItemCount",
    "Job",
    "MediaFile",
    "Member",
    "Minute",
    "Notification",
    "Participant",
    "Pass",
    "Place",
    "Precedent",
    "PrecedentEvent",
    "Probing",
    "Project",
    "PromptVersion",
    "RateCounter",
    "Readiness",
    "Release",
    "Reopening",
    "Repeatable",
    "ReportedCase",
    "Run",
    "Sample",
    "Sampled",
    "SavedView",
    "SearchGrams",
    "SearchIndex",
    "SearchPending",
    "SearchText",
    "SetAside",
    "Skip",
    "Slot",
    "Survey",
    "UnitTurn",
    "User",
    "Webhook",
    "Withdrawal",
]
