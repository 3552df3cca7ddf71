"""Rights that one person gives to another: each holds only while its giver may still give it.

Whether a right holds is not stored. Every use checks it again, so a right ends with the role, the membership or the
account of its giver, and holds again once they have that back. A revoked right stays revoked.
"""

from collections.abc import Mapping
from typing import TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotate.models import ApiToken, Invitation, Member, Survey, User, Webhook
from annotate.prepared import prepared

Right = Invitation | ApiToken | Webhook | Survey
R = TypeVar("R", Invitation, ApiToken, Webhook, Survey)

# Role -> the roles whose rights it includes. Annotators see only their own work, viewers do none: neither role
# includes the other.
INCLUDES: Mapping[str, tuple[str, ...]] = {
    "lead": ("lead", "reviewer", "annotator", "viewer"),
    "reviewer": ("reviewer", "annotator", "viewer"),
    "annotator": ("annotator",),
    "viewer": ("viewer",),
}
LEADS = ("lead",)
ROLELESS = ""

# Kind of right -> the role that it carries -> the roles whose holders may give it.
GIVERS: Mapping[type[Model], Mapping[str, tuple[str, ...]]] = {
    Invitation: dict.fromkeys(INCLUDES, LEADS),
    ApiToken: {role: tuple(giver for giver, roles in INCLUDES.items() if role in roles) for role in INCLUDES},
    Webhook: {ROLELESS: LEADS},
    Survey: {ROLELESS: LEADS},
}


def may_give(role: str, right: Right) -> bool:
    """Whether somebody in this role may give this right, stored or not."""
    carried = getattr(right, "role", ROLELESS)
    return role in GIVERS[type(right)].get(carried, ())


def giver(right: Right, *, lock: bool = False) -> Member | None:
    """The member who gave this right, if they may still give it; else None.

    lock: nobody can demote, remove or deactivate this person until the end of the transaction.
    """
    if right.created_by_id is None:
        return None
    ids = {"project": right.project_id, "user": right.created_by_id}
    if lock:
        member = _active.build(**ids).select_for_update(of=("self", "user"), no_key=True).first()
    else:
        member = _active.first(**ids)
    return member if member is not None and may_give(member.role, right) else None


@prepared
def _active(project: int, user: int) -> QuerySet[Member]:
    return Member.objects.filter(project=project, user=user, user__is_active=True).select_related("user")


def holding(rights: QuerySet[R]) -> QuerySet[R]:
    """The rights among these whose givers may still give them."""
    members = Member.objects.filter(project=OuterRef("project"), user=OuterRef("created_by"), user__is_active=True)
    condition = Q()
    for carried, roles in GIVERS[rights.model].items():
        giver_exists = Q(Exists(members.filter(role__in=roles)))
        condition |= giver_exists & Q(role=carried) if carried else giver_exists
    return rights.filter(condition)


def lapse(right: Right, members: Mapping[int | None, Member]) -> str:
    """Why this right no longer holds, in words for the project's leads; empty if it holds.

    members: the project's members by user, as `members_by_user` reads them.
    """
    user, member = right.created_by, members.get(right.created_by_id)
    if user is None:
        return _("The account that created it was deleted.")
    if not user.is_active:
        return _("The account of %(name)s, who created it, is deactivated.") % {"name": user}
    if member is None:
        return _("%(name)s, who created it, is no longer in this project.") % {"name": user}
    if not may_give(member.role, right):
        return _("%(name)s, who created it, may no longer do so as %(role)s.") % {
            "name": user,
            "role": member.get_role_display(),
        }
    return ""


def members_by_user(project_id: int) -> dict[int | None, Member]:
    return {member.user_id: member for member in Member.objects.filter(project_id=project_id)}


def may_reset_password(*, by: User, of: User) -> bool:
    """Whether this person may create a link that sets a new password for that account."""
    return by.is_active and by.is_staff and of.is_active and (by.is_superuser or not of.is_superuser)
