"""Flow, queue, rounds, reviews and undo, against a model: whatever people and leads do, in whatever order."""

import pytest

from tests.annotate.items import flow_machine
from tests.support.installations import Installations


@pytest.mark.django_db
def test_the_services_do_what_the_model_says() -> None:
    flow_machine.run(examples=15, steps=40)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("examples", [60])
def test_the_services_do_what_the_model_says_on_both_databases(
    installations: Installations, database: str, examples: int
) -> None:
    with installations.migrated(database) as installation:
        installation.python(RUN, examples=examples)


RUN = """
from tests.annotate.items import flow_machine
flow_machine.run(examples=examples, steps=50)
"""
