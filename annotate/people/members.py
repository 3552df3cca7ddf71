"""Members of a project: their roles and limits, the effect of changes on their work, and their figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.trail import record, recording, stored_values, values_of
from annotate.errors import Refused
from annotate.hidden_checks import void_unfinished
from annotate.items import flow, leases, turns
from annotate.models import Annotation, Item, Member, Project, Slot, User
from annotate.notices.inbox import notify
from annotate.option_forms.meanwhile import SettingsClash, merge


def add_member(*, project: Project, username: str, role: str, password: str | None = None) -> Member:
    """Add a person to a project, or change their role there; the account is made if it is missing.

    Without a password a new account cannot sign in until an administrator makes a reset link.
    Raises Refused if the project would be left without a lead.
    """
    with transaction.atomic():
        user = User.objects.filter(username=username).first()
        verb = "account.created" if user is None else "password.set" if password else ""
        if user is None:
            user = User.objects.create_user(username, password=password)
        elif password:
            user.set_password(password)
            user.save(update_fields=["password"])
        member = _added_or_changed(project, user, role)
        if verb:
            record(verb, user, project=project)
    return member


def add_accounts(*, project: Project, usernames: Sequence[str], role: str) -> list[Member]:
    """Add people who have accounts with exactly these names, all of them or nobody.

    Raises Refused with the names that no active account has, or whose people are in the project already.
    """
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        users = list(User.objects.filter(username__in=usernames, is_active=True).order_by("pk"))
        unknown = [name for name in usernames if name not in {user.username for user in users}]
        if unknown:
            message = _("No account has this user name: %(names)s. Check the spelling, or create a link below.")
            raise Refused(message % {"names": ", ".join(unknown)})
        members = Member.objects.filter(project=project, user__in=users).select_related("user")
        if members:
            names = ", ".join(member.user.username for member in members)
            raise Refused(_("Already in this project: %(names)s. Nobody was added.") % {"names": names})
        return [_added_or_changed(project, user, role) for user in users]


def _added_or_changed(project: Project, user: User, role: str) -> Member:
    member = Member.objects.filter(project=project, user=user).first()
    if member is not None:
        return change_member(member, by=None, role=role)
    member = Member.objects.create(project=project, user=user, role=role)
    record("member.added", member, after={"role": role})
    return member


def change_member(member: Member, *, by: User | None, role: str, limits: Mapping[str, Any] | None = None) -> Member:
    """Another role or other limits; work that the new role does not include goes back to the queue.

    limits: daily_limit, total_limit, languages, groups. Raises Refused if the project would be left without a lead.
    """
    with recording("member.changed", member, "role", *(limits or {})):
        if role != Member.Role.LEAD:
            _keep_a_lead(member)
        member.role = role
        for name, value in (limits or {}).items():
            setattr(member, name, value)
        member.save(update_fields=["role", *(limits or {})])
        _give_up(member, by=by, keeping=member.stages)
    return member


def save_member(member: Member, *, by: User, opened: Mapping[str, Any], entered: Mapping[str, Any]) -> list[str]:
    """`change_member` with what was changed since the page was opened; what somebody else changed meanwhile is kept.

    opened, entered: role and limits. Returns the names of what was kept. Raises SettingsClash if both changed the
    same, and Refused as `change_member` does.
    """
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=member.project_id)
        stored = stored_values(member, *entered)
        merged = merge(opened, entered, stored)
        if merged.clashes:
            raise SettingsClash(merged.clashes, stored)
        limits = {name: value for name, value in merged.values.items() if name != "role"}
        change_member(member, by=by, role=merged.values["role"], limits=limits)
    return merged.kept


def remove_member(member: Member, *, by: User) -> int:
    """Close the project to this person: the slots they hold return to the queue, their reservations are freed.

    Drafts and submissions stay theirs. Returns how many items were taken from them.
    Raises Refused for the last lead.
    """
    with transaction.atomic():
        _keep_a_lead(member)
        released_count = _give_up(member, by=by, keeping=[])
        notify(member.user, None, "removed", by=by, note=str(released_count), project=member.project)
        member.delete()
        record("member.removed", member, before=values_of(member, "role"), after={})
    return released_count


def _keep_a_lead(member: Member) -> None:
    """Locks the project's leads, so that two of them cannot demote each other at the same time."""
    leads = Member.objects.select_for_update().filter(project_id=member.project_id, role=Member.Role.LEAD)
    if list(leads.values_list("pk", flat=True)) == [member.pk]:
        raise Refused(_("A project needs a lead. Make someone else lead first."))


def _give_up(member: Member, *, by: User | None, keeping: Sequence[str]) -> int:
    slots = Slot.objects.filter(project_id=member.project_id).exclude(stage__in=keeping)
    released_count = 0
    for slot in slots.held_by(member.user).select_related("item"):
        if leases.free(slot):
            slot.item.project = member.project
            flow.record(slot.item, "released", by=by, note=str(member.user))
            released_count += 1
    void_unfinished(slots.filter(reserved_for=member.user, own=True))  # slots that only they could do
    slots.open().filter(reserved_for=member.user).update(reserved_for=None, reserved_until=None)
    if Slot.Stage.ANNOTATE not in keeping:
        turns.end(member.project_id, member.user_id)
    return released_count


# Figures of each member for the people page.


@dataclass(frozen=True)
class Figures:
    """held: slots now; items: distinct work items submitted so far; today, total: submissions, as the limits count."""

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
    """All members with their figures, in four queries for any number of members."""
    handed_out, written, assigned = _handed_out(project), _work_times(project), _assigned(project)
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


def _work_times(project: Project) -> dict[int, dict[str, Any]]:
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
