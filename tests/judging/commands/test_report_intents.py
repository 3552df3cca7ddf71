import json
from math import log
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from scipy.special import expit

from annotate.models import Project
from judging.ratings.intent_scores import reading
from tests.support.installations import Installations
from tests.support.judged import a_judge
from tests.support.model_server import ModelServer
from tests.support.people import make_project
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

FIXTURE = Path(__file__).parents[3] / "fixtures" / "use_case_demo.jsonl"
KEYS = ["author", "intent", "language", "n", "mean", "interval"]


@pytest.fixture
def project(db: None) -> Project:
    return use_case_project(slug="urs")


def reported(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("report", "urs", "intents", "--json", *words)
    return dict(json.loads(capsys.readouterr().out))


def means(found: dict[str, Any], key: str = "rows") -> dict[tuple[str, str, str], tuple[int, float]]:
    group = "intent" if key == "rows" else "side"
    return {(row["author"], row[group], row["language"]): (row["n"], row["mean"]) for row in found[key]}


def judged_cases(project: Project) -> None:
    judge = intent_judge(project)
    for score, intent, language in (
        (9.0, "Factual_QA", "EN"),
        (7.0, "Factual_QA", "EN"),
        (8.0, "Factual_QA", "CN"),
        (4.0, "Leisure", "CN"),
    ):
        item = decided_case(project, intent, language)
        scored(item, "model-a", judge, score, factuality=score, user_satisfaction=score - 1)


def test_means_by_intent_and_language_and_all_by_case(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judged_cases(project)
    found = reported(capsys)
    # All: (9 + 7 + 8 + 4) / 4 = 7; by intents (8 · 3 + 4 · 1) / 4 = 7 too, and not (8 + 4) / 2
    assert means(found) == {
        ("model-a", "all", "all"): (4, 7.0),
        ("model-a", "all", "CN"): (2, 6.0),
        ("model-a", "all", "EN"): (2, 8.0),
        ("model-a", "Factual_QA", "all"): (3, 8.0),
        ("model-a", "Factual_QA", "CN"): (1, 8.0),
        ("model-a", "Factual_QA", "EN"): (2, 8.0),
        ("model-a", "Leisure", "all"): (1, 4.0),
        ("model-a", "Leisure", "CN"): (1, 4.0),
    }
    assert means(found, "sides")["model-a", "objective", "all"] == (3, 8.0)
    assert means(found, "sides")["model-a", "subjective", "all"] == (1, 4.0)
    assert list(found["rows"][0])[:6] == KEYS


def test_intervals_are_students_over_cases(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judged_cases(project)
    rows = {(row["intent"], row["language"]): row for row in reported(capsys)["rows"]}
    # 9, 7, 8: deviation 1, t(2) at 97.5 % is 4.3027; 8 ± 4.3027 / √3 would leave the scale, so it is made of log-odds:
    # of 1 to 10 the mean is at 7/9, ln (7/2) ± 4.3027 / √3 / 9 / (7/9 · 2/9)
    ends = [1 + 9 * expit(log(7 / 2) + sign * 4.30265 / 3**0.5 * 9 / 14) for sign in (-1, 1)]
    assert rows["Factual_QA", "all"]["interval"] == pytest.approx(ends, abs=1e-4)
    assert rows["Leisure", "all"]["interval"] is None
    assert rows["Leisure", "all"]["note"]


def test_criteria_that_move_together_are_told(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judged_cases(project)
    (pair,) = reported(capsys)["criteria"]
    assert pair["criteria"] == ["factuality", "user_satisfaction"]
    assert (pair["n"], pair["pearson"]) == (4, pytest.approx(1))


def test_what_could_not_be_read_is_left_out_and_counted(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judge = intent_judge(project)
    scored(decided_case(project), "model-a", judge, 6.0)
    scored(decided_case(project), "model-a", judge, None)
    found = reported(capsys)
    assert means(found)["model-a", "all", "all"] == (1, 6.0)
    assert found["unread"] == {"model-a": 1}


def test_another_judge_can_be_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    item = decided_case(project)
    scored(item, "model-a", intent_judge(project), 6.0)
    other = intent_judge(project, "judge-n")
    answer = item.answers.get()
    other.verdicts.create(item=item, first=answer, case_sha=item.verdicts.get().case_sha, score_first=9.0)
    assert means(reported(capsys, "--judge", "judge-n"))["model-a", "all", "all"] == (1, 9.0)


def test_without_verdicts_it_says_what_to_do(project: Project) -> None:
    with pytest.raises(CommandError, match="There are no verdicts yet"):
        call_command("report", "urs", "intents", "--json")


@pytest.mark.django_db
def test_a_project_without_intents_has_no_such_report() -> None:
    a_judge(make_project(slug="urs"))
    with pytest.raises(CommandError, match="have no user intents"):
        call_command("report", "urs", "intents", "--json")


def test_as_many_queries_for_many_cases(project: Project) -> None:
    judge, counts = intent_judge(project), []
    for _time in range(2):
        for _number in range(3):
            scored(decided_case(project), "model-a", judge, 6.0)
        with CaptureQueriesContext(connection) as queries:
            reading(project, judge)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


@pytest.mark.slow
def test_from_a_file_to_the_report(installations: Installations, model_server: ModelServer, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as place:

        def told(*words: object) -> dict[str, Any]:
            done = place.manage(*map(str, words), "--json", check=False)
            assert done.returncode == 0, done.stderr
            return dict(json.loads(done.stdout))

        place.manage("create_project", "urs", "--kind", "use_case")
        for name in ("simulated-strong", "simulated-weak", "simulated-judge"):
            place.manage("endpoint", name, "--base-url", model_server.base_url, "--model", name)
        told("import_items", "urs", FIXTURE)
        for author in ("strong", "weak"):
            told("answer", "urs", "--endpoint", f"simulated-{author}", "--author", author, "--wait")
        run = told("judge", "urs", "--strategy", "intent", "--endpoint", "simulated-judge", "--wait")
        assert (run["jobs"], run["ok"], run["unparsed"], run["failed"]) == (12, 12, 0, 0)
        found = means(told("report", "urs", "intents"))
        assert found["strong", "all", "all"][0] == 6
        assert found["strong", "all", "all"][1] > found["weak", "all", "all"][1]
        assert {language for _author, _intent, language in found} == {"all", "EN", "CN"}
