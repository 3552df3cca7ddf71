import gzip
import json
import os
from pathlib import Path

import pytest

from annotate.models import Annotation, Batch, Item, Project, Slot
from tests.support.files import command, facts_only, imported, jsonl, row, without, write_rows
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
FBBENCH = Path(__file__).resolve().parents[4] / "shared" / "data" / "fbbench_dataset_v3.json.gz"


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


def test_a_good_file_is_kept_whole(project: Project, tmp_path: Path) -> None:
    code, report, _err = command("import_items", "fb", write_rows(tmp_path / "a.jsonl", [row(1), row(2)]))
    assert (code, report) == (0, {"read": 2, "kept": 2, "duplicates": 0, "rejected": 0, "problems": []})


def test_a_bad_row_is_named_by_line_path_and_cause_and_the_others_are_kept(project: Project, tmp_path: Path) -> None:
    bad = row(2, checklist=[["Is it so?", 0.5], ["Or so?"]])
    code, report, _err = command("import_items", "fb", write_rows(tmp_path / "a.jsonl", [row(1), bad, row(3)]))
    assert (code, report["kept"], report["rejected"]) == (0, 2, 1)
    (problem,) = report["problems"]
    assert (problem["line"], problem["path"], problem["level"]) == (2, "checklist[1]", "error")
    assert "weight missing" in problem["message"]
    assert problem["file"] == str(tmp_path / "a.jsonl")


def test_strict_keeps_nothing_of_any_file(project: Project, tmp_path: Path) -> None:
    good = write_rows(tmp_path / "good.jsonl", [row(1), row(2)])
    bad = write_rows(tmp_path / "bad.jsonl", [row(3), row(4, feedback=7)])
    code, report, err = command("import_items", "fb", good, bad, "--strict")
    assert (code, report["kept"], Item.objects.count()) == (1, 0, 0)
    assert report["read"] == report["kept"] + report["duplicates"] + report["rejected"] == 4
    assert err.startswith("Nothing was imported. Fix the problems")


def test_strict_refuses_a_file_that_cannot_be_read(project: Project, tmp_path: Path) -> None:
    good = write_rows(tmp_path / "good.jsonl", [row(1)])
    assert command("import_items", "fb", good, tmp_path / "missing.jsonl", "--strict")[0] == 1
    assert not Item.objects.exists()


def test_strict_keeps_what_is_flawless(project: Project, tmp_path: Path) -> None:
    code, report, _err = command("import_items", "fb", write_rows(tmp_path / "a.jsonl", [row(1)]), "--strict")
    assert (code, report["kept"], Item.objects.count()) == (0, 1, 1)


def test_a_dry_run_reports_and_writes_nothing(project: Project, tmp_path: Path) -> None:
    rows = [row(1), row(1), without(row(2), "feedback")]
    code, report, _err = command("import_items", "fb", write_rows(tmp_path / "a.jsonl", rows), "--dry-run")
    assert code == 0
    assert [report[name] for name in ("read", "kept", "duplicates", "rejected")] == [3, 2, 1, 0]
    assert not Item.objects.exists()
    assert not Batch.objects.exists()


def test_a_missing_file_is_a_problem_and_the_report_comes_on_exit_1_too(project: Project) -> None:
    code, report, _err = command("import_items", "fb", "/nowhere/a.jsonl")
    assert (code, report["read"]) == (1, 0)
    assert report["problems"][0]["line"] is None


def test_an_unknown_ending_is_a_problem_that_lists_the_known_ones(project: Project, tmp_path: Path) -> None:
    code, report, _err = command("import_items", "fb", write_rows(tmp_path / "a.rows", [row(1)]))
    assert code == 1
    assert ".jsonl" in report["problems"][0]["message"]


def test_an_unknown_format_or_option_is_usage(project: Project, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [row(1)])
    assert command("import_items", "fb", path, "--option", "as=final")[0] == 2
    assert command("import_items", "fb", path, "--format", "fbbench", "--option", "as=gold")[0] == 2


def test_an_unknown_project_is_refused_by_name(tmp_path: Path) -> None:
    code, _report, err = command("import_items", "nope", tmp_path / "a.jsonl")
    assert code == 1
    assert "nope" in err


def test_accept_takes_the_drafts_as_final_work(project: Project, tmp_path: Path) -> None:
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1)]), "--accept")
    item = Item.objects.get()
    assert (item.state, item.base.rater, item.base.draft["feedback"]) == (
        "accepted",
        "import",
        "That is one moon too many.",
    )
    assert not Slot.objects.exists()
    assert item.events.get().to_state == "accepted"


