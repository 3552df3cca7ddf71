from collections.abc import Iterator

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations


@pytest.fixture
def installation(installations: Installations, database: str) -> Iterator[Installation]:
    """A migrated installation without a web server; once on each database."""
    with installations.migrated(database) as made:
        yield made
