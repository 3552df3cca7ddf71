"""Every kind of right that a person gives away: how it is made, and whether it still opens something.

HOLDS is the rule written down by hand, apart from the code that it is compared with.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unittest import mock

from django.core.cache import cache
from django.test import Client, override_settings

from annotate.models import Delivery, Member, User
from annotate.notices import deliveries, webhooks
from annotate.notices.deliveries import DeliveryOutcome
from annotate.people import accounts, tokens
from tests.support.surveys import start

HOOK = "https://hooks.invalid"
PASSWORD = "chosen by the thief"
ROLES = ("lead", "reviewer", "annotator", "viewer")

# Kind of right -> the roles in which its giver must be for it to hold.
HOLDS: Mapping[str, set[str]] = {
    "invitation:lead": {"lead"},
    "invitation:reviewer": {"lead"},
    "invitation:annotator": {"lead"},
    "invitation:viewer": {"lead"},
    "token:lead": {"lead"},
    "token:reviewer": {"lead", "reviewer"},
    "token:annotator": {"lead", "reviewer", "annotator"},
    "token:viewer": {"lead", "reviewer", "viewer"},
    "webhook:": {"lead"},
    "survey:": {"lead"},
}


@dataclass(frozen=True)
class Given:
    """opens: whether the right still lets somebody in, tried as its holder would."""

    kind: str
    opens: Callable[[], bool]


def give(kind: str, by: Member) -> Given:
    """A right of this kind, made by this member with the service that the pages use. Raises Refused."""
    name, _colon, role = kind.partition(":")
    return Given(kind, MAKERS[name](by, role))


def _invitation(by: Member, role: str) -> Callable[[], bool]:
    path = f"/invite/{accounts.invite(project=by.project, role=role, by=by.user).token}/"

    def opens() -> bool:
        shown = Client().get(path).status_code == 200
        name = f"guest-{User.objects.count()}"
        form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        joined = Client().post(path, form).status_code == 302
        assert shown == joined == Member.objects.filter(user__username=name, role=role).exists()
        return joined

    return opens


def _token(by: Member, role: str) -> Callable[[], bool]:
    headers = {"Authorization": f"Bearer {tokens.make(by=by, name='x', role=role).secret}"}

    def opens() -> bool:
        answer = Client().get(f"/api/v1/projects/{by.project.slug}/", headers=headers)
        assert answer.status_code in (200, 401)
        if answer.status_code == 200:
            assert answer.json()["role"] == role
        return answer.status_code == 200

    return opens


def _webhook(by: Member, _role: str) -> Callable[[], bool]:
    with override_settings(WEBHOOK_ORIGINS=[HOOK]):
        hook = webhooks.make(project=by.project, url=f"{HOOK}/", events=["run.finished"], by=by.user)

    def opens() -> bool:
        """Neither is anything new written down for it, nor is what waited sent."""
        waiting = Delivery.objects.create(webhook=hook, event="run.finished", body={})
        run = mock.Mock(project_id=by.project_id, pk=1, purpose="judge", state="done")
        webhooks.run_finished(run)
        told = hook.deliveries.count() == 2
        with mock.patch("annotate.notices.deliveries.send", return_value=DeliveryOutcome(204)):
            deliveries.send_due()
        waiting.refresh_from_db()
        assert told == (waiting.delivered_at is not None)
        return told

    return opens


def _survey(by: Member, _role: str) -> Callable[[], bool]:
    client = Client()
    client.force_login(by.user)
    client.post(f"/p/{by.project.slug}/survey/switch/", {"open": "1"})
    survey = by.project.survey

    def opens() -> bool:
        cache.clear()
        return bool(start(survey))

    return opens


MAKERS: Mapping[str, Callable[[Member, str], Callable[[], bool]]] = {
    "invitation": _invitation,
    "token": _token,
    "webhook": _webhook,
    "survey": _survey,
}


# --- what becomes of the giver ------------------------------------------------------------------------------------
def become(user: User, project_id: int, state: str) -> None:
    """state: a role in the project, "removed", "off" or "on" (the account), "elsewhere" (lead of another project)."""
    if state in ("on", "off"):
        User.objects.filter(pk=user.pk).update(is_active=state == "on")
    elif state == "removed":
        Member.objects.filter(project_id=project_id, user=user).delete()
    elif state == "elsewhere":
        from tests.support.people import make_project

        Member.objects.create(project=make_project(), user=user, role="lead")
    else:
        Member.objects.update_or_create(project_id=project_id, user=user, defaults={"role": state})


# --- password links -----------------------------------------------------------------------------------------------
def password_link_path(administrator: User, account: User) -> str:
    client = Client()
    client.force_login(administrator)
    text = client.post("/accounts-admin/", {"username": account.username}).content.decode()
    (path,) = re.findall(r'<code id="reset-link">http://testserver([^<]+)</code>', text)
    return path


def password_link(administrator: User, account: User) -> Callable[[], bool]:
    path = password_link_path(administrator, account)

    def opens() -> bool:
        other = Client()
        form = other.get(path, follow=True)
        if form.redirect_chain:
            form_path = form.redirect_chain[-1][0]
            other.post(form_path, {"password1": PASSWORD, "password2": PASSWORD})
        account.refresh_from_db()
        return account.check_password(PASSWORD)

    return opens
