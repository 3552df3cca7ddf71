"""Inbox notifications, and mail if the installation can send it."""

from django.conf import settings
from django.db import transaction

from annotate.models import Item, Notification, Project, Run, User
from annotate.notices import mails

MAILED_AT_ONCE = {"returned", "answered", "assigned", "finished", "stopped"}


def notify(
    user: User | None,
    item: Item | None,
    verb: str,
    *,
    by: User | None,
    note: str = "",
    project: Project | None = None,
    run: Run | None = None,
) -> None:
    """Tell somebody what happened, unless they did it themselves or there is nobody to tell.

    The person chooses whether a mail says so at once, a digest later (digests.py), or no mail.
    """
    if user is None or user == by:
        return
    about = item.project if item else project
    assert about is not None
    notification = Notification(
        user=user,
        project=about,
        item=item,
        run=run,
        verb=verb,
        actor=by,
        note=note[:2000],
        awaits_digest=user.mails in (User.Mails.DAILY, User.Mails.WEEKLY),
    )
    notification.save()
    if settings.MAIL_CONFIGURED and user.email and user.mails == User.Mails.AT_ONCE and verb in MAILED_AT_ONCE:
        # A mail server that is down must not roll back what somebody has just decided.
        transaction.on_commit(lambda: mails.at_once(notification).send(fail_silently=True))
