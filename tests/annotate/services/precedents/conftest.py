import pytest

from tests.support.reviews import Case, make_case


@pytest.fixture
def case() -> Case:
    return make_case(reviews=1)
