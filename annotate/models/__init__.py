"""The tables, one file per subject; import them from here."""

from annotate.models.alike import AlikePair, AlikeSearch
from annotate.models.api import Repeatable
from annotate.models.classifications import Classification
from annotate.models.items import DROP_REASONS, Batch, Item
from annotate.models.passes import Pass
from annotate.models.people import Invitation, Member, Notification, User
from annotate.models.projects import Guideline, Project
from annotate.models.readiness import Dispute, Precedent, Readiness
from annotate.models.records import Comment, Event, Release
from annotate.models.reopening import PrecedentEvent, Reopening
from annotate.models.runs import (
    ApiToken,
    Call,
    Delivery,
    Endpoint,
    Job,
    Minute,
    Place,
    Probing,
    PromptVersion,
    Run,
    Webhook,
)
from annotate.models.sampling import Sample, Sampled
from annotate.models.shared import CacheEntry, RateCounter
from annotate.models.survey import Erasure, Participant, ReportedCase, Survey, Withdrawal
from annotate.models.work import Annotation, SetAside, Skip, Slot

__all__ = [
    "DROP_REASONS",
    "AlikePair",
    "AlikeSearch",
    "Annotation",
    "ApiToken",
    "Batch",
    "CacheEntry",
    "Call",
    "Classification",
    "Comment",
    "Delivery",
    "Dispute",
    "Endpoint",
    "Erasure",
    "Event",
    "Guideline",
    "Invitation",
    "Item",
    "Job",
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
    "SetAside",
    "Skip",
    "Slot",
    "Survey",
    "User",
    "Webhook",
    "Withdrawal",
]
