"""What every format promises, and that what leaves comes back as it was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.formats.format import BadOption, Format
from annotate.formats.registry import all_formats, find_format, guess
from annotate.formats.rows import ImportRow, Problem
from annotate.kinds import all_kinds
from annotate.kinds.feedback import shapes
from annotate.models import Project
from tests.support.files import command, facts_only, imported, jsonl, parquet, row, write_rows
from tests.support.people import make_project

every_format = pytest.mark.parametrize("one", all_formats().values(), ids=all_formats())


# --- every format ---------------------------------------------------------------------------------------------------
@every_format
def test_it_is_found_by_its_slug_and_named(one: Format) -> None:
    assert find_format(one.slug) is one
    assert str(one.name)
    assert one.slug.isidentifier()


@every_format
def test_its_endings_lead_to_it_also_gzipped(one: Format) -> None:
    for ending in one.endings:
        assert guess(f"DATA{ending.upper()}") is one
        assert guess(f"data{ending}.gz") is one


def test_no_two_formats_share_an_ending() -> None:
    endings = [ending for one in all_formats().values() for ending in one.endings]
    assert len(endings) == len(set(endings))


@every_format
def test_it_names_kinds_that_exist(one: Format) -> None:
    assert one.kinds <= set(all_kinds())


@every_format
def test_its_options_have_a_default_among_their_choices(one: Format) -> None:
    assert all(option.default in option.choices for option in one.options)
    assert one.complete({}) == {option.name: option.default for option in one.options}
    with pytest.raises(BadOption):
        one.complete({"no such option": "x"})


@every_format
@pytest.mark.parametrize("content", [b"", b"\n", b"\x00" * 100, b"PK\x03\x04", b'{"', b"[", b'"', b"\xff"])
def test_it_answers_rubbish_with_problems(one: Format, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(content)
    found = list(one.read(tmp_path / "given"))
    assert found
    assert all(isinstance(each, Problem) and each.level == "error" for each in found)


@every_format
def test_a_missing_file_is_one_problem_of_the_whole_file(one: Format, tmp_path: Path) -> None:
    (problem,) = one.read(tmp_path / "missing")
    assert isinstance(problem, Problem)
    assert problem.line is None


@every_format
def test_its_lines_count_up(one: Format, tmp_path: Path) -> None:
    rows = [facts_only(no) for no in range(3)]
    names = list(rows[0])
    lines = [",".join(names), *(",".join(each.values()) for each in rows)]
    written = {"csv": "\n".join(lines).encode(), "json": json.dumps(rows).encode(), "parquet": parquet(rows)}
    (tmp_path / "given").write_bytes(written.get(one.slug, jsonl(rows)))
    found = [each for each in one.read(tmp_path / "given") if isinstance(each, ImportRow)]
    assert [each.value["user_query"] for each in found] == [each["user_query"] for each in rows]
    first = 2 if one.slug == "csv" else 1
    assert [each.line for each in found] == [first, first + 1, first + 2]


# --- export, import, export -----------------------------------------------------------------------------------------
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
INKED = TEXT.filter(str.strip)


def folded(text: str) -> str:
    return " ".join(text.split())


@st.composite
def drafts(draw: st.DrawFn, scenario: str) -> dict[str, Any]:
    """A draft that passes all checks."""
    task = draw(st.sampled_from(sorted(shapes.TASKS)))
    allowed = shapes.FEEDBACK_TYPES[scenario]
    questions = draw(st.lists(INKED, min_size=1, max_size=5, unique_by=folded))
    corrects = scenario == shapes.ERROR_CORRECTION
    draft = {
        "task_type": task,
        "sub_task_type": draw(st.sampled_from(shapes.TASKS[task])),
        "feedback": draw(INKED),
        "error_type": draw(st.lists(st.sampled_from(shapes.DEFICIENCIES), min_size=1, unique=True))
        if corrects
        else None,
        "feedback_type": draw(st.lists(st.sampled_from(allowed), min_size=1, unique=True)),
        "checklist": draw(weighted(questions)) if corrects else questions,
    }
    references = {"reference_first_response": TEXT, "reference_second_response": TEXT}
    return draft | draw(st.fixed_dictionaries({}, optional=references))


@st.composite
def weighted(draw: st.DrawFn, questions: list[str]) -> list[list[Any]]:
    parts = draw(st.lists(st.integers(0, 100), min_size=len(questions), max_size=len(questions)).filter(any))
    return [[question, part / sum(parts)] for question, part in zip(questions, parts, strict=True)]


@st.composite
def native_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A row that an import accepts: with a whole draft, with part of one, or without."""
    scenario = draw(st.sampled_from([shapes.ERROR_CORRECTION, shapes.RESPONSE_MAINTENANCE]))
    facts = {"bench_type": scenario, "user_query": draw(INKED), "origin_first_response": draw(INKED)}
    draft = draw(drafts(scenario))
    kept = draw(st.one_of(st.just(set(draft)), st.sets(st.sampled_from(["feedback", "feedback_type", "checklist"]))))
    return facts | {name: value for name, value in draft.items() if name in kept}


@st.composite
def files(draw: st.DrawFn) -> list[dict[str, Any]]:
    keys = draw(st.lists(INKED, min_size=1, max_size=4, unique=True))
    rows = [{"key": key, **draw(native_rows())} for key in keys]
    for no, one in enumerate(rows):
        one["user_query"] += f" {no}"
    return rows


def exported(project: Project, folder: Path) -> tuple[list[bytes], Path]:
    """The rows as they stand in the file, without their provenance; and the file."""
    path = folder / f"{project.slug}.jsonl"
    command("export_items", project.slug, "--state", "any", "--out", path)
    return list(without_provenance(path.read_bytes())), path


def without_provenance(content: bytes) -> Iterator[bytes]:
    for line in content.removesuffix(b"\n").split(b"\n"):
        value = json.loads(line)
        tail = b', "provenance": ' + json.dumps(value["provenance"], ensure_ascii=False).encode() + b"}"
        assert line.endswith(tail)
        yield line.removesuffix(tail)


@pytest.mark.django_db
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(rows=files(), accepted=st.booleans())
def test_what_was_exported_comes_back_byte_for_byte(tmp_path: Path, rows: list[dict[str, Any]], accepted: bool) -> None:
    words = ["--accept"] if accepted and all("task_type" in one for one in rows) else []
    first, second = make_project(), make_project()
    report = imported(first, write_rows(tmp_path / "given.jsonl", rows), *words)
    assert report["kept"] == len(rows), report["problems"]
    before, path = exported(first, tmp_path)
    assert imported(second, path, *words)["kept"] == len(rows)
    assert exported(second, tmp_path)[0] == before


@pytest.mark.django_db
def test_numbers_keep_their_writing(tmp_path: Path) -> None:
    project = make_project()
    checklist = [["a?", 0.1], ["b?", 0], ["c?", 0.30000000000000004], ["d?", 1e-07], ["e?", 0.6]]
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1, checklist=checklist), row(2, checklist=[["a?", 1]])]))
    told = exported(project, tmp_path)[0]
    assert json.dumps(checklist).encode() in told[0]
    assert b'"checklist": [["a?", 1]]' in told[1]
