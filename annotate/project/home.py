"""The page "My work": open work of one person in all their projects, in a fixed number of queries."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from annotate.models import Annotation, Item, Member, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.web.access import person


@dataclass(frozen=True)
class ProjectShare:
    """One project for its member. Numbers count the member's own slots and texts."""

    member: Member
    has_work: bool
    has_reviews: bool
    done: int = 0
    held: int = 0
    returned: int = 0
    drafts: int = 0


def my_work(user: User) -> list[ProjectShare]:
    """The projects of a person, those with something to do first."""
    members = list(_with_open_work(user))
    slots, drafts, returned = _slots(user), _drafts(user), _returned(user)
    shares = [
        ProjectShare(
            member=member,
            has_work=member.annotates and not _is_stopped(member) and member.has_open_work,  # type: ignore[attr-defined]
            has_reviews=member.reviews and member.paused_at is None and member.has_open_reviews,  # type: ignore[attr-defined]
            drafts=drafts.get(member.project_id, 0),
            returned=returned.get(member.project_id, 0),
            **slots.get(member.project_id, {}),
        )
        for member in members
    ]
    return sorted(shares, key=lambda share: not (share.held or share.returned or share.has_work or share.has_reviews))


def _is_stopped(member: Member) -> bool:
    return member.project.paused or member.paused_at is not None


def _with_open_work(user: User) -> list[Member]:
    now = timezone.now()
    open_slots = Slot.objects.open().filter(project=OuterRef("project")).due(now)

    def waits(stage: str) -> Exists:
        of_stage: SlotQuerySet = open_slots.filter(stage=stage).reserved_for_nobody_else(user, now)
        return Exists(of_stage)

    members = Member.objects.of(user).select_related("project", "project__paused_by")
    return list(
        members.annotate(
            has_open_work=waits(Slot.Stage.ANNOTATE),
            has_open_reviews=waits(Slot.Stage.REVIEW) | waits(Slot.Stage.ADJUDICATE),
        ).order_by("project__name", "pk")
    )


def _slots(user: User) -> dict[int, dict[str, int]]:
    rows = (
        Slot.objects.filter(project__members__user=user, holder=user, stage=Slot.Stage.ANNOTATE)
        .exclude(item__purpose=Item.Purpose.CALIBRATION, state=Slot.State.SUBMITTED)
        .values("project")
        .annotate(
            done=Count("pk", filter=Q(state=Slot.State.SUBMITTED)), held=Count("pk", filter=Q(state=Slot.State.HELD))
        )
    )
    return {row["project"]: {"done": row["done"], "held": row["held"]} for row in rows}


def _drafts(user: User) -> dict[int, int]:
    """Texts that were never submitted, in slots this person no longer holds."""
    elsewhere = ~Q(slot__state=Slot.State.HELD) | ~Q(slot__holder=user)
    drafts = Annotation.objects.filter(author=user, submitted_at=None, revision__gt=0, slot__isnull=False)
    return dict(drafts.filter(elsewhere).values_list("slot__project").annotate(Count("pk")))


def _returned(user: User) -> dict[int, int]:
    """Items that were returned or assigned to this person and are reserved for them."""
    still_reserved = Q(reserved_until=None) | Q(reserved_until__gt=timezone.now())
    reserved_slots = Slot.objects.open().filter(still_reserved, reserved_for=user, item__purpose=Item.Purpose.WORK)
    return dict(reserved_slots.values_list("project").annotate(Count("pk")))


@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """All projects of the person with the next step in each."""
    return render(request, "home.html", {"shares": my_work(person(request))})
