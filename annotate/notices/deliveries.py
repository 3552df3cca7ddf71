"""Delivery of webhook messages: signed, to allowed addresses only, no redirects, with retries under a lease.

The receiver's name is resolved once, and the resolved address is both checked and connected to (against DNS rebinding).
A receiver may get a message twice (its answer was lost, or the worker was killed): both have the same id.
"""

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import rights
from annotate.engine import concurrency
from annotate.engine.addresses import IP, Address, is_never, resolved
from annotate.engine.chores import Leases
from annotate.errors import Refused
from annotate.models import Delivery, Webhook
from annotate.notices.webhooks import allowed

PATIENCE = 10.0  # seconds to connect, and between two bytes
LONGEST = 20.0  # seconds for the whole exchange, once connected
ADDRESSES_TRIED = 2
SIGNATURE = "Touchstone-Signature"


@dataclass(frozen=True)
class DeliveryOutcome:
    """status: the receiver's status code, None without an answer. detail: why it has not arrived, for people."""

    status: int | None
    detail: str = ""

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def send(delivery: Delivery) -> DeliveryOutcome:
    """Post the message once. Never raises: every result is an outcome."""
    body = json.dumps(delivery.body, ensure_ascii=False, allow_nan=False).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Touchstone",
        "Touchstone-Event": delivery.event,
        "Touchstone-Delivery": str(delivery.body.get("id", "")),
        SIGNATURE: signature(delivery.webhook.secret, body, int(time.time())),
    }
    try:
        return _post(allowed(delivery.webhook.url), body, headers)
    except Refused as refused:
        return DeliveryOutcome(None, str(refused)[:300])
    except (OSError, http.client.HTTPException, ValueError) as fault:
        return DeliveryOutcome(None, _("Not delivered: %(cause)s") % {"cause": _cause(fault)})


def signature(secret: str, body: bytes, timestamp: int) -> str:
    """`t=<seconds>,v1=<hex>`: an HMAC-SHA256 over the time, a dot and the body."""
    mac = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"t={timestamp},v1={mac.hexdigest()}"


def _post(address: Address, body: bytes, headers: dict[str, str]) -> DeliveryOutcome:
    connection = _Connection(address, resolve_addresses(address))
    # Socket timeouts apply to each byte; a receiver that sends one now and then is cut off here.
    ending = threading.Timer(LONGEST, connection.cut)
    ending.start()
    try:
        connection.request("POST", address.path, body, headers)
        status = connection.getresponse().status
    finally:
        ending.cancel()
        connection.close()
    if connection.was_cut:
        return DeliveryOutcome(None, _("No response in time."))
    return DeliveryOutcome(status, "" if 200 <= status < 300 else _why(status))


def _why(status: int) -> str:
    if 300 <= status < 400:
        return _("The address redirects, and redirects are not followed. Enter the final address.")
    return _("The response was %(status)s.") % {"status": status}


def resolve_addresses(address: Address) -> list[IP]:
    """IP addresses to connect to. A name must not resolve to this machine or its network, unless the list names it.

    Raises Refused if it does, or if it does not resolve.
    """
    if address.literal is not None:
        return [address.literal]
    ips = resolved(address.host, address.port)
    if not ips:
        raise Refused(_("“%(host)s” could not be resolved.") % {"host": address.host})
    if address.host != "localhost" and any(map(_is_here, ips)):
        raise Refused(
            _(
                "“%(host)s” resolves to this machine or a reserved address. If that is intended, ask the "
                "administrator to allow its IP address."
            )
            % {"host": address.host}
        )
    return ips[:ADDRESSES_TRIED]


def _is_here(ip: IP) -> bool:
    inner = getattr(ip, "ipv4_mapped", None) or ip
    return is_never(ip) or inner.is_loopback or inner.is_unspecified or inner.is_link_local or inner.is_multicast


class _Connection(http.client.HTTPConnection):
    """A connection to one of the checked addresses; the name is used only for the certificate and the Host header."""

    def __init__(self, address: Address, ips: list[IP]) -> None:
        super().__init__(address.host, address.port, timeout=PATIENCE)
        self._places, self._secure = ips, address.scheme == "https"
        self.was_cut = False
        self.default_port = 443 if self._secure else 80

    def connect(self) -> None:
        self.sock = self._reached()
        if self._secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock.do_handshake()  # only now, so that `cut` can interrupt it

    def _reached(self) -> socket.socket:
        for ip in self._places[:-1]:
            try:
                return socket.create_connection((str(ip), self.port), PATIENCE)
            except OSError:
                continue
        return socket.create_connection((str(self._places[-1]), self.port), PATIENCE)

    def cut(self) -> None:
        self.was_cut = True
        sock: Any = self.sock
        if sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _cause(fault: Exception) -> str:
    text = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    return str(text)[:200]


# The queue: messages are taken one by one under a lease, retried at growing intervals, and given up in the end.


# After the first, second, … failed attempt; eight attempts in a day.
WAITS = [
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=15),
]
leases = Leases(
    Delivery,
    Q(due_at__isnull=False),
    timedelta(seconds=3 * LONGEST),
    due=lambda: Q(due_at__lte=timezone.now()),
    fence="lease_until",
    related=("webhook",),
    on_claim={"attempts": F("attempts") + 1},
)
DELIVERY_KEPT = timedelta(days=30)
SLICE = 25.0  # seconds per task, so that other tasks get their turn


def due() -> QuerySet[Delivery]:
    """Messages that are due, oldest first: not being sent now, and only if the webhook's creator still leads the
    project.
    """
    listening = rights.holding(Webhook.objects.filter(active=True))
    return Delivery.objects.filter(leases.free(), webhook__in=listening).order_by("due_at", "pk")


def send_due(*, seconds: float = SLICE) -> int:
    """Send due messages for a while; returns how many were tried. After a failure the webhook's other messages wait."""
    until, tried, failing = time.monotonic() + seconds, 0, set[int]()
    while time.monotonic() < until and not concurrency.has_begun():
        delivery_id = due().exclude(webhook__in=failing).values_list("pk", flat=True).first()
        if delivery_id is None:
            break
        delivery = leases.claim(delivery_id)
        if delivery is not None:
            tried += 1
            if not deliver(delivery):
                failing.add(delivery.webhook_id)
    return tried


def deliver(delivery: Delivery) -> bool:
    """Send a claimed message and store the outcome; returns whether it has arrived."""
    outcome = send(delivery)
    columns = {"status": outcome.status, "detail": outcome.detail, "lease_until": None, **_next(delivery, outcome)}
    leases.owned(delivery).update(**columns)
    return outcome.arrived


def _next(delivery: Delivery, outcome: DeliveryOutcome) -> dict[str, datetime | None]:
    now = timezone.now()
    if outcome.arrived:
        return {"delivered_at": now, "due_at": None}
    waits = WAITS[delivery.attempts - 1 :]
    return {"due_at": now + waits[0] if waits else None}


def correct_times(now: datetime, skew: timedelta) -> int:
    """Messages that a clock ahead of its time has dated into the future are due now; returns how many.

    skew: the allowed difference between clocks.
    """
    corrected = 0
    for attempts, wait in enumerate([timedelta(0), *WAITS]):
        ahead = Delivery.objects.filter(attempts=attempts, due_at__gt=now + wait + skew)
        if ahead.exists():
            corrected += ahead.update(due_at=now)
    return corrected


def forget_old() -> int:
    old = Delivery.objects.filter(due_at=None, created_at__lt=timezone.now() - DELIVERY_KEPT)
    # Checked first: on SQLite even a DELETE of no rows needs the write lock.
    return old.delete()[0] if old.exists() else 0
