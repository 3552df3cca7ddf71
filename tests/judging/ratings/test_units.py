"""Units and their names: what files and JSON have is what the code reads back, and nothing else reads names."""

import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.ratings.units import AnswerUnit, ItemUnit, NamedUnit, PairUnit, Unit, parse_unit
from lib.stats.agreement import coefficients, ratings

NAMES: dict[str, Unit] = {
    "answer/12": AnswerUnit(12),
    "answer/12/3": AnswerUnit(12, "3"),
    "answer/12/Clarity/Style": AnswerUnit(12, "Clarity/Style"),
    "pair/12/13": PairUnit(12, 13),
    "pair/13/12": PairUnit(13, 12),
    "pair/12/13/Clarity": PairUnit(12, 13, "Clarity"),
    "item/4": ItemUnit(4),
    "item/4/axis\nof two lines": ItemUnit(4, "axis\nof two lines"),
    "answer/012": NamedUnit("answer/012"),
    "answer/12/": NamedUnit("answer/12/"),
    "answer/١٢": NamedUnit("answer/١٢"),
    "pair/12": NamedUnit("pair/12"),
    "17": NamedUnit("17"),
}
ROOT = Path(__file__).resolve().parents[3]
NUMBERS = st.integers(1, 10**6)
AXES = st.text(max_size=5)
UNITS = st.one_of(
    st.builds(AnswerUnit, NUMBERS, AXES),
    st.builds(PairUnit, NUMBERS, NUMBERS, AXES),
    st.builds(ItemUnit, NUMBERS, AXES),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read_as_one_unit_which_gives_the_name_back(name: str) -> None:
    assert parse_unit(name) == NAMES[name]
    assert str(parse_unit(name)) == name


@given(UNITS)
def test_every_unit_is_read_back_from_its_name_and_from_the_cache(unit: Unit) -> None:
    assert parse_unit(str(unit)) == unit
    assert pickle.loads(pickle.dumps(unit)) == unit


@given(st.text(max_size=20))
def test_any_name_of_a_file_comes_back_as_it_was(name: str) -> None:
    assert str(parse_unit(name)) == name


@given(st.lists(UNITS))
def test_units_are_sorted_as_their_names_are(units: list[Unit]) -> None:
    assert [str(unit) for unit in sorted(units)] == sorted(map(str, units))


def test_units_of_different_sorts_are_never_equal() -> None:
    assert len({AnswerUnit(4), ItemUnit(4), NamedUnit("answer/4"), PairUnit(4, 4)}) == 4


def test_a_pair_is_named_with_the_smaller_number_first() -> None:
    assert PairUnit.of(13, 12) == PairUnit.of(12, 13) == PairUnit(12, 13)


def test_a_unit_that_nobody_turned_into_its_name_is_no_json() -> None:
    with pytest.raises(TypeError):
        json.dumps(AnswerUnit(12))


def test_units_and_their_names_are_resampled_alike() -> None:
    """9 and 10 stand in another order as names than as numbers: the draws must not know the difference."""
    rows = [(AnswerUnit(no), rater, no * (3 if rater == "a" else 5) % 4) for no in range(1, 30) for rater in "ab"]
    by_unit = coefficients(ratings(rows, "interval"), resamples=50)
    by_name = coefficients(ratings([(str(unit), *rest) for unit, *rest in rows], "interval"), resamples=50)  # type: ignore[misc]
    assert by_unit == by_name
    assert by_unit["krippendorff_alpha"].low is not None


def test_no_other_module_builds_or_reads_names_of_units() -> None:
    """Subjects of jobs are stored text of their own, made in judging/verdicts."""
    names = re.compile(r"""f"(answer|pair|item)/\{|(prefix|startswith)\(f?"(answer|pair|item)/|\.r?split\("/""")
    paths = [*ROOT.glob("judging/ratings/*.py"), *ROOT.glob("judging/boards/**/*.py")]
    wrong = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        if path.name != "units.py"
        for line in path.read_text().splitlines()
        if names.search(line)
    ]
    assert wrong == []
