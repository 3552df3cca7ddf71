"""Criteria of one's own, by command: a name without a definition is refused before a run is made."""

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Run
from tests.support.judged import answer_of
from tests.support.runs import make_endpoint
from tests.support.use_cases import decided_case, use_case_project

pytestmark = pytest.mark.django_db
CRITERIA = "criteria=Leisure = Wit, engagement"


def judge(*options: str) -> None:
    given = [word for option in options for word in ("--option", option)]
    call_command("judge", "urs", "--strategy", "intent", "--endpoint", "judge-y", *given)


@pytest.fixture(autouse=True)
def answered() -> None:
    project = use_case_project(slug="urs")
    answer_of(decided_case(project, "Leisure"), "model-a")
    make_endpoint(name="judge-y")


def test_a_name_without_a_definition_is_refused() -> None:
    with pytest.raises(CommandError, match="The criterion “Wit” has no definition"):
        judge(CRITERIA)
    assert not Run.objects.exists()


def test_a_defined_criterion_is_taken() -> None:
    judge(CRITERIA, "definitions=Wit: makes the reader smile", "weights=order")
    options = Run.objects.get().options
    assert options["definitions"] == "Wit: makes the reader smile"
    assert options["weights"] == "order"


def test_an_unknown_rule_of_weights_is_refused() -> None:
    with pytest.raises(CommandError, match="--option weights"):
        judge("weights=first")
