"""The texts of mails about notifications, and the link in them that ends them.

A mail says in which project something happened, what, how often, and where to read it. It holds no text of an item, no
comment and nobody's name: mail travels and is stored outside of this installation.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.signing import BadSignature, Signer
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from annotate.models import Digest, Member, Notification, Project, User
from annotate.notices.targets import roles_of, target

SALT = "annotate.notices.mails"
Roles = dict[int, Member]  # by the id of the project


def at_once(notification: Notification) -> EmailMessage:
    """In the person's language, about one notification."""
    user, item = notification.user, notification.item
    with override(user.language or settings.LANGUAGE_CODE):
        subject = _("%(project)s: %(item)s %(what)s") % {
            "project": notification.project.name,
            "item": item.key if item else "",
            "what": Notification.Verb(notification.verb).label,
        }
        message = f"{subject}\n\n{notification.note}" if notification.run_id else subject
        where = f"runs/{notification.run_id}/" if notification.run_id else "work/"
        link = f"{settings.SITE_URL}/p/{notification.project.slug}/{where}"
        return _mail(user, subject, [message, link])


def digest_mail(digest: Digest, lines: Sequence[Notification]) -> EmailMessage:
    """In the person's language, with the lines in groups by project and event, each with its number and a link.

    lines: of projects in which the person is. Each attempt to send a digest has the same Message-ID, by which mail
    systems recognise a message that they already have.
    """
    user, count = digest.user, len(lines)
    with override(user.language or settings.LANGUAGE_CODE):
        subject = ngettext("Touchstone: %(n)s notification", "Touchstone: %(n)s notifications", count) % {"n": count}
        mail = _mail(user, subject, [*_groups(user, lines), _("All notifications: %(link)s") % {"link": _inbox()}])
    mark = salted_hmac(SALT, f"{digest.pk} {digest.period.isoformat()}", algorithm="sha256").hexdigest()[:24]
    mail.extra_headers["Message-ID"] = f"<{mark}@{urlsplit(settings.SITE_URL).hostname or 'touchstone'}>"
    return mail


def _groups(user: User, lines: Iterable[Notification]) -> list[str]:
    """A paragraph for each project, in the order of the newest line."""
    roles, by_project = roles_of(user), dict[Project, list[Notification]]()
    for line in lines:
        by_project.setdefault(line.project, []).append(line)
    return [_paragraph(project, of_project, roles) for project, of_project in by_project.items()]


def _paragraph(project: Project, lines: Sequence[Notification], roles: Roles) -> str:
    by_event: dict[str, list[Notification]] = {}
    for line in lines:
        by_event.setdefault(_event(line), []).append(line)
    rows = [f"- {event}: {len(alike)}\n  {_link(alike, roles, project)}" for event, alike in by_event.items()]
    return "\n".join([" ".join(project.name.split()), *rows])


def _event(line: Notification) -> str:
    is_vote = line.verb == Notification.Verb.ACCEPTED and line.project.kind.opinions
    return _("all votes are in") if is_vote else str(Notification.Verb(line.verb).label)


def _link(lines: Sequence[Notification], roles: Roles, project: Project) -> str:
    """The page that all these lines are about, or the person's unread notifications of the project."""
    paths = {target(line, roles) for line in lines}
    if len(paths) == 1 and (path := paths.pop()):
        return settings.SITE_URL + path
    return f"{_inbox()}?{urlencode({'show': 'unread', 'project': project.slug})}"


def _inbox() -> str:
    return settings.SITE_URL + reverse("inbox")


def _mail(user: User, subject: str, paragraphs: Sequence[str]) -> EmailMessage:
    """With what every mail ends with: where to choose how often mails come, and how to end them."""
    stop = settings.SITE_URL + reverse("mails_stop", args=[stop_token(user)])
    foot = "\n".join(
        [
            _("How often you get mails: %(link)s") % {"link": settings.SITE_URL + reverse("preferences")},
            _("No more mails: %(link)s") % {"link": stop},
        ]
    )
    headers = {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    body = "\n\n".join([*paragraphs, f"-- \n{foot}"]) + "\n"
    return EmailMessage(" ".join(subject.split()), body, None, [user.email], headers=headers)


# The link that ends mails, without signing in. It is bound to the address that the mail was sent to.


def stop_token(user: User) -> str:
    return _signer(user).sign(str(user.pk))


def who_stops(token: str) -> User | None:
    """The person whose mails this token ends; None if it is not ours, or for an address that they no longer have."""
    pk = token.partition(":")[0]
    user = User.objects.filter(pk=int(pk)).first() if pk.isascii() and pk.isdecimal() and len(pk) < 19 else None
    if user is None:
        return None
    try:
        _signer(user).unsign(token)
    except BadSignature:
        return None
    return user


def _signer(user: User) -> Signer:
    return Signer(salt=f"{SALT}.{user.email}")
