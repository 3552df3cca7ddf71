"""Votes, verdicts and fields compared on SQLite and on PostgreSQL: the same units, the same numbers."""

import pytest

from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.quick]
SET_UP = """
import tempfile
from pathlib import Path
from judging.ratings.comparisons import by_field, compare_raters
from judging.ratings.rating_subjects import comparison_options, subjects
from judging.ratings.tables import unit_table
from tests.support.people import DRAFT, make_item, make_member, make_project
from tests.support.studies import vote
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

votes, folder = preference_project(), Path(tempfile.mkdtemp())
for place, (anna, bo) in enumerate((("first", "first"), ("first", "tie"), ("second", "second"))):
    bring(votes, folder, on_a_pair(f"q{place}", anna), on_a_pair(f"q{place}", bo, rater="bo"), *by_judge(f"q{place}"))
twice = make_project(slug="twice", overlap=2, reviews=0)
make_item(twice)
for person in range(2):
    vote(make_member(twice, "annotator"), DRAFT | ({"error_type": ["Logical Error"]} if person else {}))

(preferences,) = subjects(votes)
options = comparison_options(preferences, coefficient="percent", by="author")
told = compare_raters(votes, unit_table(votes, preferences), options)
fields = subjects(twice)
result = [
    [told.people.units, round(told.people.chosen.one.value, 4), round(told.judges[0].chosen.other.value, 4)],
    [[one.slice, one.units] for one in told.slices],
    [[str(one.subject.slug), one.people.units, one.people.chosen.one.value]
     for one in by_field(twice, fields, comparison_options(fields[0], coefficient="percent"))],
]
"""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_both_databases_give_the_same_numbers(installations: Installations, database: str) -> None:
    """People say the same on 2 of 3; the judge says `first` on all: with anna 2 of 3, with bo 1 of 3, mean 1/2."""
    with installations.migrated(database) as installation:
        numbers, slices, fields = installation.python(SET_UP)
    assert numbers == [3, 0.6667, 0.5]
    assert slices == [["model-a", 3], ["model-b", 3]]
    said = {slug: (units, value) for slug, units, value in fields}
    assert said["field:error_type"] == (1, 0)
    assert said["field:task_type"] == (1, 1)
