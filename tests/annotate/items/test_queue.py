import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.errors import LeaseLost
from annotate.items import leases, queue
from annotate.models import Annotation, Event, Skip, Slot
from annotate.work import submit
from tests.support.people import make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db


def open_all() -> None:
    """The ten seconds in which a submission may be undone are over."""
    Slot.objects.filter(state="open").update(opens_at=timezone.now() - timedelta(seconds=1))


def test_an_empty_queue_gives_nothing() -> None:
    assert queue.claim_next(make_member(make_project()), "annotate") is None


def test_a_claimed_slot_is_held_under_a_token_and_a_lease() -> None:
    project = make_project(lease_minutes=7)
    make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert (slot.state, slot.holder) == ("held", member.user)
    assert isinstance(slot.token, uuid.UUID)
    assert timedelta(minutes=6) < slot.lease_until - timezone.now() <= timedelta(minutes=7)


def test_what_somebody_holds_already_comes_first_again() -> None:
    project = make_project()
    make_item(project), make_item(project)
    member = make_member(project)
    assert queue.claim_next(member, "annotate") == queue.claim_next(member, "annotate")
    assert Slot.objects.held().count() == 1


def test_two_people_never_get_one_slot() -> None:
    project = make_project()
    make_item(project)
    first, second = make_member(project), make_member(project)
    slot = queue.claim_next(first, "annotate")
    assert queue.claim(slot.pk, second) is None
    assert queue.claim_next(second, "annotate") is None


def test_higher_priority_comes_first() -> None:
    project = make_project()
    make_item(project)
    urgent = make_item(project, priority=5)
    assert queue.claim_next(make_member(project), "annotate").item == urgent


