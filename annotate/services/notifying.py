"""Lines in people's inboxes, and mail where the installation can send it."""

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
    told = Notification(user=user, project=about, item=item, run=run, verb=verb, actor=by, note=note[:2000])
    told.save()
    if settings.MAIL_CONFIGURED and user.email and verb in MAILED:
        transaction.on_commit(lambda: _mail(told))


MAILED = {"returned", "answered", "assigned", "finished", "stopped"}


def _mail(told: Notification) -> None:
    user, item = told.user, told.item
    with override(user.language or settings.LANGUAGE_CODE):
        subject = _("%(project)s: %(item)s %(what)s") % {
            "project": told.project.name,
            "item": item.key if item else "",
            "what": Notification.Verb(told.verb).label,
        }
        said = f"{subject}\n\n{told.note}" if told.run_id else subject
        where = f"runs/{told.run_id}/" if told.run_id else "work/"
        body = f"{said}\n\n{settings.SITE_URL}/p/{told.project.slug}/{where}\n"
        # A mail server that is down must not undo what somebody has just decided.
        send_mail(" ".join(subject.split()), body, None, [user.email], fail_silently=True)
