"""Webhooks of a project: their addresses, and the messages that are stored to be sent.

A message is written in the transaction of its event, so that nothing is sent that did not happen and no event is
forgotten; deliveries.py sends it.
"""

import secrets
import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate import bell, rights
from annotate.audit.trail import record, recording
from annotate.engine.addresses import LONGEST, Address, read_address
from annotate.errors import Refused
from annotate.models import Delivery, Item, Project, Release, Run, User, Webhook

EVENTS = {
    "item.accepted": gettext_lazy("an item is accepted"),
    "run.finished": gettext_lazy("a run ends"),
    "release.made": gettext_lazy("a release is created"),
}
PING = "ping"
MOST = 20  # webhooks of one project


def allowed_origins() -> set[str]:
    """The origins that the administrator allows for messages: scheme, host and port."""
    return {read_address(origin).origin for origin in settings.WEBHOOK_ORIGINS}


def allowed(url: str) -> Address:
    """The address of a webhook, parsed; its path stays as written.

    Raises Refused unless it can be parsed and its origin is on the administrator's list.
    """
    parts = _parts(url)
    if parts is None:
        raise Refused(_("Enter an address such as https://hooks.example.org/touchstone, without spaces or “#”."))
    origin = read_address(f"{parts.scheme}://{parts.netloc}")
    if origin.origin not in allowed_origins():
        raise Refused(
            _("“%(origin)s” is not an address that the administrator allows (WEBHOOK_ORIGINS).") % {"origin": origin}
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(origin.scheme, origin.host, origin.port, path)


def _parts(url: str) -> SplitResult | None:
    readable = len(url) <= LONGEST and url.isascii() and url.isprintable() and " " not in url and "#" not in url
    try:
        return urlsplit(url) if readable else None
    except ValueError:
        return None


def make(*, project: Project, url: str, events: Sequence[str], by: User) -> Webhook:
    """Create a webhook for these events, signed with a secret of its own. Raises Refused.

    It is active only while this person leads the project; another lead can take it over with `switch`.
    """
    allowed(url)
    if project.webhooks.count() >= MOST:
        raise Refused(_("A project can have up to %(most)s webhooks. Remove one first.") % {"most": MOST})
    event_names = [name for name in EVENTS if name in events]
    secret = "whsec_" + secrets.token_urlsafe(32)
    webhook = Webhook(project=project, url=url, secret=secret, events=event_names, created_by=by)
    if rights.giver(webhook) is None:
        raise Refused(_("Only leads of this project can create webhooks."))
    with transaction.atomic():
        webhook.save()
        record("webhook.created", webhook, after=_recorded(webhook))
    return webhook


def _recorded(webhook: Webhook) -> dict[str, Any]:
    """For the audit trail: the host only, because the path of an address is often its secret."""
    return {"host": urlsplit(webhook.url).hostname, "events": webhook.events, "active": webhook.active}


def switch(webhook: Webhook, *, on: bool, by: User) -> None:
    """Switch it on or off. While off, no message is stored for it, and stored ones wait. Whoever switches it on owns
    it.
    """
    changes = {"active": True, "created_by": by} if on else {"active": False}
    with recording("webhook.switched", webhook, "active", "created_by"):
        Webhook.objects.filter(pk=webhook.pk).update(**changes)


def remove(webhook: Webhook) -> None:
    """Delete it with its messages."""
    with transaction.atomic():
        record("webhook.removed", webhook, before=_recorded(webhook), after={})
        webhook.delete()


def item_accepted(item: Item) -> None:
    _tell(item.project_id, "item.accepted", {"item": item.pk, "key": item.key, "round": item.round})


def run_finished(run: Run) -> None:
    _tell(run.project_id, "run.finished", {"run": run.pk, "purpose": run.purpose, "state": run.state})


def release_made(release: Release) -> None:
    figures = {"version": release.version, "rows": release.rows, "sha256": release.sha256}
    _tell(release.project_id, "release.made", figures)


def ping(webhook: Webhook) -> Delivery:
    """A test message without content, to see whether it arrives."""
    with transaction.atomic():
        delivery = Delivery.objects.create(webhook=webhook, event=PING, body=_body(PING, webhook.project, {}))
        _ring_on_commit()
        record("webhook.tested", webhook)
    return delivery


def again(delivery: Delivery) -> Delivery:
    """Send the same message again with the same id, so that its receiver can recognise it."""
    copied = {"webhook_id": delivery.webhook_id, "event": delivery.event, "body": delivery.body}
    with transaction.atomic():
        new_delivery = Delivery.objects.create(**copied)
        _ring_on_commit()
        record("webhook.repeated", delivery.webhook, after={"event": delivery.event, "delivery": delivery.pk})
    return new_delivery


def _tell(project_id: int, event: str, about: dict[str, Any]) -> None:
    active = Webhook.objects.filter(project_id=project_id, active=True)
    listening = rights.holding(active).select_related("project")
    receivers = [webhook for webhook in listening if event in webhook.events]
    if receivers:
        body = _body(event, receivers[0].project, about)
        Delivery.objects.bulk_create(Delivery(webhook=webhook, event=event, body=body) for webhook in receivers)
        _ring_on_commit()


def _body(event: str, project: Project, about: dict[str, Any]) -> dict[str, Any]:
    """Ids and counts only: programs with more rights can ask the API."""
    timestamp = timezone.now().isoformat(timespec="seconds")
    return {"id": uuid.uuid4().hex, "event": event, "project": project.slug, "at": timestamp, "data": about}


def _ring_on_commit() -> None:
    bell.ring("send_deliveries")
