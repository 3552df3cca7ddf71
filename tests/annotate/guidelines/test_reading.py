import pytest

from annotate.guidelines import sections
from annotate.items import actions
from annotate.models import Item
from tests.support.guidelines import accepted
from tests.support.people import make_project
from tests.support.reviews import WRITTEN, Case

pytestmark = pytest.mark.django_db
TEXT = """# All
So.
# Code {groups: Coding; fields: feedback}
Name the line.
# Riddles {groups: Reasoning}
Say why.
# Deficiencies {fields: error_type}
One each.
"""


def titles(found: object) -> list[str]:
    return [part.section.title for part in found]  # type: ignore[attr-defined]


def test_the_sections_about_an_item_come_first(case: Case) -> None:
    found = sections.parts(case.project, TEXT)
    about = sections.for_item(found, group="Coding", fields=["feedback", "error_type"])
    assert titles(about.first) == ["Code", "All", "Deficiencies"]
    assert titles(about.rest) == ["Riddles"]


def test_a_section_about_fields_that_the_item_lacks_is_about_others(case: Case) -> None:
    about = sections.for_item(sections.parts(case.project, TEXT), group="Coding", fields=["feedback"])
    assert titles(about.rest) == ["Riddles", "Deficiencies"]


def test_without_a_group_all_may_be_about_it(case: Case) -> None:
    about = sections.for_item(sections.parts(case.project, TEXT), group="", fields=["feedback", "error_type"])
    assert titles(about.first) == ["All", "Code", "Riddles", "Deficiencies"]


def test_badges_say_what_the_form_says(case: Case) -> None:
    case.item()
    _all, code, _riddles, deficiencies = sections.parts(case.project, TEXT)
    assert (code.fields, code.groups, code.is_scoped) == (["Feedback"], ("Coding",), True)
    assert deficiencies.fields == ["Deficiency types"]


def test_an_example_shows_what_was_given_and_what_was_decided(case: Case) -> None:
    accepted(case, "k")
    ((example,),) = [part.examples for part in sections.parts(case.project, "# A {example: k}")]
    assert "kilogram of feathers" in example.facts[0].text
    assert {one.label: one.text for one in example.answer}["Feedback"] == WRITTEN["feedback"]
    assert example.is_shown


def test_an_example_that_is_work_again_shows_nothing(case: Case) -> None:
    item = accepted(case, "k")
    actions.reopen(Item.objects.select_related("project").get(pk=item.pk), by=case.lead)
    ((example,),) = [part.examples for part in sections.parts(case.project, "# A {example: k}")]
    assert (example.is_shown, example.facts, example.answer) == (False, (), ())


def test_an_example_of_another_project_shows_nothing(case: Case) -> None:
    item = accepted(case, "k")
    Item.objects.filter(pk=item.pk).update(project=make_project())
    ((example,),) = [part.examples for part in sections.parts(case.project, "# A {example: k}")]
    assert not example.is_shown


def test_many_examples_cost_one_question(case: Case, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    for number in range(4):
        accepted(case, f"k{number}")
    with django_assert_num_queries(1):
        sections.parts(case.project, "# A {example: k0, k1}\n# B {example: k2, k3}")
