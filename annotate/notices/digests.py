"""Digests: one mail a day or a week about a person's unread notifications.

The clock plans a digest (a row) when a period has begun and something from before it awaits a digest; a worker sends it
under a lease. A person has one digest a period, whichever workers plan it. A notification awaits a digest until the
digest that mentions it was sent, so nothing is lost when a worker is killed: another sends it once the lease has run
out. Only a worker that dies between the mail server's answer and the next statement lets a mail be sent again; both
have the same Message-ID. See docs/decisions/0052-digests.md.
"""

import socket
from collections.abc import Sequence
from datetime import datetime, timedelta
from smtplib import SMTPServerDisconnected

from django.conf import settings
from django.core.mail import get_connection
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.engine.chores import Leases, Parts
from annotate.models import Digest, Member, Notification, User
from annotate.notices import mails

HOUR = 7  # of the morning, in the time zone of the installation
WEEKDAY = 0  # Monday, of weekly ones
MOST = 5000  # notifications in one mail; the rest stand in the next one
# After the first, second, … attempt that failed. Then it is given up, and the next digest mentions what it held.
WAITS = [timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6), timedelta(hours=12)]
KEPT = timedelta(days=30)
UNREACHABLE = (TimeoutError, ConnectionError, socket.gaierror, SMTPServerDisconnected)  # not: a refused address
leases = Leases(
    Digest,
    Q(ended_at=None),
    timedelta(minutes=2),
    due=lambda: Q(due_at__lte=timezone.now()),
    related=("user",),
)


def period(rhythm: str, now: datetime) -> datetime:
    """When the latest period began: this morning or yesterday morning; for weekly digests the latest Monday's."""
    local = timezone.localtime(now)
    morning = local.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    if rhythm == User.Mails.WEEKLY:
        morning -= timedelta(days=(local.weekday() - WEEKDAY) % 7)
    if morning <= local:
        return morning
    return morning - timedelta(days=7 if rhythm == User.Mails.WEEKLY else 1)


def plan() -> int:
    """Plan the digests whose period has begun; returns how many. One statement where there is nothing to plan."""
    if not settings.MAIL_CONFIGURED or not _awaiting().exists():
        return 0
    # What waited when somebody chose mails at once goes with the daily digests.
    daily = _planned([User.Mails.DAILY, User.Mails.AT_ONCE], period(User.Mails.DAILY, timezone.now()))
    return daily + _planned([User.Mails.WEEKLY], period(User.Mails.WEEKLY, timezone.now()))


def _planned(rhythms: Sequence[str], begin: datetime) -> int:
    people = User.objects.filter(Exists(_awaiting().filter(user=OuterRef("pk"), created_at__lt=begin)))
    # A period after now was planned by a clock ahead of its time and blocks nothing.
    has_digest = Digest.objects.filter(Q(period__range=(begin, timezone.now())) | Q(ended_at=None), user=OuterRef("pk"))
    people = people.filter(~Exists(has_digest), mails__in=rhythms, is_active=True).exclude(email="")
    digests = [Digest(user=user, period=begin, due_at=begin) for user in people]
    if digests:
        Digest.objects.bulk_create(digests, ignore_conflicts=True)
    return len(digests)


def _awaiting() -> QuerySet[Notification]:
    """Unread ones of projects that the person is still in."""
    stays = Member.objects.filter(project=OuterRef("project"), user=OuterRef("user"))
    return Notification.objects.filter(Exists(stays), awaits_digest=True, read_at=None)


def parts(digest: Digest) -> Parts:
    """Send it, and remember what it mentioned. A mail server that refuses it raises the error."""
    user = digest.user
    awaiting = _awaiting().filter(user=user, created_at__lt=digest.period).order_by("-pk")
    lines = list(awaiting.select_related("project", "item")[:MOST]) if _wants_it(user) else []
    if lines:
        # A worker that was stopped for minutes finds out here that another one has sent it.
        leases.keep(digest, attempts=digest.attempts + 1)
        with get_connection(settings.MAIL_DELIVERY_BACKEND or None) as connection:
            connection.send_messages([mails.digest_mail(digest, lines)])
    with transaction.atomic():
        leases.keep(digest, ended_at=timezone.now(), lines=len(lines))
        mentioned = [line.pk for line in lines]
        Notification.objects.filter(pk__in=mentioned).update(awaits_digest=False)
    yield from ()


def _wants_it(user: User) -> bool:
    return user.is_active and bool(user.email) and user.mails != User.Mails.NEVER


def fail(digest: Digest, error: Exception) -> None:
    """Wait before the next attempt, or give up. If the server does not answer, the others need not find it out too."""
    if isinstance(error, UNREACHABLE):
        waiting = Digest.objects.filter(leases.free()).exclude(pk=digest.pk)
        waiting.update(due_at=timezone.now() + WAITS[0])
    if digest.attempts <= len(WAITS):
        leases.owned(digest).update(due_at=timezone.now() + WAITS[digest.attempts - 1], lease_until=None)
    else:
        leases.owned(digest).update(ended_at=timezone.now(), lease_until=None)


def correct_times(now: datetime, skew: timedelta) -> int:
    """Digests that a clock ahead of its time has dated into the future are due now; returns how many."""
    ahead = Digest.objects.filter(ended_at=None, due_at__gt=now + WAITS[-1] + skew)
    return ahead.update(due_at=now) if ahead.exists() else 0


def forget_old() -> int:
    old = Digest.objects.filter(ended_at__lt=timezone.now() - KEPT)
    return old.delete()[0] if old.exists() else 0
