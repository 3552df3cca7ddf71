from typing import Any

import pytest
from django.core.cache import caches

from annotate.models import Project
from judging.boards.trust.numbers import trust
from judging.models import Judge
from tests.support.files import command
from tests.support.people import make_project
from tests.support.trusted import checklists_with_votes, material_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def judged() -> tuple[Project, Judge]:
    return checklists_with_votes()


def test_the_report_has_the_numbers_of_the_page(judged: tuple[Project, Judge]) -> None:
    project, judge = judged
    code, report, _err = command("report", "fb", "trust", "--epsilon", "0.1")
    assert code == 0
    found = trust(project, material_of(project), judge, epsilon=0.1)
    test: dict[str, Any] = report["tests"][0]
    assert (test["judge"], test["state"]) == ("judge-m", found.tests[0].result.state)
    assert test["passes"] is {"shown": True, "refuted": False, "not_shown": None}[test["state"]]
    assert [one["person"] for one in test["people"]] == ["anna", "bo", "cy"]
    assert [one["p_adjusted"] for one in test["people"]] == [one.p_adjusted for one in found.tests[0].result.people]
    shown = {row["author"]: row["columns"]["overall"]["corrected"]["value"] for row in report["corrected"]}
    assert shown == {row.author: row.columns["overall"].corrected.value for row in found.corrected}
    assert [card["bias"] for card in report["biases"]] == ["length_of_scores", "own_family"]
    assert [one["rater"] for one in report["errors"]["raters"]] == ["anna", "bo", "cy", "judge-m"]


@pytest.mark.parametrize(
    "options",
    [("--level", "ordinal"), ("--by", "group"), ("--epsilon", "1"), ("--epsilon", "nan"), ("--judge", "none")],
)
def test_what_it_cannot_do_is_refused(judged: tuple[Project, Judge], options: tuple[str, str]) -> None:
    code, _report, err = command("report", "fb", "trust", *options)
    assert code != 0
    assert err


def test_other_reports_take_no_margin(judged: tuple[Project, Judge]) -> None:
    code, _report, err = command("report", "fb", "leaderboard", "--epsilon", "0.1")
    assert code == 2
    assert "takes no --epsilon" in err


def test_without_verdicts_there_is_no_such_report() -> None:
    make_project(slug="empty")
    code, _report, err = command("report", "empty", "trust")
    assert code == 1
    assert "no verdicts on the answers that people vote on" in err
