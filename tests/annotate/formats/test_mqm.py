"""MQM files as published for WMT: items and ratings from one table, and what cannot be kept is named."""

from pathlib import Path
from typing import Any

import pytest

from annotate.definitions.templates import all_templates
from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, Problem
from annotate.models import Annotation, Item
from annotate.project.actions import create_project
from tests.annotate.formats.conftest import Read
from tests.support.files import command, messages

HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\t# Documentation: x"
SOURCE, TARGET = "雨停了，可路还湿着。", "The rain stopped 🌧 but road is wet."


def line(rater: str = "r1", *, source: str = SOURCE, target: str = TARGET, error: str = "No-error\tNo-error") -> str:
    return f'one\td1\t1\t7\t{rater}\t{source}\t{target}\t{error}\t{{"timing": "x"}}'


def table(*lines: str) -> bytes:
    return "\n".join([HEADER, *lines, ""]).encode()


def ratings(folder: Path, *lines: str, header: str = HEADER) -> list[Any]:
    path = folder / "mqm.tsv"
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return list(find_format("mqm").read(path, name="mqm.tsv", ratings=True))


def test_a_segment_is_an_item_once(read: Read) -> None:
    marked = line(target=TARGET.replace("road", "<v>road</v>"), error="Fluency/Grammar\tMinor")
    other = line("r2").replace("one\t", "two\t", 1)
    rows, problems = read(table(marked, line("r2"), other), "mqm")
    assert problems == []
    assert [row.value["key"] for row in rows] == ["d1/7/one", "d1/7/two"]
    about = {"system": "one", "doc": "d1", "segment": "7"}
    assert rows[0].value == {"key": "d1/7/one", "source": SOURCE, "target": TARGET, **about}


def test_a_rating_has_the_errors_of_its_rater(tmp_path: Path) -> None:
    first = line(target=TARGET.replace("road", "<v>road</v>"), error="Fluency/Grammar\tMinor")
    second = line(source=SOURCE.replace("可", "<v>可</v>"), error="Accuracy/Omission\tMajor")
    rows = ratings(tmp_path, first, second, line("r2"))
    assert [(row.line, row.value["rater"], row.warnings) for row in rows] == [(2, "r1", []), (4, "r2", [])]
    assert rows[0].value["errors"] == [
        # after “The rain stopped ”, the cloud (one code point), “ but ”
        {"field": "target", "start": 23, "end": 27, "text": "road", "label": "Fluency/Grammar", "severity": "Minor"},
        {"field": "source", "start": 4, "end": 5, "text": "可", "label": "Accuracy/Omission", "severity": "Major"},
    ]
    assert rows[1].value["errors"] == []


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"He said ""no""."', 'He said "no".'),
        ('He said "no".', 'He said "no".'),
        ('"Chip war" ends', '"Chip war" ends'),
        ('"No."', '"No."'),
        ('""', '""'),
    ],
)
def test_only_quotes_that_hold_a_cell_together_are_removed(read: Read, cell: str, text: str) -> None:
    rows, problems = read(table(line(target=cell)), "mqm")
    assert (problems, rows[0].value["target"]) == ([], text)


@pytest.mark.parametrize(
    ("changes", "words", "places"),
    [
        ({"error": "Non-translation!\tMajor"}, "has no mark", [("target", 0, 35)]),
        ({"target": "<v>The</v> rain <v>stops</v>.", "error": "Other\tMinor"}, "has 2 marks", [("target", 0, 14)]),
        (
            {"source": "<v>雨</v>停了。", "target": "<v>Rain</v> stops.", "error": "Other\tMinor"},
            "in both",
            [("target", 0, 4)],
        ),
        ({"error": "Found\tHOTW-test"}, "attention test “Found”", []),
    ],
)
def test_what_a_span_cannot_hold_is_a_warning(
    tmp_path: Path, changes: dict[str, str], words: str, places: list[tuple[str, int, int]]
) -> None:
    (row,) = ratings(tmp_path, line(**changes))
    ((_path, message),) = row.warnings
    assert words in message
    assert "line 2" in message
    assert [(error["field"], error["start"], error["end"]) for error in row.value["errors"]] == places


def test_older_names_of_columns_are_read(tmp_path: Path) -> None:
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    (row,) = ratings(tmp_path, "one\ttalk\t1\t84\tr1\ta\tb\tNo-error\tNo-error", header=header)
    assert row.value["key"] == "talk/84/one"
    (row,) = ratings(tmp_path, line().replace("\t7\t", "\t0\t", 1))
    assert row.value["key"] == "d1/1/one"


def test_other_tables_and_broken_lines_are_named(tmp_path: Path) -> None:
    (problem,) = ratings(tmp_path, "x", header="system\tdoc\tseg_id\tsource")
    assert (problem.line, "rater, target, category, severity" in problem.message) == (None, True)
    rows = ratings(tmp_path, "one\td1", line())
    assert isinstance(rows[0], Problem)
    assert (rows[0].line, rows[0].path, isinstance(rows[1], ImportRow)) == (2, "rater", True)


@pytest.mark.django_db
def test_one_file_is_items_and_ratings_of_a_project(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=all_templates()["mqm"].definition)
    marked = line(target=TARGET.replace("road", "<v>road</v>"), error="Fluency/Grammar\tMinor")
    path = tmp_path / "mqm.tsv"
    neutral = line("r4", target=TARGET.replace("wet", "<v>wet</v>"), error="Fluency/Grammar\tNeutral")
    path.write_bytes(table(marked, line("r2"), line("r3", error="Found\tHOTW-test"), neutral))
    code, report, err = command("import_items", "own", path, "--format", "mqm")
    assert (code, report["kept"], report["problems"]) == (0, 1, []), err
    item = Item.objects.get(project=project)
    assert (item.facts["target"], item.metadata["system"], item.metadata["doc"]) == (TARGET, "one", "d1")
    code, report, err = command("import_ratings", "own", path, "--format", "mqm")
    assert (code, report["kept"], report["rejected"]) == (0, 3, 1), err
    assert ["attention test" in message for message in messages(report)] == [True, False]
    stored = dict(Annotation.objects.values_list("rater", "draft__errors"))
    assert (stored["r1"][0]["text"], stored["r2"], stored["r3"]) == ("road", [], [])
    assert command("report", "own", "scores", "--by", "system")[1]["rows"][0]["n"] == 3
