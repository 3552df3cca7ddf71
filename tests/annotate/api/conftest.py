from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client, override_settings

from annotate.api import authentication
from tests.support.programs_with_tokens import program
from tests.support.reviews import Case, make_case


@pytest.fixture(autouse=True)
def no_tickets() -> None:
    """The throttle counts by token, and the numbers of tokens repeat from test to test."""
    authentication.tickets.clear()


@pytest.fixture
def data_folder(tmp_path: Path) -> Iterator[Path]:
    with override_settings(DATA_DIR=tmp_path):
        yield tmp_path


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def lead(case: Case) -> Client:
    return program(case.member(case.lead))


@pytest.fixture
def viewer(case: Case) -> Client:
    return program(case.member(case.viewer))


@pytest.fixture
def annotator(case: Case) -> Client:
    return program(case.member(case.annotator))
