"""Asking an address in a role, and seeing what became of it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.security.addresses import Address, addresses
from tests.security.lines import WHAT, Line
from tests.security.matrix import FORMS
from tests.security.matrix_programs import BODIES, NO_BODY
from tests.security.world import OURS, World

BESIDE_THE_POINT = ("django_session", "axes_", "annotate_ratecounter", "shared_cache", "annotate_audit")
WRITING = re.compile(r'\s*(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)', re.I)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def client_of(world: World, role: str, **options: Any) -> Client:
    """Signed in as this role, and with the token of its program: each address looks at one of the two."""
    token = world.tokens.get(role)
    client = Client(
        headers={"authorization": f"Bearer {token}"} if token else None, raise_request_exception=False, **options
    )
    if role in world.sessions:
        client.cookies[settings.SESSION_COOKIE_NAME] = world.sessions[role]
    elif role != "anonymous":
        client.force_login(world.people[role], backend=BACKEND)
    return client


def sign_in(world: World) -> None:
    """Everybody at once: to sign in for each of ten thousand requests takes longer than to answer some of them."""
    for role in world.people:
        client = client_of(world, role)
        world.sessions[role] = client.cookies[settings.SESSION_COOKIE_NAME].value


def path_for(world: World, address: Address, role: str, *, object_of: str = OURS) -> str:
    """The address inside our project, with the id of an object of `object_of` in it."""
    return address.path(slug=OURS, object_id=world.id_of(WHAT[address.name], role, object_of))


def ask(client: Client, world: World, line: Line, role: str) -> HttpResponse:
    """The request of a line of the matrix, for this role's own object."""
    path, form = path_for(world, addresses()[line.address], role), form_for(world, line.address, role)
    if line.is_for_programs and line.method == "POST":
        media_type, body = BODIES.get(line.address, NO_BODY)
        return client.post(path, body, content_type=media_type)
    return client.post(path, form) if line.method == "POST" else client.get(path, form)


def form_for(world: World, name: str, role: str) -> dict[str, Any]:
    return {field: world.id_of(what, role) for field, what in FORMS.get(name, {}).items()}


def outcome(answer: HttpResponse) -> str:
    """The word of the matrix for an answer; a method that is not allowed and a fault of ours are their numbers."""
    if answer.status_code in (401, 403, 404, 405) or answer.status_code >= 500:
        return str(answer.status_code)
    if answer.status_code == 302 and answer.headers["Location"].startswith(reverse("account_login")):
        return "sign-in"
    return "ok"


@contextmanager
def taken_back() -> Iterator[None]:
    """What happens inside has not happened afterwards."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def without_tokens(text: str) -> str:
    """Nor what a clock says: two pages are asked for one after the other."""
    text = re.sub(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": )"[^"]+"', "token", text)
    return re.sub(r"\b(an?|\d+)\s(second|minute)s?\b|\bnow\b", "a while", text)


@contextmanager
def watched() -> Iterator[list[str]]:
    """The tables that are written to inside, beside those of sessions, failed sign-ins, limits and the audit trail."""
    tables: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        found = WRITING.match(sql)
        if found and not found[1].startswith(BESIDE_THE_POINT):
            tables.append(found[1])
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield tables
