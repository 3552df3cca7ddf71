from collections import Counter
from datetime import date, timedelta

import pytest
from django.utils import timezone

from annotate.models import Annotation, Event, Item, Skip, Slot
from annotate.services import overview, queue, reviewing
from annotate.services.item_lists import Filters, day_begins, matching
from annotate.services.overview import Day, Pace, Share
from annotate.services.reviewing import Reason
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
    return matching(case.project, Filters(purpose="work", **filters)).count()


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


def steady(per_day: int) -> Pace:
    return Pace([Day(TODAY - timedelta(days=back), per_day) for back in range(13, -1, -1)], 7 * per_day, 7 * per_day)


def test_a_steady_pace_has_one_end() -> None:
    found = overview.forecast(20, steady(4), TODAY)
    assert found is not None
    assert found.early == found.late == TODAY + timedelta(days=5)


def test_one_busy_day_says_only_when_it_will_not_be_done() -> None:
    days = [Day(TODAY, 0)] * 13 + [Day(TODAY, 28)]
    found = overview.forecast(28, Pace(days, 28, 0), TODAY)
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


def reviewed(case: Case, key: str, *, back: bool) -> None:
    review = case.under_review(key)
    if back:
        reviewing.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("", "no")])
    else:
        reviewing.accept(review=review, token=review.slot.token, by=case.reviewer)


def test_returns_count_items_by_author_and_by_group(case: Case) -> None:
    for key, back in (("a", True), ("b", True), ("c", False)):
        reviewed(case, key, back=back)
    Item.objects.filter(key="a").update(group="Coding")
    (person,) = overview.returned_by_person(case.project)
    assert (person.name, person.sent_back) == ("annotator", Share(2, 3))
    assert person.sent_back.n == listed(case, reviewed=person.key)
    assert person.sent_back.hits == listed(case, returned=person.key)
    groups = {row.name: row.sent_back for row in overview.returned_by_group(case.project)}
    assert groups == {"Coding": Share(1, 1), "": Share(1, 2)}


def test_a_share_of_few_says_so_and_of_none_is_undefined() -> None:
    assert Share(1, 9).too_few
    assert not Share(1, 10).too_few
    assert Share(1, 4).percent == 25
    assert Share(0, 0).percent is None
    assert Share(0, 0).interval is None


def test_skips_count_items_and_people(case: Case) -> None:
    for key, person in (("a", case.annotator), ("b", case.annotator)):
        Skip.objects.create(item=case.item(key), person=person, reason="broken")
    Skip.objects.create(item=Item.objects.get(key="a"), person=case.reviewer, reason="broken")
    (skipped,) = overview.skips(case.project)
    assert (skipped.reason, skipped.label, skipped.items, skipped.people) == ("broken", "Broken", 2, 2)


def test_cost_adds_all_work_on_an_item_and_leaves_out_what_has_no_time(case: Case) -> None:
    for key in ("a", "b", "imported"):
        reviewed(case, key, back=False)
    for key, author, seconds in (("a", 120, 60), ("b", 300, 0), ("imported", 0, 0)):
        written = Annotation.objects.filter(item__key=key)
        written.filter(author=case.annotator).update(active_seconds=author)
        written.filter(author=case.reviewer).update(active_seconds=seconds)
    case.written(case.item("dropped"))
    Annotation.objects.filter(item__key="dropped", author=case.annotator).update(active_seconds=600)
    Item.objects.filter(key="dropped").update(state="dropped", drop_reason="other")
    found = overview.cost(case.project, accepted=3)
    # a: (120 + 60) / 60 = 3 minutes, b: 300 / 60 = 5 minutes
    assert (found.mean, found.median, found.n, found.left_out) == (4, 4, 2, 1)
    assert (found.dropped, found.undecided) == (10, 0)
    assert found.n == listed(case, state="accepted", minutes="counted")
    assert found.left_out == listed(case, state="accepted", minutes="none")


def test_cost_of_nothing_is_undefined(case: Case) -> None:
    found = overview.cost(case.project, accepted=0)
    assert (found.mean, found.median, found.interval, found.n) == (None, None, None, 0)


def test_drafts_without_a_lease_are_counted_by_item(case: Case) -> None:
    item = case.item()
    slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    assert slot is not None
    Annotation.objects.create(item=item, slot=slot, author=case.annotator, draft={}, revision=1)
    assert overview.left_draft_count(case.project) == 0
    queue.release(slot, slot.token)
    assert overview.left_draft_count(case.project) == 1 == listed(case, drafts="left")
