from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    """Numbers of rows repeat from test to test, and so do the keys that are made of them."""
    yield
    cache.clear()
