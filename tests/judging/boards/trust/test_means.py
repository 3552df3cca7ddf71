from dataclasses import replace
from pathlib import Path

import pytest

from judging.boards.trust.numbers import corrected_means, grounds, is_without_tasks, table_of
from judging.models import Judge
from judging.ratings.grounds import Grounds
from judging.ratings.units import Today
from tests.support.trusted import material_of
from tests.support.voted import bring, on_a_pair, preference_project

pytestmark = pytest.mark.django_db


def grounds_of(folder: Path, *, pairs: int, labelled: int, groups: int) -> Grounds:
    """anna says “first” on every other of the labelled pairs and the judge on all, dealt to groups in turn."""
    project, rows = preference_project(), []
    for number in range(pairs):
        pair = {"group": f"g{number % groups}"}
        rows.append(on_a_pair(f"q{number}", "first", judge="judge-m", **pair))
        if number < labelled:
            rows.append(on_a_pair(f"q{number}", "second" if number % 2 else "first", **pair))
    bring(project, folder, *rows)
    return grounds(project, material_of(project, "preference"), Judge.objects.get(), Today(project))


def overall(found: Grounds) -> list[tuple[str, float | None]]:
    return [(row.author, row.columns["overall"].corrected.value) for row in corrected_means(table_of(found))]


def test_groups_with_too_few_labels_are_taken_together(tmp_path: Path) -> None:
    """Twelve pairs in eleven groups: each author has won half of them."""
    found = grounds_of(tmp_path, pairs=12, labelled=12, groups=11)
    assert overall(found) == [("model-a", 0.5), ("model-b", 0.5)]
    assert is_without_tasks(table_of(found), found.scored)


def test_groups_with_labels_enough_stay_apart(tmp_path: Path) -> None:
    found = grounds_of(tmp_path, pairs=12, labelled=12, groups=3)
    assert len(table_of(found).cells) == 3
    assert not is_without_tasks(table_of(found), found.scored)


def test_a_study_may_draw_more_of_small_groups_so_that_they_are_not_taken_together(tmp_path: Path) -> None:
    files = grounds_of(tmp_path, pairs=40, labelled=15, groups=20)
    assert [value is None for _author, value in overall(files)] == [False, False]
    assert overall(replace(files, drawn=True)) == [("model-a", None), ("model-b", None)]


@pytest.mark.parametrize("labelled", [12, 16])
def test_no_corrected_mean_leaves_the_scale(tmp_path: Path, labelled: int) -> None:
    """People take the first answer in all but one or two pairs: a symmetric interval would pass 100 %."""
    project, rows = preference_project(), []
    for number in range(30):
        rows.append(on_a_pair(f"q{number}", "second" if number % 9 == 4 else "first", judge="judge-m"))
        if number < labelled:
            rows.append(on_a_pair(f"q{number}", "second" if number == 4 else "first"))
    bring(project, tmp_path, *rows)
    found = grounds(project, material_of(project, "preference"), Judge.objects.get(), Today(project))
    for row in corrected_means(table_of(found)):
        for column in row.columns.values():
            for each in (column.corrected, column.labelled_only, column.judged_only):
                assert each.value is not None
                assert each.low is None or 0 <= each.low <= each.value <= (each.high or 0) <= 1
