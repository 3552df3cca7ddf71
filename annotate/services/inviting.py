"""Links that let one person join a project."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Invitation, Member, Project, User
from annotate.services import rights
from annotate.services.errors import Refused


class Lapsed(Refused):
    """Whoever made the invitation may no longer invite people."""

    def __init__(self) -> None:
        super().__init__(_("Whoever made this invitation may no longer invite people to this project."))


def invite(*, project: Project, role: str, by: User, email: str = "", note: str = "", days: int = 14) -> Invitation:
    """A link for one person, once; mailed where there is an address and the installation can send mail.

    Raises Refused if this person may not invite somebody in this role.
    """
    invitation = Invitation(
        project=project,
        role=role,
        email=email,
        note=note,
        created_by=by,
        expires_at=timezone.now() + timedelta(days=days),
    )
    if rights.giver(invitation) is None:
        raise Refused(_("Only leads of this project invite people."))
    invitation.save()
    if email and settings.MAIL_CONFIGURED:
        transaction.on_commit(lambda: _mail(invitation))
    return invitation


def address(invitation: Invitation) -> str:
    return settings.SITE_URL + reverse("invitation", args=[invitation.token])


def revoke(invitation: Invitation) -> None:
    """The link stops working. Raises Refused if it was used already."""
    unused = Invitation.objects.filter(pk=invitation.pk, accepted_at=None)
    if not unused.update(revoked_at=timezone.now()):
        raise Refused(_("Somebody has joined with this link already. Remove them below instead."))


def unused() -> QuerySet[Invitation]:
    """Neither accepted, nor taken back, nor run out; whether their makers may still invite is asked apart."""
    return Invitation.objects.filter(revoked_at=None, accepted_at=None, expires_at__gt=timezone.now())


@dataclass(frozen=True)
class Listed:
    """An invitation for the leads' list. lapse: why it no longer holds, though nobody has used or revoked it."""

    invitation: Invitation
    is_open: bool
    lapse: str


def listed(project: Project, *, most: int) -> Sequence[Listed]:
    """The newest that were not taken back, in two queries."""
    members, now = rights.members_by_user(project.pk), timezone.now()
    stored = project.invitations.filter(revoked_at=None).select_related("accepted_by", "created_by")[:most]
    return [
        _listed(
            invitation, now < invitation.expires_at and not invitation.accepted_at, rights.lapse(invitation, members)
        )
        for invitation in stored
    ]


def _listed(invitation: Invitation, unused: bool, lapse: str) -> Listed:
    return Listed(invitation, unused and not lapse, lapse if unused else "")


def accept(invitation: Invitation, *, user: User) -> Member:
    """Join the project.

    Raises Lapsed if whoever made the link may no longer invite, Refused if it was used, taken back or has run out, or
    the person is in the project already.
    """
    with transaction.atomic():
        if rights.giver(invitation, lock=True) is None:
            raise Lapsed
        if Member.objects.filter(project_id=invitation.project_id, user=user).exists():
            raise Refused(_("You are in this project already. The link is still unused; pass it on."))
        if not unused().filter(pk=invitation.pk).update(accepted_at=timezone.now(), accepted_by=user):
            raise Refused(_("This link was used, taken back or has run out meanwhile."))
        return Member.objects.create(project_id=invitation.project_id, user=user, role=invitation.role)


def _mail(invitation: Invitation) -> None:
    subject = _("%(who)s invites you to %(project)s") % {
        "who": invitation.created_by,
        "project": invitation.project.name,
    }
    until = timezone.localtime(invitation.expires_at).date().isoformat()
    body = _("Join by this link until %(until)s: %(link)s") % {"until": until, "link": address(invitation)}
    # A mail server that is down must not undo the invitation: its link can be copied from the page.
    send_mail(" ".join(subject.split()), body, None, [invitation.email], fail_silently=True)
