import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import AuditEntry, Item, Project
from judging.formats.format import judgement_formats
from judging.intake import judgement_files
from judging.intake.judgement_files import import_judgements
from judging.intake.judgement_store import JudgementReport
from judging.models import Answer, Author, Judge, Part, Verdict
from judging.verdicts.verdict_scores import scores
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.people import make_item, make_project

pytestmark = pytest.mark.django_db
FIRST, SECOND = (text for text, _weight in CORRECTION["checklist"])


@pytest.fixture
def project() -> Project:
    return make_project()


def sample(project: Project, number: int, draft: dict[str, Any] = CORRECTION) -> Item:
    """A decided item under the key that compact rows name."""
    item = decided_item(project, draft)
    item.key = f"fbbench-{number:04}"
    item.save(update_fields=["key"])
    return item


def compact(number: int = 0, *, author: str = "ann", score: float | None = None, **said: str) -> dict[str, Any]:
    """said: result by question; the checklist's own questions are `first` and `second`."""
    named = {{"first": FIRST, "second": SECOND}.get(key, key): {"result": result} for key, result in said.items()}
    return {"model": author, "sample_index": number, "judge_model": "judge-m", "judgement": named, "score": score}


def raw(item: Item, text: str = "Two moons.", **changes: Any) -> dict[str, Any]:
    return {
        "infer_model": "ann",
        "judge_model": "judge-m",
        "second_response": text,
        "user_query": item.facts["user_query"],
        "origin_first_response": item.facts["origin_first_response"],
        "feedback": item.base.draft["feedback"],
        "checklist": item.base.draft["checklist"],
        "judgement": {FIRST: {"评判结果": "是", "评判理由": "It does."}, SECOND: {"评判结果": "否"}},
    } | changes


def brought(project: Project, tmp_path: Path, *rows: dict[str, Any], name: str = "file.jsonl") -> JudgementReport:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_judgements(project=project, files=[(path, name)], wanted=judgement_formats()["fbbench"])


def counts(report: JudgementReport) -> list[int]:
    return [report.read, report.kept, report.duplicates, report.rejected]


def test_a_row_becomes_author_answer_judge_verdict_and_parts(project: Project, tmp_path: Path) -> None:
    item = sample(project, 0)
    report = brought(project, tmp_path, compact(first="是", second="否", score=0.6))
    assert (counts(report), report.problems, report.differences) == ([1, 1, 0, 0], [], [])
    verdict = Verdict.objects.select_related("first__author", "judge").get()
    assert (verdict.judge.name, verdict.judge.strategy, verdict.source) == ("judge-m", "checklist", "file.jsonl")
    assert (verdict.item, verdict.score_first, verdict.note) == (item, 0.6, "")
    answer = verdict.first
    assert (answer.author.name, answer.text, answer.known, answer.source) == ("ann", "", False, "file.jsonl")
    parts = Part.objects.order_by("axis").values_list("axis", "label", "score_first", "weight", "joined")
    assert list(parts) == [("1", FIRST, 1.0, 0.6, "exact"), ("2", SECOND, 0.0, 0.4, "exact")]


