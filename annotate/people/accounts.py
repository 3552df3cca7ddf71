"""Accounts: invitations to a project, password links, and the rules of signing in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import (
    EmailAwarePasswordResetTokenGenerator,
    LoginForm,
    UserTokenForm,
    default_token_generator,
)
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import rights
from annotate.audit.trail import record, values_of
from annotate.errors import Refused
from annotate.models import Invitation, Member, Project, User
from annotate.rights import may_reset_password


class Lapsed(Refused):
    """The maker of the invitation may no longer invite people."""

    def __init__(self) -> None:
        super().__init__(_("The person who created this invitation can no longer invite people to this project."))


@dataclass(frozen=True)
class Invitee:
    """Whom a link is for: a name for the list, and the address that it is mailed to; either may be ""."""

    note: str = ""
    email: str = ""


def invite(*, project: Project, role: str, by: User, email: str = "", note: str = "", days: int = 14) -> Invitation:
    """Make a link that one person can use once; mailed if there is an address and the installation can send mail.

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
        raise Refused(_("Only leads of this project can invite people."))
    with transaction.atomic():
        invitation.save()
        if email and settings.MAIL_CONFIGURED:
            transaction.on_commit(lambda: _mail(invitation))
        record("invitation.created", invitation, after=values_of(invitation, "role", "expires_at"))
    return invitation


def invite_all(*, project: Project, role: str, by: User, invitees: Sequence[Invitee], days: int) -> list[Invitation]:
    """A link for each of these people, or for none. Raises Refused as `invite` does."""
    with transaction.atomic():
        return [
            invite(project=project, role=role, by=by, email=invitee.email, note=invitee.note, days=days)
            for invitee in invitees
        ]


def address(invitation: Invitation) -> str:
    return settings.SITE_URL + reverse("invitation", args=[invitation.token])


def revoke(invitation: Invitation) -> None:
    """The link stops working. Raises Refused if it was used already."""
    unused = Invitation.objects.filter(pk=invitation.pk, accepted_at=None)
    with transaction.atomic():
        if not unused.update(revoked_at=timezone.now()):
            raise Refused(_("Someone has already joined with this link. Remove them below instead."))
        record("invitation.revoked", invitation, before=values_of(invitation, "role"), after={})


def unused() -> QuerySet[Invitation]:
    """Invitations neither accepted, revoked nor expired; whether their makers may still invite is checked elsewhere."""
    return Invitation.objects.filter(revoked_at=None, accepted_at=None, expires_at__gt=timezone.now())


@dataclass(frozen=True)
class InvitationRow:
    """An invitation in the leads' list. lapse: why it is no longer valid, though nobody has used or revoked it."""

    invitation: Invitation
    is_open: bool
    lapse: str


def listed(project: Project, *, most: int) -> Sequence[InvitationRow]:
    """The newest invitations that were not revoked, in two queries."""
    members, now = rights.members_by_user(project.pk), timezone.now()
    stored = project.invitations.filter(revoked_at=None).select_related("accepted_by", "created_by")[:most]
    return [
        _listed(
            invitation, now < invitation.expires_at and not invitation.accepted_at, rights.lapse(invitation, members)
        )
        for invitation in stored
    ]


def _listed(invitation: Invitation, unused: bool, lapse: str) -> InvitationRow:
    return InvitationRow(invitation, unused and not lapse, lapse if unused else "")


def accept(invitation: Invitation, *, user: User) -> Member:
    """Add the user to the project.

    Raises Lapsed if the maker of the link may no longer invite; Refused if the link was used, revoked or has expired,
    or if the person is in the project already.
    """
    with transaction.atomic():
        if rights.giver(invitation, lock=True) is None:
            raise Lapsed
        if Member.objects.filter(project_id=invitation.project_id, user=user).exists():
            raise Refused(_("You are already in this project. The link is still unused, so you can pass it on."))
        if not unused().filter(pk=invitation.pk).update(accepted_at=timezone.now(), accepted_by=user):
            raise Refused(_("This link was used or revoked, or it has expired."))
        member = Member.objects.create(project_id=invitation.project_id, user=user, role=invitation.role)
        record("member.joined", member, after={"role": member.role, "invitation": invitation.pk})
    return member


def _mail(invitation: Invitation) -> None:
    subject = _("%(who)s invites you to %(project)s") % {
        "who": invitation.created_by,
        "project": invitation.project.name,
    }
    until = timezone.localtime(invitation.expires_at).date().isoformat()
    body = _("Join by this link until %(until)s: %(link)s") % {"until": until, "link": address(invitation)}
    # A mail server that is down must not undo the invitation: its link can be copied from the page.
    send_mail(" ".join(subject.split()), body, None, [invitation.email], fail_silently=True)


# Password links: mailed to the account itself, or handed over by an administrator.


MARK = "_"  # between an administrator's id and the key; neither contains it


def password_link(user: User, *, by: User | None) -> str:
    """The path of a page where this account gets a new password; it works once, for settings.PASSWORD_RESET_TIMEOUT.

    For installations without a mail server: an administrator hands it over, and it works only while they may make
    it. by: None for a person at the server's command line.
    """
    with transaction.atomic():
        record("read.password_link", user)
    key = default_token_generator.make_token(user) if by is None else f"{by.pk}{MARK}{_KeysBy(by).make_token(user)}"
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


class PasswordKeys(EmailAwarePasswordResetTokenGenerator):
    """Checks keys of both origins. `<id>_<key>` is an administrator's; it is valid while they may make such links."""

    def check_token(self, user: AbstractBaseUser | None, token: str | None) -> bool:
        maker, mark, key = (token or "").partition(MARK)
        if not mark:
            return bool(super().check_token(user, token))
        administrator = User.objects.filter(pk=int(maker)).first() if _is_id(maker) else None
        if administrator is None or not isinstance(user, User) or not may_reset_password(by=administrator, of=user):
            return False
        return bool(_KeysBy(administrator).check_token(user, key))


class _KeysBy(EmailAwarePasswordResetTokenGenerator):
    """The administrator is part of the salt, so that nobody can put another administrator's id before a key."""

    def __init__(self, administrator: User) -> None:
        super().__init__()
        self.key_salt = f"annotate.services.password_links.{administrator.pk}"


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


class InvitedOnly(DefaultAccountAdapter):
    """Sign-up is closed: accounts are made by an invitation or by a command."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """axes counts wrong passwords per name and address, so the owner can still sign in from another address."""


class PasswordKeyForm(UserTokenForm):
    """Checks the key of a password link, when it is opened and again when the new password is sent."""

    token_generator = PasswordKeys()


class SignIn(LoginForm):
    """The sign-in form. The cursor starts in the name field, because the page has no other use."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autofocus"] = True


def name_at_sign_in(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The name under which axes counts an attempt: the same for one account, whatever the capitals."""
    typed = (credentials or {}).get("username") or request.POST.get("login") or ""
    return str(typed).strip().casefold()
