import io
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.models import Project
from judging.models import Study
from tests.support.files import command, write_rows
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = preference_project()
    rows = [
        row | {"group": "maths"}
        for key, vote, judged in (("q1", "first", "first"), ("q2", "second", "second"), ("q3", "first", "tie"))
        for row in (on_a_pair(key, vote), on_a_pair(key, vote, rater="bo"), *by_judge(key, judged, judged))
    ]
    bring(project, tmp_path, *rows)
    return project


def in_words(*words: str) -> str:
    out = io.StringIO()
    call_command("report", *words, stdout=out)
    return out.getvalue()


def test_agreement_has_the_shape_that_scripts_rely_on(project: Project) -> None:
    code, told, _err = command("report", "votes", "agreement")
    assert code == 0
    row = next(row for row in told["rows"] if row["raters"] == ["anna", "judge-m"])
    assert (row["group"], row["units"]) == (None, 3)
    assert set(row["coefficients"]) >= {
        "percent",
        "cohen_kappa",
        "weighted_kappa",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac",
        "icc",
        "pearson",
        "spearman",
        "kendall",
        "brennan_prediger",
        "icc_k",
        "mae",
    }
    assert set(row["coefficients"]["percent"]) >= {"value", "low", "high", "note"}
    assert row["coefficients"]["pearson"]["value"] is None
    assert row["coefficients"]["pearson"]["note"]
    assert told["all"]["coefficients"]["cohen_kappa"]["mean_over_pairs"] is not None
    assert told["judges"][0]["accuracy"] == 66.67


def test_consistency_has_the_shape_that_scripts_rely_on(project: Project) -> None:
    _code, told, _err = command("report", "votes", "consistency", "--by", "group")
    assert told["rows"] == [
        {
            "judge": "judge-m",
            "group": "maths",
            "n": 3,
            "agreement": 66.67,
            "consistency": 100.0,
            "accuracy": 66.67,
            "agreement_of_consistent": 66.67,
        }
    ]


def test_both_can_be_read_by_people(project: Project) -> None:
    agreement, consistency = in_words("votes", "agreement"), in_words("votes", "consistency")
    assert "anna – judge-m" in agreement
    assert "Human majority: first 2, second 1." in agreement
    assert "66.67" in consistency
    assert "judge-m" in consistency


def test_without_ratings_there_is_nothing_to_report() -> None:
    make_project(slug="empty")
    for name in ("agreement", "consistency"):
        code, told, err = command("report", "empty", name)
        assert (code, told) == (1, {})
        assert err


def test_one_rater_alone_agrees_with_nobody_and_is_told_so(tmp_path: Path) -> None:
    bring(preference_project(), tmp_path, on_a_pair())
    code, told, _err = command("report", "votes", "agreement")
    assert (code, told["rows"]) == (0, [])
    percent = told["all"]["coefficients"]["percent"]
    assert percent["value"] is None
    assert percent["note"] in told["notes"]
    assert percent["note"] in in_words("votes", "agreement")


def test_where_people_vote_the_report_of_the_answers_is_named() -> None:
    source, votes = make_project(slug="answered"), make_project(slug="blind", kind_slug="preference")
    Study.objects.create(source=source, project=votes, name="first", seed=1)
    for name in ("agreement", "consistency"):
        assert "belong to answered" in command("report", "blind", name)[2]


def test_a_level_is_of_values_that_have_it(project: Project, tmp_path: Path) -> None:
    assert command("report", "votes", "agreement", "--level", "ordinal")[0] == 1
    assert command("report", "votes", "leaderboard", "--level", "ordinal")[0] == 2
    scored = make_project(slug="scored", kind_slug="score_vote", options={"criteria": ["Clarity"]})
    for no in (1, 2, 3):
        votes = [on_an_answer(f"q{no}", {"Clarity": no}, rater=rater) for rater in ("anna", "bo")]
        bring(scored, tmp_path, *votes)
    assert command("report", "scored", "agreement")[1]["level"] == "ordinal"
    told = command("report", "scored", "agreement", "--level", "interval", "--what", "score")[1]
    assert (told["level"], told["rows"][0]["coefficients"]["pearson"]["value"]) == ("interval", 1.0)


def test_one_judge_may_be_asked_for(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair("q1", judge="other") | {"group": "maths"})
    assert len(command("report", "votes", "consistency")[1]["rows"]) == 2
    assert len(command("report", "votes", "consistency", "--judge", "other")[1]["rows"]) == 1
    told = command("report", "votes", "agreement", "--judge", "other")[1]
    assert told["all"]["raters"] == ["anna", "bo", "other"]


def test_a_format_makes_items_of_its_own_kinds_only(tmp_path: Path) -> None:
    make_project(slug="fb")
    rows = write_rows(tmp_path / "votes.jsonl", [on_a_pair()])
    code, _report, err = command("import_judgements", "fb", rows, "--format", "ratings")
    assert code == 1
    assert "preference" in err


def test_an_option_that_there_is_not_is_usage(project: Project, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "votes.jsonl", [on_a_pair()])
    words = ("import_judgements", "votes", rows, "--format", "ratings", "--option")
    assert command(*words, "labels=upside-down")[0] == 2
    assert command(*words, "swap=yes")[0] == 2
    assert command("import_judgements", "votes", rows, "--format", "pandalm", "--option", "labels=kept")[0] == 2
