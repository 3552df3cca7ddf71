"""What each member holds and has done, for the page of a project's people."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q
from django.utils import timezone

from annotate.models import Annotation, Item, Member, Project, Slot


@dataclass(frozen=True)
class Figures:
    """held: slots now; items: distinct work items handed in so far; today, total: submissions, as the limits count."""

    held: int = 0
    assigned: int = 0
    items: int = 0
    total: int = 0
    today: int = 0
    last_work: datetime | None = None


@dataclass(frozen=True)
class MemberRow:
    member: Member
    figures: Figures

    @property
    def last_seen(self) -> datetime | None:
        moments = [moment for moment in (self.figures.last_work, self.member.user.last_login) if moment]
        return max(moments, default=None)


def member_rows(project: Project) -> list[MemberRow]:
    """All members with their figures, in four queries however many they are."""
    handed_out, written, assigned = _handed_out(project), _written(project), _assigned(project)
    return [
        MemberRow(
            member,
            Figures(
                **handed_out.get(member.user_id, {}),
                **written.get(member.user_id, {}),
                assigned=assigned.get(member.user_id, 0),
            ),
        )
        for member in project.members.select_related("user").order_by("joined_at", "pk")
    ]


def _handed_out(project: Project) -> dict[int, dict[str, Any]]:
    submitted = Q(state=Slot.State.SUBMITTED)
    rows = (
        Slot.objects.filter(project=project, holder__isnull=False)
        .exclude(item__purpose=Item.Purpose.CALIBRATION)
        .values("holder")
        .annotate(
            held=Count("pk", filter=Q(state=Slot.State.HELD)),
            total=Count("pk", filter=submitted),
            items=Count("item", filter=submitted & Q(item__purpose=Item.Purpose.WORK), distinct=True),
        )
    )
    return _by_person(rows, "holder")


def _written(project: Project) -> dict[int, dict[str, Any]]:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    rows = (
        Annotation.objects.filter(slot__project=project, author__isnull=False)
        .exclude(item__purpose=Item.Purpose.CALIBRATION)
        .values("author")
        .annotate(today=Count("pk", filter=Q(submitted_at__gte=midnight)), last_work=Max("saved_at"))
    )
    return _by_person(rows, "author")


def _assigned(project: Project) -> dict[int, int]:
    reserved = Slot.objects.open().filter(project=project, reserved_for__isnull=False, item__purpose=Item.Purpose.WORK)
    return dict(reserved.values_list("reserved_for").annotate(Count("item", distinct=True)))


def _by_person(rows: Iterable[Any], column: str) -> dict[int, dict[str, Any]]:
    return {row[column]: {name: value for name, value in row.items() if name != column} for row in rows}
