import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lib.stats.averages import AverageCell, ScoreTable, averages, cell_means, columns, items_of

CELLS = [AverageCell("ec", "Coding"), AverageCell("ec", "Reasoning"), AverageCell("rm", "Coding")]
NAN = np.nan


def table(*rows: list[float], cell: list[int], cells: list[AverageCell] = CELLS) -> ScoreTable:
    return ScoreTable([f"author {place}" for place in range(len(rows))], np.array(rows), np.array(cell), cells)


def test_tasks_weigh_alike_however_many_items_they_have() -> None:
    given_table = table([1.0, 0.0, 0.5, 1.0, 0.0], cell=[0, 0, 0, 1, 2])
    # Coding (1 + 0 + 0.5) / 3 = 0.5, Reasoning 1, so ec 0.75; rm 0; overall (0.5 + 1 + 0) / 3, not (0.75 + 0) / 2
    assert averages(cell_means(given_table), CELLS)[0] == pytest.approx([0.75, 0.0, 0.5])
    assert columns(CELLS) == ["ec", "rm", "overall"]
    assert items_of(given_table) == [4, 1, 5]


def test_a_cell_without_items_is_left_out() -> None:
    found = averages(cell_means(table([1.0, 0.0], cell=[0, 2])), CELLS)[0]
    assert found == pytest.approx([1.0, 0.0, 0.5])  # ec: Coding alone; overall: two cells


def test_a_scenario_without_items_has_no_average() -> None:
    found = averages(cell_means(table([1.0, NAN], [NAN, NAN], cell=[0, 2])), CELLS)
    assert found[0] == pytest.approx([1.0, NAN, 1.0], nan_ok=True)
    assert np.isnan(found[1]).all()


def test_nothing_at_all_has_no_average() -> None:
    empty = table(cell=[], cells=[])
    assert averages(cell_means(ScoreTable([], np.empty((0, 0)), empty.cell, [])), []).shape == (0, 1)


def test_items_without_a_scenario_have_the_overall_average_only() -> None:
    cells = [AverageCell("", "Coding"), AverageCell("", "Reasoning")]
    assert columns(cells) == ["overall"]
    assert averages(cell_means(table([1.0, 0.0, 0.0], cell=[0, 0, 1], cells=cells)), cells)[0] == pytest.approx([0.25])


def test_a_part_has_only_its_items_and_of_only_common_ones() -> None:
    whole = table([1.0, 0.0, NAN], [0.0, NAN, 1.0], cell=[0, 1, 2])
    assert whole.part(np.array([False, True, True])).values[0].tolist()[0] == 0.0
    assert whole.of(1, 0).values.tolist() == [[0.0], [1.0]]
    assert whole.of(1, 0).authors == ["author 1", "author 0"]


@given(arrays(float, (2, 12), elements=st.floats(0, 1)), st.permutations(range(12)))
def test_averages_lie_between_the_scores_and_do_not_depend_on_order(values: np.ndarray, order: list[int]) -> None:
    cell = np.arange(12) % 3
    found = averages(cell_means(ScoreTable(["a", "b"], values, cell, CELLS)), CELLS)
    shuffled = averages(cell_means(ScoreTable(["a", "b"], values[:, order], cell[order], CELLS)), CELLS)
    assert found == pytest.approx(shuffled)
    assert found.min() >= values.min() - 1e-12
    assert found.max() <= values.max() + 1e-12


@given(arrays(float, (3, 12), elements=st.one_of(st.floats(0, 1), st.just(NAN))))
def test_it_is_what_plain_loops_say(values: np.ndarray) -> None:
    cell = np.arange(12) % 3
    found = averages(cell_means(ScoreTable(["a", "b", "c"], values, cell, CELLS)), CELLS)
    for author in range(3):
        means = [
            [each for each, at in zip(values[author], cell, strict=True) if at == c and each == each] for c in range(3)
        ]
        means = [sum(each) / len(each) if each else None for each in means]
        for column, wanted in enumerate([[0, 1], [2], [0, 1, 2]]):
            there = [means[c] for c in wanted if means[c] is not None]
            expected = sum(there) / len(there) if there else NAN
            assert found[author, column] == pytest.approx(expected, nan_ok=True)
