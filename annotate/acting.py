"""Who acts: the person, their role, the client's address and the channel, for the entries of the audit trail.

The middleware says it for each request, the API for the token it accepted, a command for whoever started it. Code
without any of them, such as a worker, acts as the account of the operating system.
"""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest

COMMAND, PROCESS, ADMINISTRATOR = "command line", "process", "administrator"


@dataclass
class Actor:
    """user: the account; None for commands and processes, which have a `name` only. channel: `page`, `api` with the
    token's name, or the command.
    """

    user: Any = None
    name: str = ""
    role: str = ""
    address: str = ""
    channel: str = ""
    project: Any = None  # of the request, once its access check has passed

    @property
    def account(self) -> str:
        return str(getattr(self.user, "username", "")) or self.name

    @property
    def role_name(self) -> str:
        """The role in the project of the request; on pages outside of projects, whether they administer."""
        if self.role or self.user is None:
            return self.role
        return ADMINISTRATOR if self.user.is_staff or self.user.is_superuser else ""


_actor: ContextVar[Actor | None] = ContextVar("actor", default=None)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """While the context lasts, this thread or task acts as this actor."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def current_actor() -> Actor:
    """The actor of the innermost `acting`; else the operating system's account of this process."""
    return _actor.get() or Actor(name=system_account(), role=PROCESS)


def in_role(user: Any, role: str, project: Any, *, channel: str = "") -> None:
    """Note in which role and project the current request acts; does nothing outside of `acting`."""
    actor = _actor.get()
    if actor is not None:
        actor.user, actor.role, actor.project, actor.channel = user, role, project, channel or actor.channel


def command_line(command: str) -> Actor:
    return Actor(name=system_account(), role=COMMAND, channel=command)


def system_account() -> str:
    """The account that runs this process; its number where it has no name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def client_address(request: HttpRequest) -> str:
    """The client's address; behind a trusted proxy, the last address that it names (docs/deploy/nginx.conf)."""
    trusted = getattr(settings, "SECURE_PROXY_SSL_HEADER", None) is not None
    forwarded_for = request.META.get("HTTP_X_FORWARDED_FOR", "") if trusted else ""
    return forwarded_for.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")