def handed_out(kind: str, n: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The items that one person gets, by their place in the file, where every shuffle reverses."""
    monkeypatch.setattr(queue.random, "shuffle", lambda rows: rows.reverse())
    project = make_project(kind_slug=kind)
    facts = {"facts": {"prompt": "Why?", "first": "So.", "second": "Thus."}} if kind == "preference" else {}
    items = [make_item(project, **facts).pk for _number in range(n)]
    member, order = make_member(project), []
    for _number in range(n):
        slot = queue.claim_next(member, "annotate")
        order.append(items.index(slot.item_id))
        Slot.objects.filter(pk=slot.pk).update(state="done", holder=None, token=None, lease_until=None)
    return order


def test_an_example_of_a_few_rows_comes_in_the_order_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handed_out("feedback", 3, monkeypatch) == [0, 1, 2]


def test_of_many_rows_people_do_not_compete_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handed_out("feedback", queue.FEW + 1, monkeypatch) == [5, 0, 1, 2, 3, 4]


def test_a_few_questions_of_opinion_are_shuffled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handed_out("preference", 3, monkeypatch) == [2, 1, 0]


def test_what_is_reserved_for_me_comes_before_priority() -> None:
    project = make_project()
    member = make_member(project)
    make_item(project, priority=9)
    mine = make_item(project)
    Slot.objects.filter(item=mine).update(reserved_for=member.user)
    assert queue.claim_next(member, "annotate").item == mine


def test_what_came_back_to_me_comes_first_however_long_the_queue_is() -> None:
    project = make_project()
    member = make_member(project)
    for _place in range(queue.WINDOW + 1):
        make_item(project)
    mine = make_item(project)
    Slot.objects.filter(item=mine).update(reserved_for=member.user)
    assert queue.claim_next(member, "annotate").item == mine


def test_what_is_reserved_for_another_is_not_handed_out_until_the_reservation_ends() -> None:
    project = make_project()
    other, member = make_member(project), make_member(project)
    item = make_item(project)
    tomorrow = timezone.now() + timedelta(days=1)
    Slot.objects.filter(item=item).update(reserved_for=other.user, reserved_until=tomorrow)
    assert queue.claim_next(member, "annotate") is None
    Slot.objects.filter(item=item).update(reserved_until=timezone.now())
    assert queue.claim_next(member, "annotate").item == item


def test_a_slot_opens_only_when_its_time_has_come() -> None:
    project = make_project()
    item = make_item(project)
    Slot.objects.filter(item=item).update(opens_at=timezone.now() + timedelta(minutes=1))
    assert queue.claim_next(make_member(project), "annotate") is None


@pytest.mark.parametrize("limit", [{"languages": ["zh"]}, {"groups": ["Coding"]}])
def test_people_get_only_their_languages_and_groups(limit: dict[str, list[str]]) -> None:
    project = make_project()
    make_item(project, language="en", group="Reasoning")
    wanted = make_item(project, language="zh", group="Coding")
    member = make_member(project, **limit)
    assert queue.claim_next(member, "annotate").item == wanted


def test_a_daily_limit_ends_the_day() -> None:
    project = make_project(reviews=0)
    make_item(project), make_item(project)
    member = make_member(project, daily_limit=1)
    slot = queue.claim_next(member, "annotate")
    submit.submit(annotation=written(slot, member), token=slot.token, by=member.user)
    assert queue.claim_next(member, "annotate") is None


def test_a_limit_in_total_holds_without_one_for_the_day() -> None:
    project = make_project(reviews=0)
    make_item(project), make_item(project)
    member = make_member(project, total_limit=1)
    assert not queue.reached_limit(member)
    slot = queue.claim_next(member, "annotate")
    submit.submit(annotation=written(slot, member), token=slot.token, by=member.user)
    assert queue.reached_limit(member)


def test_a_paused_project_hands_out_nothing() -> None:
    project = make_project(paused_at=timezone.now(), paused_reason="The guideline is being rewritten.")
    make_item(project)
    assert queue.claim_next(make_member(project), "annotate") is None


def test_a_skipped_item_never_returns_to_the_skipper_but_to_others() -> None:
    project = make_project()
    item = make_item(project)
    skipper, other = make_member(project), make_member(project)
    slot = queue.claim_next(skipper, "annotate")
    leases.skip(slot, slot.token, person=skipper.user, reason="too_hard")
    assert queue.claim_next(skipper, "annotate") is None
    assert queue.claim_next(other, "annotate").item == item
    assert Skip.objects.get().reason == "too_hard"


def test_what_was_reserved_for_the_skipper_is_reserved_for_nobody() -> None:
    project = make_project()
    make_item(project)
    member = make_member(project)
    until = timezone.now() + timedelta(days=1)
    Slot.objects.update(reserved_for=member.user, reserved_until=until)
    slot = queue.claim_next(member, "annotate")
    leases.skip(slot, slot.token, person=member.user, reason="too_hard")
    skipped = Slot.objects.get()
    assert (skipped.state, skipped.reserved_for, skipped.reserved_until) == ("open", None, None)


def test_an_item_stays_skipped_if_its_slot_cannot_be_claimed_again() -> None:
    project = make_project()
    make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    leases.skip(slot, slot.token, person=member.user, reason="too_hard")
    assert leases.unskip(slot.pk, member, lambda: None) is None
    assert Skip.objects.get().person == member.user


def test_a_text_waits_for_the_other_slots_of_its_stage_and_not_for_its_own() -> None:
    project = make_project(overlap=2, reviews=0)
    make_item(project), make_item(make_project(reviews=0))
    for slot in Slot.objects.all():
        member = make_member(slot.project)
        written(queue.claim(slot.pk, member), member)
    person = make_member(project).user
    assert {text.item.project for text in Annotation.objects.sealed_from(person)} == {project}


def test_with_overlap_nobody_gets_both_slots_of_an_item() -> None:
    project = make_project(overlap=2, reviews=0)
    item = make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    submit.leases.finish(slot, slot.token, member.user_id)
    assert queue.claim_next(member, "annotate") is None
    other = Slot.objects.get(item=item, state="open")
    assert queue.claim(other.pk, member) is None


def test_nobody_is_handed_their_own_work_to_review() -> None:
    project = make_project()
    make_item(project)
    author, reviewer = make_member(project, "reviewer"), make_member(project, "reviewer")
    slot = queue.claim_next(author, "annotate")
    submit.submit(annotation=written(slot, author), token=slot.token, by=author.user)
    open_all()
    review = Slot.objects.get(stage="review")
    assert queue.claim_next(author, "review") is None
    assert queue.claim(review.pk, author) is None
    assert queue.claim_next(reviewer, "review") == review


def test_a_review_opens_after_the_seconds_in_which_the_author_may_undo() -> None:
    project = make_project()
    make_item(project)
    author, reviewer = make_member(project), make_member(project, "reviewer")
    slot = queue.claim_next(author, "annotate")
    submit.submit(annotation=written(slot, author), token=slot.token, by=author.user)
    assert queue.claim_next(reviewer, "review") is None
    open_all()
    assert queue.claim_next(reviewer, "review") is not None


@pytest.mark.parametrize("change", ["extend", "release", "finish"])
def test_nothing_changes_under_a_wrong_token(change: str) -> None:
    project = make_project()
    make_item(project)
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    with pytest.raises(LeaseLost):
        getattr(leases, change)(slot, uuid.uuid4(), *([member.user_id] if change == "finish" else []))
    slot.refresh_from_db()
    assert slot.state == "held"


def test_a_released_slot_is_open_for_everybody_again() -> None:
    project = make_project()
    make_item(project)
    first, second = make_member(project), make_member(project)
    slot = queue.claim_next(first, "annotate")
    leases.release(slot, slot.token)
    assert queue.claim_next(second, "annotate") == slot


def test_a_heartbeat_starts_the_lease_anew() -> None:
    project = make_project()
    make_item(project)
    slot = queue.claim_next(make_member(project), "annotate")
    Slot.objects.update(lease_until=timezone.now())
    assert leases.extend(slot, slot.token) > timezone.now() + timedelta(minutes=29)


def test_expired_leases_return_and_the_old_token_is_worth_nothing() -> None:
    project = make_project()
    make_item(project)
    first, second = make_member(project), make_member(project)
    slot = queue.claim_next(first, "annotate")
    Slot.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.sweep() == 1
    assert queue.claim_next(second, "annotate") == slot
    with pytest.raises(LeaseLost):
        leases.extend(slot, slot.token)


def test_the_history_says_whose_lease_ran_out() -> None:
    project = make_project()
    item = make_item(project)
    member = make_member(project)
    queue.claim_next(member, "annotate")
    leases.sweep(timezone.now() + timedelta(days=1))
    leases.sweep(timezone.now() + timedelta(days=1))
    event = item.events.get(verb="expired")
    assert (event.note, event.actor, event.round, event.to_state) == (str(member.user), None, item.round, "")


def test_a_sweep_of_many_asks_no_more_than_one_of_few() -> None:
    project = make_project()
    counts = []
    for people in (1, 6):
        for number in range(people):
            make_item(project, key=f"{people}-{number}")
            queue.claim_next(make_member(project), "annotate")
        with CaptureQueriesContext(connection) as asked:
            assert leases.sweep(timezone.now() + timedelta(days=1)) == people
        counts.append(len(asked))
        Slot.objects.update(state="void")
    assert counts[0] == counts[1]


def test_a_sweep_goes_on_until_nothing_is_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SWEPT_AT_ONCE", 2)
    project = make_project()
    for number in range(5):
        make_item(project, key=str(number))
        queue.claim_next(make_member(project), "annotate")
    assert leases.sweep(timezone.now() + timedelta(days=1)) == 5
    assert Event.objects.filter(verb="expired").values("item").distinct().count() == 5


def test_a_lead_frees_a_slot_only_from_the_holder_they_saw() -> None:
    project = make_project()
    make_item(project)
    first, second = make_member(project), make_member(project)
    seen = queue.claim_next(first, "annotate")
    leases.release(seen, seen.token)
    queue.claim_next(second, "annotate")
    assert leases.free(seen) is False
    assert Slot.objects.get().holder == second.user
