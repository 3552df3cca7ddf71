import io
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.models import Project
from tests.support.files import command
from tests.support.perturbed import (
    brought,
    pairwise,
    perturbation,
    perturbation_project,
    perturbations,
    reference,
    single,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = perturbation_project()
    first, second, third, fourth = perturbations(project, 4)
    brought(
        project,
        tmp_path,
        [
            single(first, 9, 7),
            single(second, 9, 9, found_in_explanation=True),
            single(third, 9, None),
            pairwise(first, "gold"),
            pairwise(second, "inconsistent"),
            pairwise(third, "both_good"),
            pairwise(fourth, None),
            reference(first, 10),
            reference(second, 8),
            single(perturbation(project, 1, "wrong-formula", "reasoning"), 9, 10),
        ],
    )
    return project


def test_the_json_is_the_contracts(project: Project) -> None:
    code, report, _err = command("report", "fbi", "blindspots")
    assert (code, list(report)) == (0, ["rows", "totals"])
    named = {(row["strategy"], row["category"]): row for row in report["rows"]}
    assert list(named) == [
        ("Pairwise", "entity-errors"),
        ("Reference", "entity-errors"),
        ("Vanilla", "entity-errors"),
        ("Vanilla", "wrong-formula"),
    ]
    row = named["Vanilla", "entity-errors"]
    assert row.pop("interval") == pytest.approx([0.0615, 0.7923], abs=1e-4)  # Wilson, 1 of 3
    assert row == {
        "judge": "judge-m",
        "strategy": "Vanilla",
        "ability": "factual",
        "category": "entity-errors",
        "n": 3,
        "parsed": 2,
        "undetected": 1,
        "share": 1 / 3,  # the unreadable one stays in the divisor
        "counts": {"detected": 1, "undetected": 1, "unparsed": 1},
        "with_explanations": 1 - 2 / 3,
        "explanations_read": ["file"],
    }


def test_pairs_divide_by_what_could_be_read(project: Project) -> None:
    row = command("report", "fbi", "blindspots")[1]["rows"][0]
    assert (row["n"], row["parsed"], row["undetected"], row["share"]) == (4, 3, 2, 2 / 3)
    outcomes = ("gold", "perturbed", "both_good", "both_bad", "inconsistent", "unparsed")
    assert row["counts"] == dict(zip(outcomes, (1, 0, 1, 0, 1, 1), strict=True))
    assert row["with_explanations"] is None


def test_totals_are_by_ability_without_a_category(project: Project) -> None:
    totals = command("report", "fbi", "blindspots")[1]["totals"]
    assert [(row["strategy"], row["ability"], row["n"], row["share"]) for row in totals] == [
        ("Pairwise", "factual", 4, 2 / 3),
        ("Reference", "factual", 2, 0.5),
        ("Vanilla", "factual", 3, 1 / 3),
        ("Vanilla", "reasoning", 1, 1.0),
    ]
    assert "category" not in totals[0]


def test_nothing_readable_is_null_and_no_error(tmp_path: Path) -> None:
    project = perturbation_project()
    brought(project, tmp_path, [pairwise(perturbation(project), None)])
    [row] = command("report", "fbi", "blindspots")[1]["rows"]
    assert (row["n"], row["parsed"], row["share"], row["interval"]) == (1, 0, None, None)


def test_the_text_is_a_table_with_totals(project: Project) -> None:
    out = io.StringIO()
    call_command("report", "fbi", "blindspots", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[2].split()[:4] == ["judge", "strategy", "ability", "category"]
    vanilla = next(line.split() for line in lines if "Vanilla" in line)
    assert vanilla[4:] == ["0.33", "0.06–0.79", "1/3", "3", "1", "0.33"]
    assert sum(" all " in line for line in lines) == 4


def test_one_judge_alone_and_none(project: Project) -> None:
    assert len(command("report", "fbi", "blindspots", "--judge", "judge-m · Vanilla")[1]["rows"]) == 2
    code, _report, err = command("report", "fbi", "blindspots", "--judge", "nobody")
    assert (code, "nobody" in err) == (1, True)


def test_without_verdicts_it_says_how_to_get_some() -> None:
    perturbation_project()
    assert "--format fbi" in command("report", "fbi", "blindspots")[2]
