import io

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Project
from tests.support.files import command
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project(slug="fb")
    correction, maintained = decided_item(project, CORRECTION), decided_item(project, MAINTENANCE)
    for author, met in (("安安", [1, 1]), ("bea", [1, 0])):
        verdict_on(answer_of(correction, author), a_judge(project), met)
        verdict_on(answer_of(maintained, author), a_judge(project), met)
    verdict_on(answer_of(decided_item(project, MAINTENANCE), "bea"), a_judge(project), (), reading="unparsed")
    return project


def test_the_json_is_the_contracts(project: Project) -> None:
    code, report, _err = command("report", "fb", "leaderboard")
    assert code == 0
    first, second = report["rows"]
    assert first == {
        "author": "安安",
        "n": 2,
        "failed": 0,
        "error_correction": 100.0,
        "response_maintenance": 100.0,
        "overall": 100.0,
        "interval": {"overall": None},
        "interval_note": "Fewer than six items: too few for an interval.",
    }
    assert (second["author"], second["n"], second["failed"]) == ("bea", 3, 1)
    assert (second["error_correction"], second["response_maintenance"], second["overall"]) == (60.0, 50.0, 55.0)


def test_by_a_division(project: Project) -> None:
    rows = command("report", "fb", "leaderboard", "--by", "error_type")[1]["rows"]
    assert {"author": "bea", "scenario": "error_correction", "group": "Factual Error", "n": 1, "value": 60.0} in rows
    assert {row["scenario"] for row in rows} == {"error_correction", "overall"}


def test_a_scenario_without_items_is_null_with_a_note() -> None:
    project = make_project(slug="fb")
    verdict_on(answer_of(decided_item(project, CORRECTION), "ann"), a_judge(project), [1, 0])
    [row] = command("report", "fb", "leaderboard")[1]["rows"]
    assert (row["error_correction"], row["response_maintenance"], row["overall"]) == (60.0, None, 60.0)
    assert "response_maintenance" in row["note"]


def test_the_text_is_a_table_in_line_also_with_chinese_names(project: Project) -> None:
    out = io.StringIO()
    call_command("report", "fb", "leaderboard", stdout=out)
    told, _blank, header, rule, first, second = out.getvalue().splitlines()
    assert told.startswith("Judge: judge-m · checklist")
    assert header.split() == ["author", "EC", "RM", "overall", "95", "%", "ranks", "n", "failed"]
    assert first.split()[:4] == ["安安", "100.00", "100.00", "100.00"]
    assert len(second) == len(rule) == len(first) + 2  # two characters take two places each


def test_the_judge_with_most_verdicts_is_taken_unless_another_is_named(project: Project) -> None:
    other = a_judge(project, "other")
    verdict_on(answer_of(decided_item(project, CORRECTION), "cid"), other, [0, 0])
    assert len(command("report", "fb", "leaderboard")[1]["rows"]) == 2
    [row] = command("report", "fb", "leaderboard", "--judge", "other")[1]["rows"]
    assert row["author"] == "cid"


def test_an_unknown_or_ambiguous_judge_is_refused_with_those_there_are(project: Project) -> None:
    other = a_judge(project, variant="scale=1-5")
    verdict_on(answer_of(decided_item(project, CORRECTION), "cid"), other, [0, 0])
    code, report, err = command("report", "fb", "leaderboard", "--judge", "nobody")
    assert (code, report) == (1, {})
    assert "judge-m · checklist · scale=1-5" in err
    assert "Several judges" in command("report", "fb", "leaderboard", "--judge", "judge-m")[2]
    assert command("report", "fb", "leaderboard", "--judge", str(other))[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["fb", "blind"], 1, "Reports: "),
        (["fb", "leaderboard", "--by", "colour"], 2, "task, subtask, error_type, feedback_type"),
        (["nowhere", "leaderboard"], 1, "Projects: fb"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(project: Project, words: list[str], code: int, told: str) -> None:
    found, report, err = command("report", *words)
    assert (found, report) == (code, {})
    assert told in err


def test_without_verdicts_it_says_how_to_get_some() -> None:
    make_project(slug="fb")
    assert "import_judgements" in command("report", "fb", "leaderboard")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["leaderboard", "--option", "short=1"], "The report leaderboard takes no --option."),
        (["leaderboard", "--runs", "1,2"], "The report leaderboard takes no --runs."),
        (["ranking", "--what", "fluency"], "takes neither --what nor --level"),
        (["agreement", "--what", "fluency"], "There are no ratings of 'fluency'"),
    ],
)
def test_an_argument_that_a_report_does_not_take_is_misuse(project: Project, words: list[str], message: str) -> None:
    code, report, err = command("report", "fb", *words)
    assert (code, report) == (2, {})
    assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runs", "1,x"], "write run numbers separated by commas"),
        (["--raters", " , "], "write names of people separated by commas"),
        (["--option", "short"], "write NAME=VALUE"),
    ],
)
def test_an_argument_that_cannot_be_read_says_how_to_write_it(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("report", "fb", "judge_settings", *words)
