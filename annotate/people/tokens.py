"""API tokens for one project: made by its members, shown once, stored as a hash."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import rights
from annotate.audit.trail import record, values_of
from annotate.errors import Refused
from annotate.models import ApiToken, Member, Project

PREFIX = "ts_"
SHOWN = 10  # characters by which people recognise a token: too few to guess the rest
LONGEST = 366  # days
USE_IS_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class NewToken:
    """A new token with its secret, which nobody can read again."""

    token: ApiToken
    secret: str


@dataclass(frozen=True)
class Bearer:
    """The caller: the token, and its creator as a member with the token's role."""

    token: ApiToken
    member: Member


def make(*, by: Member, name: str, role: str, days: int | None = None) -> NewToken:
    """A token for this member's project. days: until it expires, None for never.

    Raises Refused if the role goes beyond the member's own.
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(
        project_id=by.project_id,
        name=name,
        role=role,
        sha256=digest(secret),
        starts_with=secret[:SHOWN],
        created_by=by.user,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    if not rights.may_give(by.role, token):
        raise Refused(_("A token cannot do more than the person who creates it. Choose another role."))
    with transaction.atomic():
        token.save()
        record("api_token.created", token, after=values_of(token, "name", "role", "expires_at"), project=by.project)
    return NewToken(token, secret)


def revoke(token: ApiToken) -> bool:
    """Revoke the token; returns False if it was revoked before."""
    with transaction.atomic():
        revoked = bool(ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()))
        if revoked:
            record("api_token.revoked", token, before=values_of(token, "name", "role"), after={})
    return revoked


def bearer(secret: str) -> Bearer | None:
    """The caller with this secret; None if the token is not valid, for any reason."""
    token = _living().filter(sha256=digest(secret)).select_related("project").first()
    if token is None:
        return None
    member = rights.giver(token)
    if member is None:
        return None
    member.project, member.role = token.project, token.role
    return Bearer(token, member)


def _living() -> QuerySet[ApiToken]:
    not_expired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return ApiToken.objects.filter(not_expired, revoked_at=None)


def note_use(token: ApiToken) -> None:
    """Store when the token was last used, to the minute, so that a reading program does not write on every request."""
    now = timezone.now()
    if token.used_at is None or token.used_at < now - USE_IS_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)


def digest(secret: str) -> str:
    """The stored hash. The secret is 256 random bits, so one round of SHA-256 is enough; passwords would need more."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class TokenRow:
    """A token and its state: usable, revoked, expired, or lost, for the reason in `lapse`."""

    token: ApiToken
    state: str
    lapse: str


def listed(project: Project, stored: Iterable[ApiToken]) -> list[TokenRow]:
    """These tokens of the project, with what became of each, in one query."""
    members = rights.members_by_user(project.pk)
    return [_listed(token, rights.lapse(token, members)) for token in stored]


def _listed(token: ApiToken, lapse: str) -> TokenRow:
    state = _ended(token) or ("lost" if lapse else "usable")
    return TokenRow(token, state, lapse if state == "lost" else "")


def _ended(token: ApiToken) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at is not None and token.expires_at <= timezone.now():
        return "expired"
    return ""
