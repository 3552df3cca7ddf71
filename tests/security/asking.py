"""Asking an address in a role, and seeing what became of it."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.security.addresses import Address, addresses
from tests.security.lines import WHAT, Line
from tests.security.matrix import FORMS
from tests.security.world import OURS, World

BESIDE_THE_POINT = ("sessions", "axes", "contenttypes")
BACKEND = "django.contrib.auth.backends.ModelBackend"


def client_of(world: World, role: str, **options: Any) -> Client:
    client = Client(raise_request_exception=False, **options)
    if role != "anonymous":
        client.force_login(world.people[role], backend=BACKEND)
    return client


def path_for(world: World, address: Address, role: str, *, object_of: str = OURS) -> str:
    """The address inside our project, with the id of an object of `object_of` in it."""
    return address.path(slug=OURS, object_id=world.id_of(WHAT[address.name], role, object_of))


def ask(client: Client, world: World, line: Line, role: str) -> HttpResponse:
    """The request of a line of the matrix, for this role's own object."""
    path = path_for(world, addresses()[line.address], role)
    if line.method != "POST":
        return client.generic(line.method, path)
    form = FORMS.get(line.address, {})
    return client.post(path, {name: world.id_of(what, role) for name, what in form.items()})


def outcome(answer: HttpResponse) -> str:
    """The word of the matrix for an answer; a method that is not allowed and a fault of ours are their numbers."""
    if answer.status_code in (403, 404, 405) or answer.status_code >= 500:
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
    return re.sub(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": )"[^"]+"', "token", text)


def changed(before: dict[str, str]) -> list[str]:
    """Names of the tables that hold something else than before."""
    return [name for name, print_ in everything_stored().items() if before[name] != print_]


def everything_stored() -> dict[str, str]:
    """A fingerprint of each table, so that two of them show which was written."""
    models = [model for model in apps.get_models() if model._meta.app_label not in BESIDE_THE_POINT]
    return {model._meta.label: _fingerprint(model) for model in models}


def _fingerprint(model: Any) -> str:
    rows = model._default_manager.order_by("pk").values_list()
    return hashlib.sha256(repr(list(rows)).encode()).hexdigest()
