from collections import Counter
from datetime import date, timedelta

import pytest
from django.utils import timezone

from annotate.items import leases, queue
from annotate.items.queries import ItemFilters, day_begins, matching
from annotate.models import Annotation, Event, Item, Slot
from annotate.project import overview
from annotate.project.overview import AcceptancePace, Day
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db
TODAY = date(2024, 5, 15)


@pytest.fixture
def case() -> Case:
    return make_case()


def accepted_on(case: Case, key: str, *days: date, purpose: str = "work") -> Item:
    item = Item.objects.create(project=case.project, key=key, facts={}, content_hash=key, purpose=purpose)
    for day in days:
        at = day_begins(day) + timedelta(hours=12)
        Event.objects.create(item=item, project=case.project, verb="accepted", at=at)
    return item


def listed(case: Case, **filters: object) -> int:
    return matching(case.project, ItemFilters(purpose="work", **filters)).count()


def test_states_count_work_items_only(case: Case) -> None:
    case.item("a")
    case.item("b")
    Item.objects.filter(key="b").update(purpose="gold")
    found = overview.states(case.project)
    assert (found.counts, found.aside, found.total, found.undecided) == (Counter(ready=1), 1, 1, 1)


def test_the_pace_counts_distinct_items_by_day(case: Case) -> None:
    accepted_on(case, "today", TODAY)
    accepted_on(case, "twice", TODAY - timedelta(days=1), TODAY)
    accepted_on(case, "before", TODAY - timedelta(days=7))
    accepted_on(case, "too long ago", TODAY - timedelta(days=14))
    accepted_on(case, "gold", TODAY, purpose="gold")
    pace = overview.pace(case.project, TODAY)
    assert [day.accepted for day in pace.days] == [0] * 6 + [1] + [0] * 5 + [1, 2]
    assert (pace.week, pace.week_before) == (2, 1)


def test_every_figure_of_the_pace_is_the_list_it_links_to(case: Case) -> None:
    accepted_on(case, "a", TODAY, TODAY - timedelta(days=3))
    accepted_on(case, "b", TODAY - timedelta(days=9))
    pace = overview.pace(case.project, TODAY)
    assert pace.week == listed(case, event="accepted", since=pace.since, until=TODAY)
    assert pace.week_before == listed(case, event="accepted", since=pace.before_since, until=pace.before_until)
    for day in pace.days:
        assert day.accepted == listed(case, event="accepted", since=day.date, until=day.date)


def steady(per_day: int) -> AcceptancePace:
    return AcceptancePace(
        [Day(TODAY - timedelta(days=back), per_day) for back in range(13, -1, -1)], 7 * per_day, 7 * per_day
    )


def test_a_steady_pace_has_one_end() -> None:
    found = overview.forecast(20, steady(4), TODAY)
    assert found is not None
    assert found.early == found.late == TODAY + timedelta(days=5)


def test_one_busy_day_says_only_when_it_will_not_be_done() -> None:
    days = [Day(TODAY, 0)] * 13 + [Day(TODAY, 28)]
    found = overview.forecast(28, AcceptancePace(days, 28, 0), TODAY)
    assert found is not None
    assert found.early > TODAY
    assert found.late is None


def test_no_pace_and_nothing_to_do_have_no_forecast() -> None:
    assert overview.forecast(20, steady(0), TODAY) is None
    assert overview.forecast(0, steady(4), TODAY) is None


def test_leases_end_soonest_first(case: Case) -> None:
    for key in ("a", "b"):
        queue.claim(case.open_slot(case.item(key), "annotate").pk, case.member(case.annotator))
    now = timezone.now()
    Slot.objects.filter(item__key="b").update(lease_until=now - timedelta(minutes=1))
    found = overview.leases(case.project, now)
    assert [slot.item.key for slot in found.shown] == ["b", "a"]
    assert (found.count, found.overdue) == (2, 1)


def test_waiting_longest_is_the_oldest_undecided_work(case: Case) -> None:
    now = timezone.now()
    for key, days in (("young", 1), ("old", 5), ("gold", 9), ("done", 9)):
        case.item(key)
        Item.objects.filter(key=key).update(changed_at=now - timedelta(days=days))
    Item.objects.filter(key="gold").update(purpose="gold")
    Item.objects.filter(key="done").update(state="accepted")
    waiting = overview.waiting_longest(case.project)
    assert waiting is not None
    assert waiting.key == "old"


def test_drafts_without_a_lease_are_counted_by_item(case: Case) -> None:
    item = case.item()
    slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    assert slot is not None
    Annotation.objects.create(item=item, slot=slot, author=case.annotator, draft={}, revision=1)
    assert overview.left_draft_count(case.project) == 0
    leases.release(slot, slot.token)
    assert overview.left_draft_count(case.project) == 1 == listed(case, drafts="left")
