"""Links that let one person join a project, and links by which an account gets a new password."""

from datetime import timedelta

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Invitation, Member, Project, User
from annotate.services.errors import Refused


def invite(*, project: Project, role: str, by: User, email: str = "", note: str = "", days: int = 14) -> Invitation:
    """A link for one person, once; mailed where there is an address and the installation can send mail."""
    invitation = Invitation.objects.create(
        project=project,
        role=role,
        email=email,
        note=note,
        created_by=by,
        expires_at=timezone.now() + timedelta(days=days),
    )
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


def accept(invitation: Invitation, *, user: User) -> Member:
    """Join the project. Raises Refused if the link no longer works or the person is in the project already."""
    with transaction.atomic():
        if Member.objects.filter(project_id=invitation.project_id, user=user).exists():
            raise Refused(_("You are in this project already. The link is still unused; pass it on."))
        usable = Invitation.objects.usable(timezone.now()).filter(pk=invitation.pk)
        if not usable.update(accepted_at=timezone.now(), accepted_by=user):
            raise Refused(_("This link was used, taken back or has run out meanwhile."))
        return Member.objects.create(project_id=invitation.project_id, user=user, role=invitation.role)


def password_link(user: User) -> str:
    """The path of a page where this account gets a new password; it works once, for settings.PASSWORD_RESET_TIMEOUT.

    For installations without a mail server: an administrator hands it over.
    """
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def _mail(invitation: Invitation) -> None:
    subject = _("%(who)s invites you to %(project)s") % {
        "who": invitation.created_by,
        "project": invitation.project.name,
    }
    until = timezone.localtime(invitation.expires_at).date().isoformat()
    body = _("Join by this link until %(until)s: %(link)s") % {"until": until, "link": address(invitation)}
    # A mail server that is down must not undo the invitation: its link can be copied from the page.
    send_mail(" ".join(subject.split()), body, None, [invitation.email], fail_silently=True)
