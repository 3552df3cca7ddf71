"""The page "My work": what waits for one person, and all their projects, in a fixed number of queries."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from annotate import hidden_checks
from annotate.items import queue
from annotate.models import Annotation, Batch, Item, ItemCount, Member, Precedent, Project, Slot, User
from annotate.prepared import prepared
from annotate.project.next_steps import NextStep, next_steps, set_up_of
from annotate.project.overview import state_parts
from annotate.web.access import LEADS, REVIEWERS, WORKERS, person
from annotate.web.pager import numbered_page

COUNTED_AT_MOST = 100  # a longer queue is shown as "99+"


@dataclass(frozen=True)
class Waiting:
    """A sort of work that can wait for a person. url: the page that a link opens, or a button posts to."""

    name: str | Promise
    action: str | Promise
    url: str
    is_posted: bool = False


# The most urgent first: what is in hand or came back, then what others wait for, then what is free to take.
WAITING = {
    "returned": Waiting(_("Returned or assigned to you"), _("Open the next one"), "work_next", is_posted=True),
    "held": Waiting(_("In progress"), _("Continue"), "work"),
    "held_reviews": Waiting(_("Reviews in progress"), _("Continue review"), "review_next", is_posted=True),
    "reviews": Waiting(_("To review"), _("Review the next one"), "review_next", is_posted=True),
    "questions": Waiting(_("Questions about the guidelines"), _("Answer them"), "precedents"),
    "imports": Waiting(_("Imports to confirm"), _("Check them"), "import"),
    "calibration": Waiting(_("Calibration, before you can start"), _("Start calibration"), "work_next", is_posted=True),
    "items": Waiting(_("To annotate"), _("Start"), "work_next", is_posted=True),
    "votes": Waiting(_("To vote on"), _("Start"), "work_next", is_posted=True),
    "drafts": Waiting(_("Unfinished drafts"), _("Open my drafts"), "my_drafts"),
}


@dataclass(frozen=True)
class WaitingRow:
    """Work of one sort in one project. what: a name in WAITING; count: None where it is not told."""

    what: str
    project: Project
    count: int | None

    @property
    def sort(self) -> Waiting:
        return WAITING[self.what]

    @property
    def shown_count(self) -> str:
        if self.count is None:
            return ""
        return str(self.count) if self.count < COUNTED_AT_MOST else f"{COUNTED_AT_MOST - 1}+"


@dataclass(frozen=True)
class ProjectShare:
    """One project for its member. done, held, held_reviews, returned, drafts: the member's own slots and texts.

    free: stage or sort of work -> how many are free to take, at most COUNTED_AT_MOST. states: state -> work items.
    steps: of a young project, for its leads.
    """

    member: Member
    done: int = 0
    held: int = 0
    held_reviews: int = 0
    returned: int = 0
    drafts: int = 0
    free: Mapping[str, int] = field(default_factory=dict)
    states: Counter[str] = field(default_factory=Counter)
    steps: Sequence[NextStep] = ()

    @property
    def total(self) -> int:
        return sum(self.states.values())

    @property
    def accepted(self) -> int:
        return self.states[Item.State.ACCEPTED]

    @property
    def parts(self) -> list[tuple[str, int]]:
        return state_parts(self.states)

    @property
    def steps_done(self) -> int:
        return sum(step.is_done for step in self.steps)

    @property
    def has_work(self) -> bool:
        return any(self.waiting())

    def waiting(self) -> Iterator[WaitingRow]:
        """What waits for the person here, without what is closed to them."""
        counts = {name: self.free.get(name, 0) for name in ("questions", "imports")}
        counts |= {"held": self.held, "held_reviews": self.held_reviews, "drafts": self.drafts}
        if not self.member.project.paused and self.member.paused_at is None:
            counts |= self._free()
        for what, count in counts.items():
            if count:
                yield WaitingRow(what, self.member.project, None if what == "calibration" else count)

    def _free(self) -> dict[str, int]:
        reviews = self.free.get(Slot.Stage.REVIEW, 0) + self.free.get(Slot.Stage.ADJUDICATE, 0)
        items = self.free.get(Slot.Stage.ANNOTATE, 0)
        if hidden_checks.must_calibrate(self.member):
            return {"reviews": reviews, "calibration": items}
        what = "votes" if self.member.project.kind.opinions else "items"
        return {"reviews": reviews, "returned": self.returned, what: max(items - self.returned, 0)}


def my_work(user: User) -> list[ProjectShare]:
    """The projects of a person, in the order of their names."""
    members = _memberships.rows(user=user.pk)
    if not members:
        return []
    states = _states([member.project_id for member in members])
    slots = _slots(user, [member.project_id for member in members])
    drafts = dict(_drafts.rows(user=user.pk))
    returned = dict(_returned.rows(user=user.pk, now=timezone.now()))
    open_work, steps = _open_work(members), _steps(members, states)
    return [
        ProjectShare(
            member=member,
            drafts=drafts.get(member.project_id, 0),
            returned=returned.get(member.project_id, 0),
            free=open_work[member.project_id],
            states=states[member.project_id],
            steps=steps.get(member.project_id, ()),
            **slots.get(member.project_id, {}),
        )
        for member in members
    ]


@prepared
def _memberships(user: int) -> QuerySet[Member]:
    members = Member.objects.filter(user=user).select_related("project__readiness", "project__paused_by")
    return members.order_by("project__name", "pk")


def waiting_rows(shares: Sequence[ProjectShare]) -> list[WaitingRow]:
    """What waits in all projects, the most urgent first."""
    order = list(WAITING)
    rows = [row for share in shares for row in share.waiting()]
    return sorted(rows, key=lambda row: order.index(row.what))


class RowCount(Subquery):
    """How many rows a subquery has; counting ends where it is cut off."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted_rows)"
    output_field = IntegerField()


