"""Lines in people's inboxes, and mail where the installation can send it."""

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.models import Item, Notification, Project, User


def notify(
    user: User | None,
    item: Item | None,
    verb: str,
    *,
    by: User | None,
    note: str = "",
    project: Project | None = None,
) -> None:
    """Tell somebody what happened, unless they did it themselves or there is nobody to tell."""
    if user is None or user == by:
        return
    about = item.project if item else project
    assert about is not None
    Notification.objects.create(user=user, project=about, item=item, verb=verb, actor=by, note=note[:2000])
    if settings.MAIL_CONFIGURED and user.email and verb in MAILED:
        transaction.on_commit(lambda: _mail(user, about, item, verb))


MAILED = {"returned", "answered", "assigned"}


def _mail(user: User, project: Project, item: Item | None, verb: str) -> None:
    with override(user.language or settings.LANGUAGE_CODE):
        what = Notification.Verb(verb).label
        subject = _("%(project)s: %(item)s %(what)s") % {
            "project": project.name,
            "item": item.key if item else "",
            "what": what,
        }
        body = f"{subject}\n\n{settings.SITE_URL}/p/{project.slug}/work/\n"
        # A mail server that is down must not undo what somebody has just decided.
        send_mail(" ".join(subject.split()), body, None, [user.email], fail_silently=True)
