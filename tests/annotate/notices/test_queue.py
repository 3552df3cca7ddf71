from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from annotate.models import Delivery, Webhook
from annotate.notices import deliveries as webhook_queue
from annotate.notices import deliveries as webhook_sending
from annotate.notices import webhooks
from annotate.notices.deliveries import (
    ADDRESSES_TRIED,
    LONGEST,
    PATIENCE,
    WAITS,
    DeliveryOutcome,
    deliver,
    leases,
    send_due,
)
from tests.support.people import make_member, make_project
from tests.support.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver, override_settings(WEBHOOK_ORIGINS=[receiver.url]):
        yield receiver


def make_hook(url: str = "https://hooks.invalid/") -> Webhook:
    lead = make_member(make_project(), "lead")
    return Webhook.objects.create(project=lead.project, url=url, secret="s", events=[], created_by=lead.user)


def test_what_waits_is_sent_once(receiver: Receiver) -> None:
    hook = make_hook(receiver.url)
    first, second = webhooks.ping(hook), webhooks.ping(hook)
    assert (send_due(), send_due()) == (2, 0)
    assert [one.headers["Touchstone-Delivery"] for one in receiver.received] == [first.body["id"], second.body["id"]]
    first.refresh_from_db()
    assert (first.status, first.attempts, first.due_at, first.lease_until) == (204, 1, None, None)
    assert first.delivered_at is not None


def test_messages_from_a_leap_of_the_clock_ahead_are_due_when_it_is_set_back() -> None:
    """New ones, and those that wait for another attempt; waiting as long as it should is not a leap."""
    hook, ahead = make_hook(), timedelta(hours=2)
    for attempts, wait in enumerate([timedelta(0), *WAITS]):
        delivery = webhooks.ping(hook)
        due_at = timezone.now() + wait + ahead
        Delivery.objects.filter(pk=delivery.pk).update(attempts=attempts, due_at=due_at)
    skew = timedelta(minutes=1)
    assert webhook_queue.correct_times(timezone.now() + ahead, skew) == 0
    assert webhook_queue.correct_times(timezone.now(), skew) == 1 + len(WAITS)
    assert webhook_queue.due().count() == 1 + len(WAITS)


def test_a_failed_message_waits_longer_each_time_and_is_given_up(receiver: Receiver) -> None:
    receiver.status = 503
    delivery = webhooks.ping(make_hook(receiver.url))
    waited = []
    while not waited or delivery.due_at is not None:
        Delivery.objects.update(due_at=timezone.now())
        before = timezone.now()
        assert send_due() == 1
        delivery.refresh_from_db()
        waited.append(delivery.due_at and delivery.due_at - before)
    assert len(receiver.received) == delivery.attempts == 8
    for real, wanted in zip(waited, WAITS, strict=False):
        assert wanted <= real < wanted + timedelta(seconds=5)
    assert (waited[-1], delivery.status, delivery.delivered_at) == (None, 503, None)
    assert send_due() == 0


def test_attempts_are_spread_over_a_day() -> None:
    assert sorted(WAITS) == WAITS
    assert timedelta(hours=23) < sum(WAITS, timedelta()) < timedelta(hours=25)


def test_a_message_that_arrives_at_last_is_done(receiver: Receiver) -> None:
    receiver.status = 500
    delivery = webhooks.ping(make_hook(receiver.url))
    send_due()
    receiver.status = 200
    Delivery.objects.update(due_at=timezone.now())
    send_due()
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.status, delivery.detail) == (2, 200, "")
    assert delivery.delivered_at is not None


def test_what_is_not_due_waits(receiver: Receiver) -> None:
    webhooks.ping(make_hook(receiver.url))
    Delivery.objects.update(due_at=timezone.now() + timedelta(minutes=1))
    assert (send_due(), webhook_queue.due().exists()) == (0, False)


def test_a_message_is_claimed_by_one_worker() -> None:
    delivery = webhooks.ping(make_hook())
    assert leases.claim(delivery.pk) is not None
    assert leases.claim(delivery.pk) is None
    assert send_due() == 0


def test_the_message_of_a_lost_worker_is_sent_by_another(receiver: Receiver) -> None:
    delivery = webhooks.ping(make_hook(receiver.url))
    leases.claim(delivery.pk)
    Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert send_due() == 1
    delivery.refresh_from_db()
    assert (delivery.attempts, delivery.status) == (2, 204)


def test_a_worker_that_was_taken_for_dead_writes_nothing_down(receiver: Receiver) -> None:
    late = leases.claim(webhooks.ping(make_hook(receiver.url)).pk)
    assert late is not None
    Delivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    receiver.status = 500
    current = leases.claim(late.pk)
    assert current is not None
    deliver(late)
    current.refresh_from_db()
    assert (current.status, current.attempts) == (None, 2)


def test_a_lease_outlives_the_longest_attempt() -> None:
    assert leases.length.total_seconds() > LONGEST + ADDRESSES_TRIED * PATIENCE


def test_one_that_fails_does_not_hold_up_the_others(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    dead, living = make_hook("https://dead.invalid/"), make_hook(receiver.url)
    for hook in (dead, dead, living, dead, living):
        webhooks.ping(hook)
    tried: list[str] = []

    def counted(delivery: Delivery) -> DeliveryOutcome:
        tried.append(delivery.webhook.url)
        return DeliveryOutcome(204 if delivery.webhook_id == living.pk else None)

    monkeypatch.setattr(webhook_sending, "send", counted)
    assert send_due() == 3
    assert tried == [dead.url, living.url, living.url]


def test_what_is_switched_off_is_sent_nothing_until_it_is_on_again(receiver: Receiver) -> None:
    hook = make_hook(receiver.url)
    webhooks.ping(hook)
    webhooks.switch(hook, on=False, by=hook.created_by)
    assert send_due() == 0
    webhooks.switch(hook, on=True, by=hook.created_by)
    assert send_due() == 1


def test_a_pass_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    webhooks.ping(make_hook())
    assert send_due(seconds=0) == 0


def test_old_messages_are_forgotten_and_waiting_ones_never(receiver: Receiver) -> None:
    hook = make_hook(receiver.url)
    webhooks.ping(hook)
    send_due()
    waiting = webhooks.ping(hook)
    Delivery.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert webhook_queue.forget_old() == 1
    assert list(Delivery.objects.all()) == [waiting]


def test_the_clock_rings_for_what_waits(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks) -> None:
    from annotate import bell, tasks

    rung: list[tuple] = []
    monkeypatch.setattr(bell.current_app, "send_task", lambda name, ids, **_: rung.append((name, ids)))
    with django_capture_on_commit_callbacks(execute=True):
        tasks.reconcile()
    assert rung == []
    webhooks.ping(make_hook())
    with django_capture_on_commit_callbacks(execute=True):
        tasks.reconcile()
    assert rung == [("annotate.tasks.send_deliveries", ())]