STAGES = {Slot.Stage.ANNOTATE: WORKERS, Slot.Stage.REVIEW: REVIEWERS, Slot.Stage.ADJUDICATE: REVIEWERS}
FREE = (*(stage.value for stage in STAGES), "questions", "imports")


def _open_work(members: Sequence[Member]) -> dict[int, dict[str, int]]:
    """project -> stage or sort of work -> how much of it is free to take, in one statement."""
    user, now = members[0].user_id, timezone.now()
    limited = [member for member in members if queue.is_limited(member)]
    rows = _free_work(user, limited, now) if limited else _free_without_limits.rows(user=user, now=now)
    return {project: dict(zip(FREE, counts, strict=True)) for project, *counts in rows}


def _free_work(user: int, limited: Sequence[Member], now: datetime) -> QuerySet[Member, Any]:
    in_project = {"project": OuterRef("project")}
    counts = [_counted(queue.takeable_by(user, limited, stage, now), roles) for stage, roles in STAGES.items()]
    counts.append(_counted(Precedent.objects.filter(ruling="", **in_project).order_by(), LEADS))
    counts.append(_counted(Batch.objects.filter(state=Batch.State.PREVIEW, **in_project).order_by(), LEADS))
    return Member.objects.filter(user=user).order_by().values_list("project_id", *counts)


@prepared
def _free_without_limits(user: int, now: datetime) -> QuerySet[Member, Any]:
    return _free_work(user, [], now)


def _counted(rows: QuerySet[Any], roles: Collection[str]) -> Case:
    return Case(When(role__in=roles, then=RowCount(rows.values("pk")[:COUNTED_AT_MOST])), default=0)


def _states(projects: Collection[int]) -> dict[int, Counter[str]]:
    """project -> state -> work items."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    work_items = ItemCount.objects.filter(project__in=projects, purpose=Item.Purpose.WORK)
    for project, state, n in work_items.totals("project", "state"):
        counts[project][state] = n
    return counts


def _steps(members: Sequence[Member], states: Mapping[int, Counter[str]]) -> dict[int, list[NextStep]]:
    led = {member.project_id: member.project for member in members if member.leads}
    set_ups = set_up_of(led, states) if led else {}
    steps = {project: next_steps(led[project].kind, set_up) for project, set_up in set_ups.items()}
    return {project: rows for project, rows in steps.items() if any(step.is_missing for step in rows)}


def _slots(user: User, projects: Collection[int]) -> dict[int, dict[str, int]]:
    """project -> how many slots are done, held, and held for a review."""
    is_written = Q(stage=Slot.Stage.ANNOTATE)
    done_slots = Slot.objects.done_by(user, project__in=projects)
    held_slots = Slot.objects.held_by(user).filter(project__in=projects)
    held_name = Case(When(is_written, then=Value("held")), default=Value("held_reviews"))
    done, held = (
        slots.values_list("project", name).annotate(Count("pk")).order_by()
        for slots, name in ((done_slots, Value("done")), (held_slots, held_name))
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for project, name, n in done.union(held, all=True):
        counts[project][name] = n
    return counts


@prepared
def _drafts(user: int) -> QuerySet[Annotation, Any]:
    """(project, n) of texts that were never submitted, in slots this person no longer holds."""
    elsewhere = ~Q(slot__state=Slot.State.HELD) | ~Q(slot__holder=user)
    drafts = Annotation.objects.filter(author=user, submitted_at=None, revision__gt=0, slot__isnull=False)
    return drafts.filter(elsewhere).values_list("slot__project").annotate(Count("pk"))


@prepared
def _returned(user: int, now: datetime) -> QuerySet[Slot, Any]:
    """(project, n) of items to write that were returned or assigned to this person and are reserved for them."""
    still_reserved = Q(reserved_until=None) | Q(reserved_until__gt=now)
    reserved_slots = Slot.objects.open().filter(still_reserved, stage=Slot.Stage.ANNOTATE, reserved_for=user)
    reserved_slots = reserved_slots.filter(item__purpose=Item.Purpose.WORK)
    return reserved_slots.values_list("project").annotate(Count("pk"))


PROJECTS_PER_PAGE = 100
WAITING_SHOWN = 50  # rows


@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """What waits for the person, and all their projects."""
    user = person(request)
    shares = my_work(user)
    may_make = user.is_staff or any(share.member.leads for share in shares)
    waiting = waiting_rows(shares)
    context = {
        "page": numbered_page(request, shares, PROJECTS_PER_PAGE),
        "waiting": waiting[:WAITING_SHOWN],
        "waiting_elsewhere": len(waiting[WAITING_SHOWN:]),
        "may_make": may_make,
    }
    return render(request, "home.html", context)
