from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.db import transaction
from django.test import override_settings

from annotate.api import authentication
from tests.security.asking import sign_in
from tests.security.world import World, build


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The files of the worlds go where the files of tests go."""
    with override_settings(DATA_DIR=tmp_path_factory.mktemp("data")):
        yield


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Built once a module; what a test changes is taken back at its end (`django_db`), the world at the module's."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = build()
        sign_in(world)
        yield world
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    caches["local"].clear()
    authentication.tickets.clear()