def test_the_verdict_is_about_the_item_of_today(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    brought(project, tmp_path, compact(first="是", second="是"))
    found = scores(project, Judge.objects.get())
    assert ([row.score for row in found.rows], found.outdated) == ([1.0], 0)


def test_a_failed_call_is_kept_and_is_one_warning(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(score=0) | {"judgement": {"API fialed": "$REPETITIVE$"}})
    assert counts(report) == [1, 1, 0, 0]
    [problem] = report.problems
    assert (problem["line"], problem["level"], problem["path"]) == (1, "warning", "judgement")
    assert problem["message"].startswith("Failed call: the judgement is “API fialed: $REPETITIVE$”")
    verdict = Verdict.objects.get()
    assert (verdict.reading, verdict.score_first, verdict.parts.count()) == ("failed", None, 0)


def test_a_collapsed_verdict_is_kept_and_is_one_warning(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(first="是"))
    [problem] = report.problems
    assert problem["message"].startswith("Collapsed verdict: 1 of 2 questions")
    assert Part.objects.get(axis="2").joined == "none"


def test_differing_keys_are_joined_flagged_and_one_warning(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(**{FIRST.replace("Mars", "mars"): "是", SECOND + "!": "否"}))
    [problem] = report.problems
    assert problem["message"].startswith("Differing keys: “Does it say that mars has two moons?” and others, 2 in all")
    assert set(Part.objects.values_list("joined", flat=True)) == {"close"}


def test_an_answer_to_a_question_that_says_neither_is_one_warning(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(first="是", second="也许"))
    assert [problem["message"].split(":")[0] for problem in report.problems] == ["Not readable"]


def test_the_files_own_score_is_compared_and_not_believed(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(first="是", second="否", score=1.0))
    assert report.problems == []
    assert report.as_json()["score_differences"] == [{"file": "file.jsonl", "line": 1, "score": 1.0, "computed": 0.6}]
    verdict = Verdict.objects.get()
    assert verdict.score_first == 0.6
    assert "own score is 1" in verdict.note


def test_a_rounding_error_is_no_difference(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    assert (
        "score_differences"
        not in brought(project, tmp_path, compact(first="是", second="否", score=0.6000000000000001)).as_json()
    )


def test_a_maintained_answer_needs_one_met_question(project: Project, tmp_path: Path) -> None:
    sample(project, 0, MAINTENANCE)
    one, other = MAINTENANCE["checklist"]
    brought(project, tmp_path, compact(**{one: "否", other: "是"}))
    assert Verdict.objects.get().score_first == 1.0


def test_unknown_items_are_errors_by_line_and_the_rest_is_kept(project: Project, tmp_path: Path) -> None:
    sample(project, 1)
    make_item(project, key="fbbench-0002")
    rows = [compact(number, first="是", second="否") for number in (0, 1, 2)]
    report = brought(project, tmp_path, *rows)
    assert counts(report) == [3, 1, 0, 2]
    told = [(problem["line"], problem["level"], problem["path"]) for problem in report.problems]
    assert told == [(1, "error", "sample_index"), (3, "error", "sample_index")]
    assert "no item with the key “fbbench-0000”" in report.problems[0]["message"]
    assert "its own format (--format)" in report.problems[0]["message"]
    assert "not accepted yet" in report.problems[1]["message"]


def test_items_of_other_projects_are_not_found(project: Project, tmp_path: Path) -> None:
    sample(make_project(), 0)
    assert counts(brought(project, tmp_path, compact(first="是", second="否"))) == [1, 0, 0, 1]


def test_the_same_file_again_changes_nothing_and_says_nothing(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    rows = [compact(first="是"), compact(author="bea") | {"judgement": None}]
    brought(project, tmp_path, *rows)
    before = [list(model.objects.values()) for model in (Author, Answer, Judge, Verdict, Part)]
    report = brought(project, tmp_path, *rows, name="again.jsonl")
    assert (counts(report), report.problems) == ([2, 0, 2, 0], [])
    assert [list(model.objects.values()) for model in (Author, Answer, Judge, Verdict, Part)] == before


def test_another_verdict_on_a_judged_answer_is_told_and_left(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    report = brought(project, tmp_path, compact(first="是", second="否"), compact(first="是", second="是"))
    assert counts(report) == [2, 1, 1, 0]
    [problem] = report.problems
    assert (problem["line"], problem["level"]) == (2, "warning")
    assert Verdict.objects.get().score_first == 0.6


def test_other_judges_judge_the_same_answer(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    row = compact(first="是", second="否")
    assert counts(brought(project, tmp_path, row, row | {"judge_model": "judge-n"})) == [2, 2, 0, 0]
    assert (Answer.objects.count(), Judge.objects.count()) == (1, 2)


def test_a_raw_row_is_found_by_its_question_and_brings_text_and_reasons(project: Project, tmp_path: Path) -> None:
    item = sample(project, 0)
    assert counts(brought(project, tmp_path, raw(item))) == [1, 1, 0, 0]
    answer = Answer.objects.get()
    assert (answer.item, answer.text, answer.known, answer.note) == (item, "Two moons.", True, "")
    assert Part.objects.get(axis="1").reason == "It does."


def test_an_unknown_or_ambiguous_question_is_an_error(project: Project, tmp_path: Path) -> None:
    item, twin = sample(project, 0), sample(project, 1)
    twin.facts = item.facts
    twin.save(update_fields=["facts"])
    report = brought(project, tmp_path, raw(item), raw(item, user_query="Another question?"))
    assert counts(report) == [2, 0, 0, 2]
    assert [problem["path"] for problem in report.problems] == ["user_query"] * 2
    assert "Several items" in report.problems[0]["message"]
    assert "No accepted item" in report.problems[1]["message"]


def test_older_texts_become_a_note(project: Project, tmp_path: Path) -> None:
    item = sample(project, 0)
    older = raw(item, feedback="Older feedback.", checklist=[["Older question?", 0.6], [SECOND, 0.4]])
    report = brought(project, tmp_path, older)
    assert report.problems == []
    note = Answer.objects.get().note
    assert "feedback:\nOlder feedback." in note
    assert "checklist:\nOlder question?" in note
    assert "user_query" not in note


def test_a_compact_row_is_about_the_answer_that_is_there(project: Project, tmp_path: Path) -> None:
    item = sample(project, 0)
    answer = answer_of(item, "ann", text="Two.")
    brought(project, tmp_path, compact(first="是", second="否"))
    assert Verdict.objects.get().first == answer
    assert Answer.objects.count() == 1


def test_a_text_that_was_not_known_is_a_new_version(project: Project, tmp_path: Path) -> None:
    item = sample(project, 0)
    brought(project, tmp_path, compact(first="是", second="否"))
    assert counts(brought(project, tmp_path, raw(item))) == [1, 1, 0, 0]
    assert list(Answer.objects.order_by("version").values_list("version", "known")) == [(1, False), (2, True)]
    found = scores(project, Judge.objects.get())
    assert ([row.score for row in found.rows], found.outdated) == ([0.6], 1)
    assert counts(brought(project, tmp_path, raw(item))) == [1, 0, 1, 0]


def test_a_missing_file_is_a_problem_and_no_row(project: Project, tmp_path: Path) -> None:
    files = [(tmp_path / "missing.jsonl", "missing.jsonl")]
    report = import_judgements(project=project, files=files, wanted=judgement_formats()["fbbench"])
    assert (counts(report), report.faults) == ([0, 0, 0, 0], 1)
    assert report.problems[0]["line"] is None


def test_the_queries_do_not_grow_with_the_rows(project: Project, tmp_path: Path) -> None:
    for number in range(6):
        sample(project, number)
    taken = []
    for authors in (["a"], ["b", "c", "d"]):
        rows = [compact(number, author=author, first="是", second="否") for number in range(6) for author in authors]
        with CaptureQueriesContext(connection) as captured:
            assert brought(project, tmp_path, *rows).kept == len(rows)
        taken.append(len([one for one in captured if not one["sql"].startswith('INSERT INTO "judging_')]))
    assert taken[1] <= taken[0]


def test_what_is_read_in_parts_is_one_import(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample(project, 0), sample(project, 1)
    rows = [compact(number, author=author, first="是", second="否") for author in "abc" for number in range(3)]
    monkeypatch.setattr(judgement_files, "CHUNK_CHARACTERS", 2 * len(FIRST + SECOND))
    report = brought(project, tmp_path, *rows, rows[0])
    assert (counts(report), [problem["line"] for problem in report.problems]) == ([10, 6, 1, 3], [3, 6, 9])
    assert (Author.objects.count(), Answer.objects.count(), Part.objects.count()) == (3, 6, 12)


@pytest.mark.parametrize("text", ["\x00", "\ud800", "\u202e", "<script>alert(1)</script>", "𠜎" * 500])
def test_hostile_texts_are_kept_as_they_are_or_refused_by_line(project: Project, tmp_path: Path, text: str) -> None:
    item = sample(project, 0)
    row = raw(
        item, text=f"Two{text}moons.", judgement={FIRST: {"result": "是", "reason": text}, SECOND: {"result": text}}
    )
    report = brought(project, tmp_path, row)
    assert report.kept + report.rejected == 1
    if report.kept:
        assert Answer.objects.get().text == f"Two{text}moons."
    else:
        assert report.problems[0]["line"] == 1


def test_an_import_leaves_an_entry_in_the_audit_trail(project: Project, tmp_path: Path) -> None:
    sample(project, 0)
    brought(project, tmp_path, compact(first="是", second="否"))
    entry = AuditEntry.objects.get(verb="judgements.imported")
    assert (entry.project_id, entry.values_after["judgements"]) == (project.pk, 1)
    brought(project, tmp_path, compact(first="是", second="否"))
    assert AuditEntry.objects.filter(verb="judgements.imported").count() == 1
