"""One message to one webhook: signed, to an address that the administrator allows, without following where it points.

The name of the receiver is looked up once and the address found is the one that is checked and connected to: a name
that leads elsewhere a moment later leads nowhere.
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
from typing import Any

from django.utils.translation import gettext as _

from annotate.models import Delivery
from annotate.services.endpoints.addresses import IP, Address, is_never, resolved
from annotate.services.errors import Refused
from annotate.services.webhooks import allowed

PATIENCE = 10.0  # seconds for connecting, and between two bytes
LONGEST = 20.0  # seconds for all of it, once connected
PLACES_TRIED = 2
SIGNATURE = "Touchstone-Signature"


@dataclass(frozen=True)
class Outcome:
    """status: what the receiver answered, None where nothing came. detail: why it has not arrived, for people."""

    status: int | None
    detail: str = ""

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def send(delivery: Delivery) -> Outcome:
    """Post the message once. Never raises: whatever happens is an outcome."""
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
        return Outcome(None, str(refused)[:300])
    except (OSError, http.client.HTTPException, ValueError) as fault:
        return Outcome(None, _("Not reached: %(cause)s") % {"cause": _cause(fault)})


def signature(secret: str, body: bytes, timestamp: int) -> str:
    """`t=<seconds>,v1=<hex>`: an HMAC-SHA256 over the time, a dot and the body."""
    mac = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"t={timestamp},v1={mac.hexdigest()}"


def _post(address: Address, body: bytes, headers: dict[str, str]) -> Outcome:
    connection = _Connection(address, places(address))
    # Timeouts are for each byte; whoever sends one now and then is cut off here.
    ending = threading.Timer(LONGEST, connection.cut)
    ending.start()
    try:
        connection.request("POST", address.path, body, headers)
        status = connection.getresponse().status
    finally:
        ending.cancel()
        connection.close()
    if connection.was_cut:
        return Outcome(None, _("It did not answer in time."))
    return Outcome(status, "" if 200 <= status < 300 else _why(status))


def _why(status: int) -> str:
    if 300 <= status < 400:
        return _("It answered with a redirect, which is not followed. Write the final address.")
    return _("It answered %(status)s.") % {"status": status}


def places(address: Address) -> list[IP]:
    """Where to connect to. A name must not lead to this machine or its neighbours, unless the list says so itself.

    Raises Refused where it does, or leads nowhere.
    """
    if address.literal is not None:
        return [address.literal]
    ips = resolved(address.host, address.port)
    if not ips:
        raise Refused(_("“%(host)s” leads nowhere.") % {"host": address.host})
    if address.host != "localhost" and any(map(_is_here, ips)):
        raise Refused(
            _("“%(host)s” leads to this machine or a reserved address. If that is meant, have its number allowed.")
            % {"host": address.host}
        )
    return ips[:PLACES_TRIED]


def _is_here(ip: IP) -> bool:
    inner = getattr(ip, "ipv4_mapped", None) or ip
    return is_never(ip) or inner.is_loopback or inner.is_unspecified or inner.is_link_local or inner.is_multicast


class _Connection(http.client.HTTPConnection):
    """To one of the checked addresses, with the name for the certificate and the Host header only."""

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
            self.sock.do_handshake()  # only now, so that `cut` reaches it

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
