import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.items import actions, queue
from annotate.people.members import Figures, member_rows
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def figures(case: Case) -> dict[str, Figures]:
    return {row.member.user.username: row.figures for row in member_rows(case.project)}


def test_what_each_person_holds_and_has_done(case: Case) -> None:
    case.written(case.item("done"))
    queue.claim(case.open_slot(case.item("held"), "annotate").pk, case.member(case.annotator))
    actions.assign(case.item("kept"), to=case.member(case.annotator), by=case.lead)
    found = figures(case)
    mine = found["annotator"]
    assert (mine.held, mine.assigned, mine.items, mine.total, mine.today) == (1, 1, 1, 1, 1)
    assert mine.last_work is not None
    assert found["viewer"] == Figures()


def test_an_item_handed_in_twice_is_one_item_and_two_submissions(case: Case) -> None:
    item = case.item()
    case.written(item)
    actions.requeue(item, by=case.lead)
    item.refresh_from_db()
    case.written(item)
    mine = figures(case)["annotator"]
    assert (mine.items, mine.total) == (1, 2)


def test_the_number_of_queries_does_not_grow(case: Case, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(4):
        member_rows(case.project)
