from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.cache import caches

from annotate.models import Project
from judging.boards.agreement.numbers import compare
from judging.ratings.comparisons import RaterComparison, compare_raters, draws_for
from judging.ratings.opened_units import JUDGES, PAIR, PEOPLE, Number, matrix, units_behind
from judging.ratings.raters import ProjectRatings
from judging.ratings.rating_subjects import comparison_options, subjects
from judging.ratings.tables import Somebody, UnitTable, unit_table
from judging.ratings.units import NamedUnit, Rater, Rating, Unit
from lib.stats.agreement import RESAMPLES
from tests.support.people import make_project
from tests.support.voted import bring, by_judge, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db
# what anna, bo and the judge say of each pair; a dot: nothing
SAID = ("f f f", "f f s", "s f s", "s s s", "f . f", "t . .")
WORDS = {"f": "first", "s": "second", "t": "tie"}


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    caches["local"].clear()
    yield
    caches["local"].clear()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = preference_project()
    for place, said in enumerate(SAID):
        anna, bo, judged = (WORDS.get(one) for one in said.split())
        key, group = f"q{place}", "space" if place % 2 else "law"
        people = [on_a_pair(key, anna, group=group)]
        people += [on_a_pair(key, bo, rater="bo", group=group)] if bo else []
        verdicts = [row | {"group": group} for row in by_judge(key, judged, judged)] if judged else []
        bring(project, tmp_path, *people, *verdicts)
    return project


def read(project: Project, coefficient: str = "percent", by: str = "") -> tuple[UnitTable, RaterComparison]:
    found = unit_table(project, subjects(project)[0])
    wish = replace(comparison_options(found.subject, coefficient=coefficient, by=by), draws=50)
    return found, compare_raters(project, found, wish)


def test_a_judge_is_compared_on_what_it_and_two_people_have_rated(project: Project) -> None:
    """Four units: people 3/4; anna and the judge 3/4, bo and the judge 1/2."""
    _found, told = read(project)
    (row,) = told.judges
    assert (row.units, row.alone) == (4, 1)
    assert row.chosen.one.value == 0.75
    assert row.chosen.other.value == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert told.people.units == 4
    assert told.left_out == {"alone": 1}


def test_each_two_are_what_the_report_says(project: Project) -> None:
    found, told = read(project, "cohen_kappa")
    given = [one for said in found.said.values() for one in said.values()]
    report = compare(project, "preference", ProjectRatings(given), resamples=50, clusters=found.clusters)
    values = {tuple(sorted(r.name for r in each.raters)): each.coefficients["cohen_kappa"] for each in report.pairs}
    assert {tuple(sorted(one.name for one in each.both)): each.chosen for each in told.pairs} == values


@pytest.mark.parametrize(
    ("by", "slices"),
    [
        ("group", {"law": 2, "space": 2}),
        ("author", {"model-a": 4, "model-b": 4}),
        ("person", {"p1": 4, "p2": 4}),
        ("strategy", None),
    ],
)
def test_slices_are_parts_of_the_same_units(project: Project, by: str, slices: dict[str, int] | None) -> None:
    found, told = read(project, by=by)
    units = {row.slice: row.units for row in told.slices}
    assert units == (slices or {found.judges[0].strategy: 4})
    for row in told.slices:
        opened = units_behind(project, found, Number(JUDGES, row.judges, by=by, part=row.slice))
        assert len(opened) == row.units


def test_every_number_opens_as_many_units_as_it_says(project: Project) -> None:
    found, told = read(project)
    assert len(units_behind(project, found, Number(PEOPLE))) == told.people.units
    for row in told.judges:
        assert len(units_behind(project, found, Number(JUDGES, row.judges))) == row.units
    for pair in told.pairs:
        assert len(units_behind(project, found, Number(PAIR, pair.both))) == pair.units


def test_the_matrix_counts_pairs_of_ratings(project: Project) -> None:
    """The judge's first meets two firsts; its second an f f, an s f and an s s."""
    found, _told = read(project)
    values, counts = matrix(project, found, Number(JUDGES, found.judges))
    assert values == ["first", "second"]
    assert counts == {("first", "first"): 2, ("first", "second"): 3, ("second", "second"): 3}


def test_people_are_numbered_by_their_first_vote_and_not_by_their_names(tmp_path: Path) -> None:
    project = preference_project()
    bring(project, tmp_path, on_a_pair(rater="zoe"), on_a_pair(rater="abe"))
    found = unit_table(project, subjects(project)[0])
    assert [(one.key, one.name) for one in found.people] == [("p1", "zoe"), ("p2", "abe")]


def test_scores_are_compared_on_the_level_that_is_asked_for(tmp_path: Path) -> None:
    project = make_project(slug="votes", kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    for place, (ana, bo) in enumerate(((1, 1), (2, 3), (5, 4), (3, 3))):
        rows = [on_an_answer(f"q{place}", {"Clarity": score, "Truth": None}, rater=who) for who, score in
                (("ana", ana), ("bo", bo))]  # fmt: skip
        bring(project, tmp_path, *rows)
    found = unit_table(project, subjects(project)[0])
    wish = comparison_options(found.subject, coefficient="mae", level="interval", by="axis")
    told = compare_raters(project, found, wish)
    assert told.people.chosen.one.value == pytest.approx(2 / 4)
    assert [(row.slice, row.units) for row in told.slices] == [("Clarity", 4)]
    assert told.left_out == {"missing": 8}


def test_large_tables_have_all_draws_or_none() -> None:
    subject = type("Any", (), {"slug": "preference"})

    def raters(people: int, units: int) -> UnitTable:
        somebody = [Somebody(f"p{number}", "", number, is_judge=False) for number in range(people)]
        rating = Rating(NamedUnit(""), Rater("person", ""), "tie", item=1)
        said: dict[Unit, dict[str, Rating]] = {NamedUnit(str(unit)): {"p0": rating} for unit in range(units)}
        return UnitTable(subject(), "", somebody, [], said, {})  # type: ignore[arg-type]

    assert draws_for(raters(3, 1000)) == RESAMPLES
    assert draws_for(raters(10, 1000)) == 0
    assert draws_for(raters(70, 1000)) == 0
