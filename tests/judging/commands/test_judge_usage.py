"""How `judge` is told what to judge, and what it refuses before it plans anything; in this process."""

from pathlib import Path

import pytest

from annotate.models import Project, Run
from tests.support.files import command
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project(slug="fb")
    for author in ("A", "B"):
        answer_of(decided_item(project, CORRECTION), author)
    make_endpoint(name="sim", simulated=True)
    return project


def refused(*words: object) -> tuple[int, str]:
    code, report, err = command("judge", *words)
    assert report == {}
    assert not Run.objects.exists()
    return code, err


def test_a_kind_without_answers_is_refused() -> None:
    make_project(slug="prompts", kind_slug="prompt")
    make_endpoint(name="sim", simulated=True)
    code, err = refused("prompts", "--strategy", "checklist", "--endpoint", "sim")
    assert (code, err) == (1, "Items of the kind prompt have no answers to judge.")


def test_without_a_strategy_those_there_are_are_named(project: Project) -> None:
    code, err = refused("fb", "--endpoint", "sim")
    assert code == 2
    assert err.startswith("Give --strategy, one of: ")
    assert "checklist" in err


def test_an_option_that_the_strategy_does_not_have_is_named_beside_those_it_has(project: Project) -> None:
    code, err = refused("fb", "--strategy", "checklist", "--endpoint", "sim", "--option", "colour=red")
    assert code == 2
    assert "--option colour: unknown option of the strategy; known: " in err


def test_an_option_without_a_value_is_misuse(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    code, _err = refused("fb", "--strategy", "checklist", "--endpoint", "sim", "--option", "colour")
    assert code == 2
    assert "--option 'colour': write key=value." in capsys.readouterr().err


def test_pairs_that_are_neither_a_word_nor_a_file_are_named(project: Project, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for word in (tmp_path / "nowhere.csv", tmp_path / "binary"):
        code, err = refused("fb", "--strategy", "vanilla-pair", "--endpoint", "sim", "--pairs", word)
        assert code == 2
        assert f"--pairs '{word}': not all, gold-perturbed or a readable file" in err
