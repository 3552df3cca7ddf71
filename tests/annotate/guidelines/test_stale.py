from typing import Any

import pytest

from annotate.guidelines.stale import ACCEPTED, UNDER_WAY, StaleFilters, since, stale, without_version
from annotate.models import Item
from tests.support.guidelines import accepted, new_version
from tests.support.reviews import FACTS, Case

pytestmark = pytest.mark.django_db
FIRST = "Be kind.\n# Code {groups: Coding}\nName the line.\n# Deficiencies {fields: error_type}\nOne each."


@pytest.fixture
def ruled(case: Case) -> Case:
    """Version 2 has sections; k-code and k-riddle were accepted under it."""
    new_version(case.project, FIRST, by=case.lead)
    accepted(case, "k-code", group="Coding")
    accepted(case, "k-riddle", group="Reasoning")
    return case


def keys(case: Case, **filters: Any) -> list[str]:
    guideline = case.project.guideline
    assert guideline is not None
    return sorted(item.key for item in stale(since(guideline), StaleFilters(**filters)))


def test_nothing_is_stale_before_anything_changes(ruled: Case) -> None:
    assert keys(ruled) == []


def test_a_section_about_a_group_makes_the_items_of_that_group_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("line.", "line and why."), by=ruled.lead)
    assert keys(ruled) == ["k-code"]


def test_a_section_about_everything_makes_all_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("kind.", "kinder."), by=ruled.lead)
    assert keys(ruled) == ["k-code", "k-riddle"]


def test_a_section_about_a_field_makes_items_stale_that_have_it(ruled: Case) -> None:
    item = accepted(ruled, "k-none")
    without = {name: value for name, value in item.base.draft.items() if name != "error_type"}  # type: ignore[union-attr]
    type(item.base).objects.filter(pk=item.base_id).update(draft=without)  # type: ignore[union-attr]
    new_version(ruled.project, FIRST.replace("One each.", "Up to three."), by=ruled.lead)
    assert keys(ruled) == ["k-code", "k-riddle"]


def test_a_section_that_moves_to_another_group_makes_both_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("groups: Coding", "groups: Reasoning"), by=ruled.lead)
    assert keys(ruled) == ["k-code", "k-riddle"]


def test_what_is_reworded_and_put_back_makes_nothing_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("line.", "line and why."), by=ruled.lead)
    new_version(ruled.project, FIRST, by=ruled.lead)
    assert keys(ruled) == []


def test_an_item_written_after_the_change_is_not_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("kind.", "kinder."), by=ruled.lead)
    accepted(ruled, "k-new", group="Coding")
    assert "k-new" not in keys(ruled)


def test_an_item_without_a_group_may_be_of_any(ruled: Case) -> None:
    Item.objects.filter(key="k-riddle").update(group="")
    new_version(ruled.project, FIRST.replace("line.", "line and why."), by=ruled.lead)
    assert keys(ruled) == ["k-code", "k-riddle"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"group": "Coding"}, ["k-code"]),
        ({"q": "riddle"}, ["k-riddle"]),
        ({"section": "Code"}, ["k-code"]),
        ({"section": "No such"}, []),
        ({"version": 2}, ["k-code", "k-riddle"]),
        ({"version": 1}, []),
        ({"language": "zh"}, []),
    ],
)
def test_the_list_is_narrowed(ruled: Case, filters: dict[str, Any], found: list[str]) -> None:
    new_version(ruled.project, FIRST.replace("kind.", "kinder.").replace("line.", "line and why."), by=ruled.lead)
    assert keys(ruled, **filters) == found


def test_what_is_under_review_is_a_list_of_its_own(ruled: Case) -> None:
    ruled.written(ruled.item("k-review"))
    new_version(ruled.project, FIRST.replace("kind.", "kinder."), by=ruled.lead)
    assert keys(ruled, state=UNDER_WAY) == ["k-review"]
    assert "k-review" not in keys(ruled, state=ACCEPTED)


@pytest.mark.parametrize("purpose", ["gold", "calibration", "attention"])
def test_items_that_check_people_are_not_listed(ruled: Case, purpose: str) -> None:
    Item.objects.filter(key="k-code").update(purpose=purpose)
    new_version(ruled.project, FIRST.replace("kind.", "kinder."), by=ruled.lead)
    assert keys(ruled) == ["k-riddle"]


def test_an_item_says_why_it_is_stale(ruled: Case) -> None:
    new_version(ruled.project, FIRST.replace("kind.", "kinder.").replace("line.", "line and why."), by=ruled.lead)
    found = since(ruled.project.guideline)  # type: ignore[arg-type]
    assert [one.title for one in found.why(2, "Coding")] == ["", "Code"]
    assert [one.title for one in found.why(2, "Reasoning")] == [""]


def test_imported_items_have_no_version_and_are_counted(ruled: Case) -> None:
    Item.objects.create(project=ruled.project, key="i", facts=FACTS, content_hash="i", state="accepted")
    assert without_version(ruled.project.guidelines.first()) == 1
