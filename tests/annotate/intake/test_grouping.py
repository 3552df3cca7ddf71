"""A problem that many rows have is one entry of the report."""

from pathlib import Path
from typing import Any

import pytest

from annotate.formats.rows import Problem
from annotate.intake.report import LISTED, Report
from annotate.management.commands.import_items import in_words
from annotate.models import Batch, Project
from lib.texts.stored_sentences import say as _
from tests.support.files import bring

pytestmark = pytest.mark.django_db


def report_of(*problems: Problem) -> Report:
    report = Report()
    report.tell(problems)
    return report


def wrong(line: int | None, path: str = "first", message: str = "is missing", **more: Any) -> Problem:
    return Problem("a.jsonl", line, path, message, **more)


def test_what_all_of_thirty_rows_lack_is_one_entry_each(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, *({"key": f"bad-{no}"} for no in range(30)))
    assert [problem["count"] for problem in report["problems"]] == [30, 30, 30]
    assert [problem["line"] for problem in report["problems"]] == [1, 1, 1]
    assert report["problems"][0]["lines"] == list(range(1, 11))
    assert Batch.objects.get().unlisted == 0


def test_few_rows_are_listed_one_by_one() -> None:
    entries = report_of(*map(wrong, [2, 5, 9])).problems
    assert [entry["line"] for entry in entries] == [2, 5, 9]
    assert not any("count" in entry for entry in entries)


def test_entries_keep_their_order_when_others_join_them() -> None:
    entries = report_of(wrong(1), wrong(1, "second"), wrong(2), wrong(3), wrong(4)).problems
    assert [(entry["path"], entry.get("count")) for entry in entries] == [("first", 4), ("second", None)]


def test_a_sentence_that_quotes_other_values_is_the_same_problem() -> None:
    told = [wrong(no, "key", _("The key “%(key)s” is already stored.") % {"key": f"a{no}"}) for no in range(1, 6)]
    (entry,) = report_of(*told).problems
    assert (entry["count"], entry["message"]) == (5, "The key “a1” is already stored.")


def test_a_sentence_within_a_sentence_makes_it_another_problem() -> None:
    message = _("contains what looks like %(what)s (%(shown)s). Is it meant to be there?")
    kinds = [_("a phone number"), _("an e-mail address")]
    told = [wrong(no, "first", message % {"what": kinds[no % 2], "shown": f"x{no}"}) for no in range(1, 11)]
    assert [entry["count"] for entry in report_of(*told).problems] == [5, 5]


def test_places_in_a_list_are_one_field() -> None:
    (entry,) = report_of(*(wrong(no, f"checklist[{no}].weight") for no in range(1, 6))).problems
    assert (entry["path"], entry["count"]) == ("checklist[…].weight", 5)


def test_level_file_and_whole_files_stay_apart() -> None:
    warnings = [wrong(no, level="warning") for no in range(1, 5)]
    faults = [wrong(None, "", "The file is empty.")] * 5
    assert len(report_of(*map(wrong, range(1, 5)), *warnings, *faults).problems) == 7


def test_reports_of_two_files_are_counted_together_without_mixing_their_lines() -> None:
    report, other = report_of(*map(wrong, range(1, 6))), report_of(*map(wrong, range(6, 12)))
    report.add(other)
    (entry,) = report.problems
    assert (entry["count"], entry["lines"]) == (11, list(range(1, 11)))


def test_an_interrupted_report_goes_on_with_its_entries() -> None:
    before = report_of(*map(wrong, range(1, 6)))
    after = Report(problems=before.problems)
    after.tell([wrong(6)])
    assert [entry["count"] for entry in after.problems] == [6]


def test_entries_are_limited_and_the_rest_is_counted() -> None:
    told = [wrong(no, f"column {no}") for no in range(LISTED + 7)]
    report = report_of(*told, wrong(LISTED + 8, "column 1"))
    assert (len(report.problems), report.unlisted) == (LISTED, 8)


def test_the_command_prints_one_line_with_count_and_first_lines() -> None:
    text = in_words(report_of(*map(wrong, range(1, 13))), dry_run=False)
    assert text.splitlines()[0] == (
        "error: a.jsonl:1 first is missing (12 like this, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"
    )
    assert len(text.splitlines()) == 2
