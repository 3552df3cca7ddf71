"""Collecting from chat logs by command: the log of the demo, wrong words, and what the report says."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Annotation, Batch, Item, Project
from tests.support.files import command, write_rows
from tests.support.people import make_project
from tests.support.use_cases import use_case_project

pytestmark = pytest.mark.django_db
LOG = Path(__file__).resolve().parents[3] / "fixtures" / "chat_log_demo.jsonl"
SINCE = ("--rule", "since=2026-08-01")


def collect(project: Project, *words: str, scenario: str = "error_correction", log: Path = LOG) -> dict[str, Any]:
    out = StringIO()
    call_command("collect", project.slug, str(log), "--scenario", scenario, "--json", *words, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def rule(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in report["rules"] if one["rule"] == name)


def test_the_demo_log_makes_error_correction_samples_and_names_its_bad_lines() -> None:
    project = make_project()
    report = collect(project, *SINCE)
    # 66 lines: 5 hold no conversation; 35 dialogues with an apology in the second answer, 4 answers scored below 3.
    assert (report["read"], report["kept"], report["rejected"]) == (44, 39, 5)
    assert report["log"] == {"conversations": 61, "chosen": 39, "bad": 5}
    assert [one["line"] for one in report["problems"] if one["level"] == "error"] == [8, 20, 34, 42, 51]
    item = Item.objects.get(project=project, title="What is 15% of 240?")
    assert item.facts["origin_first_response"] == "15% of 240 is 32."
    suggested = Annotation.objects.get(item=item)
    assert suggested.draft["feedback"] == "Are you sure? 10% is 24 and 5% is 12."


def test_each_rule_says_what_it_keeps_alone_and_in_order() -> None:
    report = collect(make_project(), *SINCE, "--dry-run")
    assert [one["rule"] for one in report["rules"]] == [
        "answered", "multi_turn", "since", "apology", "tokens", "no_retrieval", "unflagged", "lowest_scored",
        "score_below",
    ]  # fmt: skip
    orders = [one["in_order"] for one in report["rules"]]
    assert orders == sorted(orders, reverse=True)
    assert orders[-1] == report["log"]["chosen"]
    # Eight answers have a score: 2, 1, 5, 1, 5, 4.5, 3 and 2.5.
    assert (rule(report, "score_below")["of"], rule(report, "score_below")["alone"]) == (8, 4)


def test_a_dry_run_writes_nothing() -> None:
    collect(make_project(), *SINCE, "--dry-run")
    assert not Item.objects.exists()
    assert not Batch.objects.exists()


def test_what_people_voted_for_maintains_its_response() -> None:
    project = make_project()
    report = collect(project, scenario="response_maintenance")
    # Seven dialogues with more votes for than against them, three answers scored above 4.
    assert report["kept"] == 10
    assert set(Item.objects.values_list("facts__bench_type", flat=True)) == {"Response Maintenance"}


def test_personal_data_leaves_no_trace_in_the_database() -> None:
    collect(make_project(), *SINCE)
    tables = (Item.objects.values("title", "key", "facts"), Annotation.objects.values("draft"))
    told = Batch.objects.values("problems", "settings")
    stored = json.dumps([list(rows) for rows in (*tables, told)], ensure_ascii=False)
    for clear in ("dana.whitfield", "7911 204518", "13812345678", "9f8e7d6c5b4a", "11010519491231002X", "52.14.8.201"):
        assert clear not in stored
    assert "sk-live-4f9a" not in stored
    assert "[EMAIL_1]" in stored
    assert "[PHONE_1]" in stored


def test_only_the_kinds_that_are_named_are_replaced() -> None:
    project = make_project()
    report = collect(project, *SINCE, "--replace", "phone")
    stored = json.dumps(list(Item.objects.values("facts")))
    assert "dana.whitfield@northmail.org" in stored
    assert "[PHONE_1]" in stored
    warned = [one["message"] for one in report["problems"] if one["level"] == "warning"]
    assert any("e-mail" in message for message in warned)  # what stays is told by the import, as of any other file


def test_use_cases_keep_the_whole_conversation() -> None:
    project = use_case_project()
    assert collect(project, scenario="use_case")["kept"] == 57  # 61 without three that are flagged and one too long
    item = Item.objects.get(project=project, title="《静夜思》的作者是谁？")
    assert [turn["role"] for turn in item.facts["conversation"]] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize(
    "words",
    [["--rule", "age=3"], ["--rule", "multi_turn"], ["--rule", "multi_turn=many"], ["--rule", "tokens=nan"],
     ["--rule", "apology=|"], ["--replace", "names"]],
)  # fmt: skip
def test_wrong_words_are_a_question_of_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        collect(make_project(), *words)
    assert left.value.code == 2
    assert not Item.objects.exists()


def test_a_scenario_of_another_kind_is_refused() -> None:
    with pytest.raises(CommandError, match="use_case does not create items of the kind feedback"):
        collect(make_project(), scenario="use_case")


def test_strict_keeps_nothing_of_a_log_with_bad_lines() -> None:
    with pytest.raises(CommandError):
        collect(make_project(), *SINCE, "--strict")
    assert not Item.objects.exists()


def test_a_log_of_which_the_rules_keep_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"messages": [{"role": "user", "content": "Hello"}]}\n')
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("collect", make_project().slug, str(tmp_path / "log.jsonl"), "--scenario", "error_correction",
                     "--json", stdout=out)  # fmt: skip
    (problem,) = json.loads(out.getvalue())["problems"]
    assert "leave out every conversation (1)" in problem["message"]


def test_three_answers_to_one_question_make_one_item_and_the_cut_is_told(tmp_path: Path) -> None:
    project = make_project()
    rows = [{"prompt": "How many moons?", "response": f"{score} of them.", "score": score} for score in (1, 2, 2.5)]
    path = write_rows(tmp_path / "scored.jsonl", rows)
    code, report, _errors = command("collect", project.slug, path, "--scenario", "error_correction")
    assert (code, report["kept"], rule(report, "lowest_scored")["cut"]) == (0, 1, 2)
    assert Item.objects.get(project=project).facts["origin_first_response"] == "1 of them."
    other = make_project()
    words = ("collect", other.slug, path, "--scenario", "error_correction", "--rule", "lowest_scored=off")
    assert command(*words)[1]["kept"] == 3
