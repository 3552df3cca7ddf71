import json

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Item
from tests.support.guidelines import accepted, new_version
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    made = make_case(reviews=1)
    accepted(made, "k1", group="Coding")
    accepted(made, "k2", group="Reasoning")
    new_version(made.project, "Be kinder.", by=made.lead)
    return made


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    call_command("stale_items", "fb", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_it_says_what_is_stale_and_what_it_costs(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys)
    assert (found["version"], found["items"], found["keys"]) == (2, 2, ["k1", "k2"])
    assert found["minutes"] is not None
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_it_reopens_what_was_asked_for(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--group", "Coding", "--reopen", "--by", "lead")["reopened"] == 1
    assert dict(Item.objects.values_list("key", "state")) == {"k1": "ready", "k2": "accepted"}


def test_it_reopens_by_key(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--key", "k2", "--reopen", "--by", "lead")["reopened"] == 1
    assert Item.objects.get(key="k2").state == "ready"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reopen"], "name a lead"),
        (["--reopen", "--by", "reviewer"], "reviewer is not a lead"),
        (["--reopen", "--by", "lead", "--state", "review"], "Only accepted"),
        (["--reopen", "--by", "lead", "--key", "nobody"], "at least one"),
    ],
)
def test_what_cannot_be_reopened_is_refused(case: Case, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("stale_items", "fb", *arguments)
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_a_project_without_guidelines_says_so(case: Case) -> None:
    case.project.guidelines.all().delete()
    with pytest.raises(CommandError, match="no guidelines"):
        call_command("stale_items", "fb")
