from datetime import date
from typing import Any

import pytest

from annotate.items.queries import ItemFilters
from annotate.models import Event, Item, Run
from annotate.runs.item_selection import chosen_items, filters_of, skipped_items, stored
from tests.support.people import make_item, make_project
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


def run_over(items: dict[str, Any], **options: Any) -> Run:
    return make_run(make_project(), options={"items": items, **options})


def test_filters_come_back_as_they_were_stored() -> None:
    filters = ItemFilters(q="moon", priority=2, event="accepted", since=date(2026, 3, 1), until=date(2026, 3, 9))
    told = stored(filters)
    assert told == {"q": "moon", "priority": 2, "event": "accepted", "since": "2026-03-01", "until": "2026-03-09"}
    assert filters_of(run_over(told)) == filters


def test_what_is_no_filter_any_more_is_passed_over() -> None:
    assert filters_of(run_over({"q": "moon", "gone": "x"})) == ItemFilters(q="moon")
    assert filters_of(make_run(make_project(), options={})) == ItemFilters()


def test_items_are_chosen_by_the_filters_and_never_decided_ones() -> None:
    run = run_over({"language": "zh"})
    wanted = make_item(run.project, language="zh")
    for columns in ({"state": "accepted"}, {"state": "dropped", "drop_reason": "other"}, {"language": "en"}):
        item = make_item(run.project, language="zh")
        Item.objects.filter(pk=item.pk).update(**columns)
    make_item(make_project(), language="zh")
    assert list(chosen_items(run)) == [wanted]


def test_accepted_items_are_chosen_where_the_purpose_takes_them() -> None:
    run = run_over({})
    Run.objects.filter(pk=run.pk).update(purpose="classify")
    run.refresh_from_db()
    accepted = make_item(run.project)
    Item.objects.filter(pk=accepted.pk).update(state="accepted")
    assert list(chosen_items(run)) == [accepted]
    make_jobs(run, items=[accepted], pending=1)
    assert skipped_items(run, 1) == []


def test_items_are_chosen_by_what_happened_to_them() -> None:
    run = run_over({"event": "returned", "since": "2026-03-01"})
    item, _other = make_item(run.project), make_item(run.project)
    Event.objects.create(project=run.project, item=item, verb="returned")
    assert list(chosen_items(run)) == [item]


def test_every_item_that_is_left_out_has_a_reason() -> None:
    run = run_over({}, limit=2)
    items = [make_item(run.project) for _ in range(5)]
    for item, state in zip(items, ("accepted", "dropped", "ready", "ready", "ready"), strict=True):
        Item.objects.filter(pk=item.pk).update(state=state, drop_reason="other" if state == "dropped" else "")
    make_jobs(run, items=items[2:4], pending=2)
    assert [(str(one.reason), one.items, one.state) for one in skipped_items(run, 2)] == [
        ("already accepted", 1, "accepted"),
        ("dropped", 1, "dropped"),
        ("over the limit", 1, ""),
    ]


def test_items_with_nothing_to_ask_are_told_apart_from_the_limit() -> None:
    run = run_over({}, limit=9)
    make_jobs(run, items=[make_item(run.project) for _ in range(3)][:1], pending=1)
    assert [(str(one.reason), one.items) for one in skipped_items(run, 1)] == [("nothing to ask about them", 2)]