def test_accept_refuses_a_row_without_a_whole_draft(project: Project, tmp_path: Path) -> None:
    rows = [facts_only(1), without(row(2), "checklist")]
    report = imported(project, write_rows(tmp_path / "a.jsonl", rows), "--accept")
    assert (report["kept"], report["rejected"]) == (0, 2)
    assert [problem["path"] for problem in report["problems"]] == ["", "checklist"]


def test_a_csv_table_is_read_with_lists_in_cells(project: Project, tmp_path: Path) -> None:
    cells = {**row(1), "checklist": json.dumps(row(1)["checklist"])}
    cells |= {name: json.dumps(cells[name]) for name in ("error_type", "feedback_type")}
    quoted = ['"' + str(value).replace('"', '""') + '"' for value in cells.values()]
    (tmp_path / "a.csv").write_text(",".join(cells) + "\n" + ",".join(quoted) + "\n")
    assert imported(project, tmp_path / "a.csv")["kept"] == 1
    assert Annotation.objects.get().draft["checklist"] == row(1)["checklist"]


def test_an_array_and_a_gzipped_file_are_read(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([row(1), row(2)]))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(jsonl([row(3)])))
    code, report, _err = command("import_items", "fb", tmp_path / "a.json", tmp_path / "b.jsonl.gz")
    assert (code, report["kept"]) == (0, 3)


def test_rows_of_two_files_with_the_same_key_are_told(project: Project, tmp_path: Path) -> None:
    one = write_rows(tmp_path / "one.jsonl", [row(1)])
    two = write_rows(tmp_path / "two.jsonl", [row(1)])
    _code, report, _err = command("import_items", "fb", one, two)
    assert (report["kept"], report["duplicates"]) == (1, 1)
    assert f"line 1 of {one}" in report["problems"][0]["message"]


def test_a_batch_remembers_what_happened(project: Project, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [row(1), row(1), {"key": "x"}])
    imported(project, path)
    batch = Batch.objects.get()
    assert (batch.state, batch.read, batch.kept, batch.duplicates, batch.rejected) == ("done", 3, 1, 1, 1)
    assert (batch.file_name, batch.format, len(batch.sha256)) == ("a.jsonl", "jsonl", 64)


def test_without_json_the_report_is_words(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from django.core.management import call_command

    call_command("import_items", "fb", str(write_rows(tmp_path / "a.jsonl", [row(1), row(2, feedback=7)])))
    told = capsys.readouterr().out
    assert "a.jsonl:2 feedback must be text, not 7." in told
    assert "read 2, kept 1, duplicates 0, rejected 1" in told


@pytest.mark.skipif(
    not FBBENCH.exists() and os.environ.get("CI") != "true", reason="the published data lies outside the project"
)
class TestPublishedData:
    def test_all_591_rows_are_kept(self, project: Project) -> None:
        code, report, _err = command("import_items", "fb", FBBENCH, "--format", "fbbench")
        assert (code, report["kept"], report["rejected"]) == (0, 591, 0)
        assert Item.objects.filter(facts__bench_type="Error Correction").count() == 281
        drafts = Annotation.objects.values_list("draft__checklist", flat=True)
        weighted = sum(isinstance(checklist[0], list) for checklist in drafts)
        assert (weighted, 591 - weighted) == (281, 310)
        assert Slot.objects.open().count() == 591

    def test_the_published_fields_come_out_as_they_went_in(self, project: Project, tmp_path: Path) -> None:
        imported(project, FBBENCH, "--format", "fbbench")
        code, told, _err = command("export_items", "fb", "--state", "any", "--out", tmp_path / "x.jsonl")
        published = json.loads(gzip.decompress(FBBENCH.read_bytes()))
        released = [json.loads(line) for line in (tmp_path / "x.jsonl").read_bytes().splitlines()]
        assert (code, told["rows"], len(released)) == (0, 591, 591)
        for before, after in zip(published, released, strict=True):
            assert set(after) == {"key", *before, "provenance"}
            assert {name: json.dumps(after[name]) for name in before} == {
                name: json.dumps(value) for name, value in before.items()
            }

    def test_as_facts_brings_no_suggestion_and_as_final_accepts(self, project: Project) -> None:
        imported(project, FBBENCH, "--format", "fbbench", "--option", "as=facts")
        assert not Annotation.objects.exists()
        other = make_project()
        imported(other, FBBENCH, "--format", "fbbench", "--option", "as=final")
        assert Item.objects.filter(project=other, state="accepted").count() == 591
