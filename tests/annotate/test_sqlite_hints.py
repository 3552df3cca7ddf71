"""The plans that statements dictate to SQLite, without statistics and with those of 200,000 items."""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.db.models import F

from annotate.doors import waiting
from annotate.items import queue
from annotate.items.queries import ItemFilters, count_up_to, left_drafts, matching, reviews, to_count
from annotate.models import Annotation, Item, Project, Slot
from annotate.project import home, overview
from annotate.review import claim
from annotate.sqlite_hints import Unindexed, by_primary_key
from annotate.work import progress
from tests.support.desks import colleague
from tests.support.people import make_project
from tests.support.sqlite_statistics import set_statistics

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[False, True], ids=["not analysed", "analysed"])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    if request.param:
        set_statistics()
    yield make_project(slug="p")
    if request.param:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_stat1")
            cursor.execute("ANALYZE sqlite_master")


def plan_of(ask: Callable[[], object]) -> str:
    """The plans of all statements that are sent."""
    plans: list[str] = []

    def explain(execute: Callable[..., object], sql: str, params: object, many: bool, context: object) -> object:
        with connection.cursor() as cursor:
            cursor.cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)  # past this wrapper
            plans.extend(str(row[-1]) for row in cursor.cursor.fetchall())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        ask()
    return "\n".join(plans)


def test_left_drafts_are_found_without_the_other_texts(project: Project) -> None:
    plan = plan_of(lambda: overview.left_draft_count(project))
    assert "USING INDEX unfinished_drafts (submitted_at=?" in plan
    assert "slots_by_holder" not in plan


def test_held_slots_are_found_without_the_other_slots(project: Project) -> None:
    plan = plan_of(lambda: list(Slot.objects.held().filter(project=project)))
    assert "USING INDEX held_slots_by_lease (state=? AND project_id=?)" in plan


def test_the_frame_of_a_page_reads_no_slots_but_those_that_wait(project: Project) -> None:
    counts = waiting._COUNTS[True, False]
    plan = plan_of(lambda: counts.rows(user=1, project=project.pk, now=project.created_at))
    assert "slots_by_holder (project_id=?)" not in plan
    assert "SCAN V0" not in plan
    assert "unfinished_drafts (submitted_at=? AND author_id=?)" in plan
    assert "held_slots_by_lease (state=? AND project_id=?)" in plan


@pytest.mark.parametrize("stage", list(Slot.Stage))
def test_the_next_item_is_found_without_all_texts_of_the_person(project: Project, stage: str) -> None:
    now = project.created_at
    candidates = queue.candidates(colleague(project, "reviewer").member, stage, now)
    plan = plan_of(lambda: list(candidates[:32]))
    assert "USING INDEX annotations_newest_first (item_id=?)" in plan
    assert "author_id=?" not in plan


@pytest.mark.parametrize("name", ["returns", "cost"])
def test_returns_and_cost_begin_with_the_latest_items(project: Project, name: str) -> None:
    asked = {"returns": lambda: overview.reviewed(project, [1, 2]), "cost": lambda: overview.cost(project, 0, [1, 2])}
    assert "slots_by_holder" not in plan_of(asked[name])


def test_what_somebody_has_done_is_counted_in_an_index_alone(project: Project) -> None:
    user = colleague(project, "annotator").member.user
    in_one = plan_of(lambda: progress._submitted.count(user=user.pk, project=project.pk))
    in_all = plan_of(lambda: home._slots(user, [project.pk]))
    for plan in (in_one, in_all):
        assert "COVERING INDEX submitted_slots (state=? AND project_id=? AND stage=? AND holder_id=?)" in plan
        assert "annotate_item USING INTEGER PRIMARY KEY" not in plan


@pytest.mark.parametrize("show", claim.LIST_CHOICES)
def test_lists_of_reviews_read_no_slots_but_their_own(project: Project, show: str) -> None:
    member = colleague(project, "reviewer").member
    plan = plan_of(lambda: claim.counts(member, claim.page(member, show)))
    assert "COVERING INDEX submitted_slots (state=? AND project_id=? AND stage=?)" in plan
    assert "open_reviews_in_order (project_id=? AND stage=?)" in plan
    assert "held_slots_by_lease (state=? AND project_id=?)" in plan
    assert "slots_by_holder" not in plan


def test_items_of_a_person_are_listed_by_an_index_alone(project: Project) -> None:
    filters = ItemFilters(by="1")
    plan = plan_of(lambda: list(matching(project, filters).order_by("pk")[:51]))
    assert "COVERING INDEX submitted_slots (state=? AND project_id=? AND stage=? AND holder_id=?)" in plan


def test_items_of_a_state_and_group_are_counted_in_two_indexes(project: Project) -> None:
    Item.objects.create(project=project, key="other group", facts={}, state="accepted", group="b")
    Item.objects.create(project=project, key="other state", facts={}, state="ready", group="a")
    Item.objects.create(project=project, key="k", facts={}, state="accepted", group="a")
    filters = ItemFilters(state="accepted", group="a")
    items = to_count(project, filters, matching(project, filters))
    plan = plan_of(lambda: count_up_to(items))
    assert "COVERING INDEX items_by_state (project_id=? AND state=? AND id=?" in plan
    assert "COVERING INDEX items_by_group (project_id=? AND group=?)" in plan
    assert [item.key for item in items] == ["k"]


def test_texts_that_began_with_a_suggestion_have_an_index(project: Project) -> None:
    plan = plan_of(lambda: list(Annotation.objects.filter(suggestion=3)))
    assert "USING INDEX texts_by_suggestion (suggestion_id=?)" in plan


def test_a_hint_changes_no_result(project: Project) -> None:
    assert not left_drafts(project).exists()
    assert not reviews(project, of_few=True).exists()
    Item.objects.create(project=project, key="k", facts={})
    hinted = Item.objects.alias(of_project=Unindexed(F("project"))).filter(of_project=project.pk)
    assert [item.key for item in hinted] == ["k"]
    assert by_primary_key(Item.objects.all()).filter(pk__in=hinted.values("pk"), key="k").count() == 1
