"""Members of a project: who they are, what they may do, and what becomes of their work when that changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import Member, Project, Slot, User
from annotate.services import flow, queue
from annotate.services.errors import Refused
from annotate.services.notifying import notify
from annotate.services.readiness.places import FIRST, void_unfinished


def add_member(*, project: Project, username: str, role: str, password: str | None = None) -> Member:
    """Put a person into a project, or change their role there; the account is made where it is missing.

    Without a password a new account cannot sign in until an administrator makes a reset link.
    Raises Refused if the project would be left without a lead.
    """
    with transaction.atomic():
        user = User.objects.filter(username=username).first()
        if user is None:
            user = User.objects.create_user(username, password=password)
        elif password:
            user.set_password(password)
            user.save(update_fields=["password"])
        member = Member.objects.filter(project=project, user=user).first()
        if member is None:
            return Member.objects.create(project=project, user=user, role=role)
        change_member(member, by=None, role=role)
    return member


def change_member(member: Member, *, by: User | None, role: str, limits: Mapping[str, Any] | None = None) -> Member:
    """Another role or other limits; work that the new role does not include goes back to the queue.

    limits: daily_limit, total_limit, languages, groups. Raises Refused if the project would be left without a lead.
    """
    with transaction.atomic():
        if role != Member.Role.LEAD:
            _keep_a_lead(member)
        member.role = role
        for name, value in (limits or {}).items():
            setattr(member, name, value)
        member.save(update_fields=["role", *(limits or {})])
        _give_up(member, by=by, keeping=member.stages)
    return member


def remove_member(member: Member, *, by: User) -> int:
    """The project is closed to this person: what they hold goes back to the queue, reservations are freed.

    Drafts and submissions stay theirs. Returns how many items were taken from them.
    Raises Refused for the last lead.
    """
    with transaction.atomic():
        _keep_a_lead(member)
        released_count = _give_up(member, by=by, keeping=[])
        notify(member.user, None, "removed", by=by, note=str(released_count), project=member.project)
        member.delete()
    return released_count


def _keep_a_lead(member: Member) -> None:
    """Locks the project's leads, so that two of them cannot demote each other at the same time."""
    leads = Member.objects.select_for_update().filter(project_id=member.project_id, role=Member.Role.LEAD)
    if list(leads.values_list("pk", flat=True)) == [member.pk]:
        raise Refused(_("A project needs a lead. Make somebody else lead first."))


def _give_up(member: Member, *, by: User | None, keeping: Sequence[str]) -> int:
    slots = Slot.objects.filter(project_id=member.project_id).exclude(stage__in=keeping)
    released_count = 0
    for slot in slots.held_by(member.user).select_related("item"):
        if queue.free(slot):
            slot.item.project = member.project
            flow.record(slot.item, "released", by=by, note=str(member.user))
            released_count += 1
    void_unfinished(slots.filter(reserved_for=member.user, no__gte=FIRST))  # what only they were to do
    slots.open().filter(reserved_for=member.user).update(reserved_for=None, reserved_until=None)
    return released_count
