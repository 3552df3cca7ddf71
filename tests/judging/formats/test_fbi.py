import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.rows import Problem
from judging.formats.format import Judgement, PairJudgement, judgement_formats

FORMAT = judgement_formats()["fbi"]
NAMED: dict[str, Any] = {"judge": "judge-m", "strategy": "any words", "category": "entity-errors", "id": "factual-1"}
SINGLE = {**NAMED, "score_gold": 9, "score_perturbed": 7.5}
PAIRWISE = {**NAMED, "verdict_gold_first": "A", "verdict_perturbed_first": "A"}
REFERENCE = {**NAMED, "score_perturbed": 9, "top": 10}


def read(tmp_path: Path, *rows: Any) -> list[Judgement | PairJudgement | Problem]:
    path = tmp_path / "file.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return list(FORMAT.read(path, name="file.jsonl"))


def test_the_fields_and_no_name_decide_what_a_row_is(tmp_path: Path) -> None:
    misnamed = [{**SINGLE, "strategy": "Pairwise"}, {**PAIRWISE, "strategy": "Reference"}, REFERENCE]
    found = [each for each in read(tmp_path, *misnamed) if isinstance(each, PairJudgement)]
    assert [each.shape for each in found] == ["single", "pairwise", "reference"]
    assert (found[0].gold, found[0].perturbed, found[2].perturbed, found[2].top) == (9.0, 7.5, 9.0, 10.0)
    assert {each.key for each in found} == {"entity-errors/factual-1"}
    assert [each.strategy for each in found] == ["Pairwise", "Reference", "any words"]


@pytest.mark.parametrize(
    ("gold_first", "perturbed_first", "meant"),
    [
        ("A", "B", ("first", "first")),  # the gold one both times
        ("B", "A", ("second", "second")),
        ("A", "A", ("first", "second")),  # whatever stands first
        ("C", "D", ("both_good", "both_bad")),
        ("c", None, ("both_good", None)),
    ],
)
def test_letters_name_places_and_are_read_as_answers(
    tmp_path: Path, gold_first: str, perturbed_first: str | None, meant: tuple[str | None, str | None]
) -> None:
    row = {**NAMED, "verdict_gold_first": gold_first, "verdict_perturbed_first": perturbed_first}
    [found] = read(tmp_path, row)
    assert isinstance(found, PairJudgement)
    assert (found.gold_first, found.perturbed_first) == meant


def test_null_is_unreadable_and_numbers_are_ids_too(tmp_path: Path) -> None:
    [found] = read(tmp_path, {**SINGLE, "id": 7, "score_perturbed": None, "found_in_explanation": True})
    assert isinstance(found, PairJudgement)
    assert (found.key, found.perturbed, found.gold, found.found) == ("entity-errors/7", None, 9.0, True)


def test_an_array_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps([SINGLE, REFERENCE]))
    assert len([each for each in FORMAT.read(path, name="a") if isinstance(each, PairJudgement)]) == 2


@pytest.mark.parametrize(
    ("row", "path", "told"),
    [
        ({**SINGLE, "top": 10}, "", "exactly one strategy"),
        ({**SINGLE, **PAIRWISE}, "", "exactly one strategy"),
        (NAMED, "", "exactly one strategy"),
        ({**NAMED, "verdict_gold_first": "A"}, "verdict_perturbed_first", "null"),
        ({**NAMED, "score_gold": 3}, "score_perturbed", "null"),
        ({**PAIRWISE, "verdict_gold_first": "E"}, "verdict_gold_first", "“E”"),
        ({**PAIRWISE, "verdict_gold_first": 1}, "verdict_gold_first", "A, B, C, D"),
        ({**SINGLE, "score_gold": "9"}, "score_gold", "number"),
        ({**SINGLE, "score_gold": True}, "score_gold", "number"),
        ({**REFERENCE, "top": None}, "top", "highest score"),
        ({**REFERENCE, "score_perturbed": 11}, "score_perturbed", "above the highest score, 10"),
        ({**SINGLE, "judge": " "}, "judge", "one-line name"),
        ({**SINGLE, "strategy": "s" * 81}, "strategy", "at most 80"),
        ({**SINGLE, "category": None}, "category", "one-line name"),
        ({**SINGLE, "id": True}, "id", "one-line name"),
        ({**SINGLE, "found_in_explanation": "yes"}, "found_in_explanation", "true, false or null"),
    ],
)
def test_a_fault_has_its_line_its_field_and_a_remedy(tmp_path: Path, row: Any, path: str, told: str) -> None:
    good, bad = read(tmp_path, SINGLE, row)
    assert isinstance(good, PairJudgement)
    assert isinstance(bad, Problem)
    assert (bad.line, bad.path) == (2, path)
    assert told in bad.message


def test_what_is_no_json_is_a_fault_of_its_line(tmp_path: Path) -> None:
    assert [type(each).__name__ for each in read(tmp_path, "{", SINGLE)] == ["Problem", "PairJudgement"]
