"""Addresses of model services: base URLs, hosts that are never a model (docs/security.md), and `simulated`.

A simulated model writes its base URL into DATA_DIR when it starts and removes it when it ends, so that an endpoint can
use the address `simulated` whatever port it got.
"""

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotate.errors import Refused

SIMULATED = "simulated"
FILE = "simulated-model"  # in DATA_DIR; holds the base URL
LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d{1,5}/v1")
STARTED_BY = "`make run`, or `manage.py simulated_model` in a terminal of its own"
_of_this_process: list[str] = []


class NotRunning(ConnectionError):
    """An endpoint uses the simulated model, and none is running in this installation."""

    def __init__(self) -> None:
        super().__init__(f"The simulated model is not running: start it with {STARTED_BY}.")


def resolve(base_url: str) -> str:
    """The base URL to call: for `simulated` that of the running model, otherwise unchanged. Raises NotRunning."""
    if base_url != SIMULATED:
        return base_url
    if _of_this_process:
        return _of_this_process[-1]
    address = _port_file_text()
    if not LOOPBACK.fullmatch(address):
        raise NotRunning
    return address


def _port_file_text() -> str:
    """The content of the file; empty if there is none."""
    try:
        return _file().read_text("utf-8").strip()
    except OSError:
        return ""


@contextmanager
def announced(base_url: str, folder: Path | None = None) -> Iterator[None]:
    """While the context lasts, `simulated` means this address: first in this process, then in the whole installation.

    folder: DATA_DIR of the installation, if it is not this process's own. The newest model is the one that is used; an
    older one does not remove the file of a newer one.
    """
    file = folder / FILE if folder else _file()
    written = file.with_name(f"{FILE}.{os.getpid()}")
    written.write_text(base_url, "utf-8")
    written.replace(file)
    _of_this_process.append(base_url)
    try:
        yield
    finally:
        _of_this_process.remove(base_url)
        with suppress(FileNotFoundError):
            if file.read_text("utf-8") == base_url:
                file.unlink()


def _file() -> Path:
    return Path(settings.DATA_DIR) / FILE


# Base URLs of model services, parsed strictly; and the hosts that are never one (docs/security.md).


IP = IPv4Address | IPv6Address
PORTS = {"http": 80, "https": 443}
LONGEST = 300
HOST_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
UNPRINTED = re.compile(r"[\x00-\x20\x7f\\]")

# Metadata services there give a whole machine's keys to any program on it; the other addresses are no hosts at all.
NEVER: list[IPv4Network | IPv6Network] = [
    ip_network(text)
    for text in (
        *("169.254.0.0/16", "fe80::/10", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"),
        *("fd00:ec2::254/128", "fd20:ce::254/128", "0.0.0.0/8", "::/128", "224.0.0.0/3", "ff00::/8"),
        # Site-local addresses (withdrawn by RFC 3879), and those that a network translates (RFC 8215, RFC 2765).
        *("fec0::/10", "64:ff9b:1::/48", "::ffff:0:0:0/96"),
    )
]
NEVER_NAMED = {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class Address:
    """A base URL in its normal form: no user, no query, no fragment, no slash at its end; IPv6 without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port, always with the port: what an allow-list compares."""
        return f"{self.scheme}://{self._host}:{self.port}"

    def __str__(self) -> str:
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self._host}{port}{self.path}"

    @property
    def _host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def literal(self) -> IP | None:
        """The IP address if the host is one, not a name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None


class SimulatedAddress(Address):
    """The simulated model of this installation, on this machine at any port (annotate/engine/addresses.py)."""

    @property
    def origin(self) -> str:
        return SIMULATED

    def __str__(self) -> str:
        return SIMULATED


def read_address(text: str) -> Address:
    """A base URL such as `https://models.example.org/v1`, or `simulated`. Raises Refused with the part and the fix."""
    url = text.strip()
    if url == SIMULATED:
        return SimulatedAddress("http", "127.0.0.1", PORTS["http"], "")
    if not url or len(url) > LONGEST or UNPRINTED.search(url):
        raise Refused(_("Enter a base URL without spaces or backslashes, such as https://models.example.org/v1."))
    if "?" in url or "#" in url:
        raise Refused(_("The base URL must not contain “?” or “#”. End it before them, usually after /v1."))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as fault:
        raise Refused(_("This base URL is not valid. Check the host and the port (1 to 65535).")) from fault
    if parts.scheme not in PORTS:
        raise Refused(_("The base URL must begin with https:// or http://."))
    if "@" in parts.netloc:
        raise Refused(
            _(
                "Leave user name and password out of the base URL. Put the key into an environment variable "
                "and enter its name."
            )
        )
    if port == 0:
        raise Refused(_("Port 0 is not valid. Enter the port of the service, or leave it out."))
    host = _bracketed(host) if parts.netloc.startswith("[") else _host_name(host)
    return Address(parts.scheme, host, port or PORTS[parts.scheme], parts.path.rstrip("/"))


def _bracketed(host: str) -> str:
    try:
        return str(IPv6Address(_without_zone(host)))
    except ValueError as fault:
        raise Refused(_("“%(host)s” is not an IPv6 address. Write it like [2001:db8::1].") % {"host": host}) from fault


def _without_zone(host: str) -> str:
    if "%" in host:
        raise ValueError(host)
    return host


def _host_name(host: str) -> str:
    """A host name, or four decimal numbers; other spellings of an IPv4 address are refused."""
    if not host or len(host) > 253 or not HOST_NAME.fullmatch(host):
        raise Refused(
            _("“%(host)s” is not a host name. Use ASCII letters, digits, dots and hyphens.") % {"host": host[:80]}
        )
    if not NUMBER.fullmatch(host.rpartition(".")[2]):
        return host
    try:
        return str(IPv4Address(host))
    except ValueError as fault:
        raise Refused(
            _("“%(host)s” is not an IPv4 address. Write four decimal numbers, such as 127.0.0.1.") % {"host": host[:80]}
        ) from fault


def refuse_never(address: Address) -> None:
    """Raises Refused for link-local and metadata hosts in any spelling, also if a name resolves to one now.

    A name that does not resolve passes: it may be known only where the worker runs.
    """
    literal = address.literal
    addresses = [literal] if literal else resolved(address.host, address.port)
    if address.host in NEVER_NAMED or any(map(is_never, addresses)):
        raise Refused(
            _(
                "“%(host)s” is, or resolves to, a link-local, metadata or reserved address. Use the "
                "address of the model service itself."
            )
            % {"host": address.host}
        )


def is_never(address: IP) -> bool:
    return any(inner.version == net.version and inner in net for inner in _forms(address) for net in NEVER)


def _forms(address: IP) -> list[IP]:
    """The address, and the IPv4 address that is wrapped in it."""
    if isinstance(address, IPv4Address):
        return [address]
    wrapped = [address.ipv4_mapped, address.sixtofour, address.teredo[1] if address.teredo else None]
    if address in NAT64 or 1 < int(address) < 2**32:
        wrapped.append(IPv4Address(int(address) % 2**32))
    return [address, *(inner for inner in wrapped if inner is not None)]


def resolved(host: str, port: int) -> list[IP]:
    """The IP addresses that a name resolves to now; none if it cannot be resolved."""
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ip_address(str(socket_address[0]).partition("%")[0]) for *_rest, socket_address in entries]
