"""Inbox notifications, and mail if the installation can send it."""

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.models import Item, Notification, Project, Run, User


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
    """Tell somebody what happened, unless they did it themselves or there is nobody to tell."""
    if user is None or user == by:
        return
    about = item.project if item else project
    assert about is not None
    notification = Notification(user=user, project=about, item=item, run=run, verb=verb, actor=by, note=note[:2000])
    notification.save()
    if settings.MAIL_CONFIGURED and user.email and verb in MAILED:
        transaction.on_commit(lambda: _mail(notification))


MAILED = {"returned", "answered", "assigned", "finished", "stopped"}


def _mail(notification: Notification) -> None:
    user, item = notification.user, notification.item
    with override(user.language or settings.LANGUAGE_CODE):
        subject = _("%(project)s: %(item)s %(what)s") % {
            "project": notification.project.name,
            "item": item.key if item else "",
            "what": Notification.Verb(notification.verb).label,
        }
        message = f"{subject}\n\n{notification.note}" if notification.run_id else subject
        where = f"runs/{notification.run_id}/" if notification.run_id else "work/"
        body = f"{message}\n\n{settings.SITE_URL}/p/{notification.project.slug}/{where}\n"
        # A mail server that is down must not roll back what somebody has just decided.
        send_mail(" ".join(subject.split()), body, None, [user.email], fail_silently=True)
