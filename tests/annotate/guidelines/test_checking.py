import pytest

from annotate.guidelines import sections
from annotate.guidelines.sections import BadGuidelines
from annotate.models import Guideline, Item
from tests.support.guidelines import accepted
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db


def said(case: Case, text: str) -> list[str]:
    return sections.problems(case.project, text)


def test_names_of_the_project_are_taken(case: Case) -> None:
    accepted(case, "gold, 1")
    assert said(case, '# A {fields: feedback, checklist; groups: Coding; example: "gold, 1"}') == []


def test_groups_that_items_have_are_known_too(case: Case) -> None:
    case.item("k-1")
    Item.objects.update(group="Riddles")
    assert said(case, "# A {groups: Riddles}") == []


@pytest.mark.parametrize(
    ("braces", "message"),
    [
        ("{fields: fedback}", "Line 3: there is no field “fedback”. Known: feedback."),
        ("{groups: Codign}", "Line 3: there is no group “Codign”. Known: Coding."),
        ("{example: nobody}", "Line 3: the example “nobody” is not an accepted item of this project."),
        ("{felds: feedback}", "Line 3: “felds” is not recognised; write fields, groups or example."),
        ("{groups:}", "Line 3: “groups” has no value."),
    ],
)
def test_a_name_that_is_unknown_is_refused_with_its_line(case: Case, braces: str, message: str) -> None:
    text = f"Hello.\n\n# A {braces}"
    assert said(case, text) == [message]
    with pytest.raises(BadGuidelines, match="Line 3"):
        sections.write(case.project, text=text, note="", by=case.lead, based_on=1)
    assert Guideline.objects.count() == 1


def test_what_is_handed_down_is_said_once(case: Case) -> None:
    assert len(said(case, "# A {fields: no}\n## B\n## C {groups: Coding}")) == 1


@pytest.mark.parametrize("purpose", ["gold", "attention", "calibration"])
def test_an_item_that_checks_people_is_no_example(case: Case, purpose: str) -> None:
    item = accepted(case, "k")
    assert said(case, "# A {example: k}") == []
    Item.objects.filter(pk=item.pk).update(purpose=purpose)
    assert len(said(case, "# A {example: k}")) == 1


def test_guidelines_without_braces_need_no_question_to_the_database(case: Case, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    with django_assert_num_queries(0):
        assert said(case, "# A\nBe kind.") == []
