import pytest

from annotate.models import Project
from tests.support.people import make_project


@pytest.fixture
def project() -> Project:
    return make_project()
