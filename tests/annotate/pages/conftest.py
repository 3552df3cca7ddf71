from collections.abc import Iterator

import pytest
from django.core.cache import caches
from django.test import Client

from tests.support.reviews import Case, make_case


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    """Numbers of rows repeat from test to test, and so do the keys that are made of them."""
    yield
    caches["local"].clear()


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def lead(client: Client, case: Case) -> Client:
    """The lead of the project, signed in."""
    client.force_login(case.lead)
    return client
