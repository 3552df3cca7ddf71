import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.items import actions
from annotate.models import Item, Project
from judging.boards.statistics.numbers import statistics, table, with_label, with_length
from tests.support.judged import CORRECTION, MAINTENANCE, decided_item
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


def counts(project: Project, name: str, state: str = "") -> dict[str, int]:
    found = {each.name: each for each in statistics(table(project), state).labels}[name]
    return {each.value: each.n for each in found.counts}


def test_labels_are_counted_and_lead_to_their_items(project: Project) -> None:
    first = decided_item(project, CORRECTION, error_type=["Factual Error", "Logical Error"])
    second = decided_item(project, MAINTENANCE, task_type="Reasoning")
    assert counts(project, "task_type") == {"Coding": 1, "Reasoning": 1}
    assert counts(project, "error_type") == {"Factual Error": 1, "Logical Error": 1}
    assert with_label(table(project), "error_type", "Logical Error").tolist() == [first.pk]
    assert with_label(table(project), "task_type", "Reasoning").tolist() == [second.pk]
    assert with_label(table(project), "password", "x").tolist() == []


def test_shares_are_of_the_items_that_have_a_value(project: Project) -> None:
    decided_item(project, CORRECTION, error_type=["Factual Error", "Logical Error"])
    decided_item(project, CORRECTION)
    decided_item(project, MAINTENANCE)  # has no deficiency
    (found,) = (each for each in statistics(table(project)).labels if each.name == "error_type")
    assert (found.n, [each.share for each in found.counts]) == (2, [1.0, 0.5])


def test_a_state_narrows_everything(project: Project) -> None:
    gone, _kept = decided_item(project, CORRECTION), decided_item(project, CORRECTION, task_type="Reasoning")
    actions.drop(gone, by=make_member(project, "lead").user, reason="other")
    assert counts(project, "task_type", "accepted") == {"Reasoning": 1}
    assert counts(project, "task_type", "dropped") == {"Coding": 1}
    assert with_label(table(project), "task_type", "Coding", "accepted").tolist() == []


def test_items_without_a_text_count_by_their_facts_only(project: Project) -> None:
    make_item(project)
    decided_item(project, CORRECTION)
    found = statistics(table(project))
    assert (found.n, found.undecided) == (2, 1)
    measured = {each.name: each.summary.n for each in found.lengths if each.unit == "characters"}
    assert measured == {"user_query": 2, "origin_first_response": 2, "feedback": 1}


def test_lengths_are_characters_and_estimated_tokens(project: Project) -> None:
    item = decided_item(project, CORRECTION, feedback="火星有两颗卫星 Mars")  # 7 wide ones and 5 others: 7 + 2 tokens
    found = {(each.name, each.unit): each.summary.median for each in statistics(table(project)).lengths}
    assert (found["feedback", "characters"], found["feedback", "tokens"]) == (12, 9)
    assert with_length(table(project), "feedback", "characters", 12, 13).tolist() == [item.pk]
    assert with_length(table(project), "feedback", "characters", 13, None).tolist() == []
    assert with_length(table(project), "nothing", "characters", 0, None).tolist() == []


def test_a_text_that_only_later_items_have_is_theirs(project: Project) -> None:
    decided_item(project, CORRECTION)
    later = decided_item(project, CORRECTION, reference_first_response="Two.")
    decided_item(project, CORRECTION)
    found = with_length(table(project), "reference_first_response", "characters", 0, None)
    assert found.tolist() == [later.pk]


def test_what_cannot_be_read_is_counted_apart(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    Item.objects.filter(pk=item.pk).update(facts={"user_query": 7})
    found = table(project)
    assert (found.unread, found.ids.size) == (1, 1)


def test_calibration_items_are_no_part_of_the_dataset(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    Item.objects.filter(pk=item.pk).update(purpose="calibration")
    assert table(project).ids.size == 0


def test_it_is_read_again_only_where_something_changed(project: Project) -> None:
    item = decided_item(project, CORRECTION)
    table(project)
    with CaptureQueriesContext(connection) as queries:
        table(project)
    assert len(queries) == 1
    actions.drop(item, by=make_member(project, "lead").user, reason="other")
    assert counts(project, "task_type", "dropped") == {"Coding": 1}
