import json
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from annotate import bell
from annotate.chores import make_release
from annotate.errors import Refused
from annotate.models import Delivery, Release, Webhook
from annotate.notices import webhooks
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.review import decisions
from annotate.runs import actions as runs_actions
from annotate.runs.execution import tidy_up
from tests.support.people import make_member, make_project
from tests.support.reviews import Case, make_case
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db
HOOK = "https://hooks.invalid/in"
ALL = list(webhooks.EVENTS)


@pytest.fixture(autouse=True)
def allowed_hosts() -> Any:
    with override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid", "http://127.0.0.1:9000"]):
        yield


@pytest.fixture
def case() -> Case:
    return make_case()


def listen(case: Case, *events: str, url: str = HOOK) -> Webhook:
    return webhooks.make(project=case.project, url=url, events=events or ALL, by=case.lead)


def told() -> list[tuple[str, dict[str, Any]]]:
    return [(one.event, one.body["data"]) for one in Delivery.objects.order_by("pk")]


def accept(case: Case, key: str = "k-1") -> Any:
    review = case.under_review(key)
    return decisions.accept(review=review, token=review.slot.token, by=case.reviewer)


def test_an_accepted_item_is_told(case: Case) -> None:
    listen(case)
    item = accept(case)
    assert told() == [("item.accepted", {"item": item.pk, "key": "k-1", "round": 1})]
    body = Delivery.objects.get().body
    assert (set(body), body["project"]) == ({"id", "event", "project", "at", "data"}, "fb")


def test_a_message_holds_no_text_of_the_item(case: Case) -> None:
    listen(case)
    item = accept(case)
    text = json.dumps(Delivery.objects.get().body)
    assert item.facts["user_query"] not in text
    assert "annotator" not in text


def test_a_run_that_ends_is_told_once(case: Case) -> None:
    listen(case)
    run = make_run(case.project)
    make_jobs(run, done=1)
    for _number in range(2):
        tidy_up()
    assert told() == [("run.finished", {"run": run.pk, "purpose": "preannotate", "state": "finished"})]


def test_a_cancelled_run_is_told(case: Case) -> None:
    listen(case)
    run = make_run(case.project)
    runs_actions.cancel(run, case.lead)
    assert told() == [("run.finished", {"run": run.pk, "purpose": "preannotate", "state": "cancelled"})]


def test_a_run_with_open_jobs_has_not_ended(case: Case) -> None:
    listen(case)
    make_jobs(make_run(case.project), pending=1)
    tidy_up()
    assert told() == []


def test_a_release_is_told_when_it_is_written(case: Case, tmp_path: Any) -> None:
    listen(case)
    with override_settings(DATA_DIR=tmp_path):
        planned = actions.plan(project=case.project, filters=ReleaseFilters(), by=case.lead)
        assert told() == []
        make_release.work(planned.pk)
        make_release.work(planned.pk)
    made = Release.objects.get()
    assert told() == [("release.made", {"version": 1, "rows": 0, "sha256": made.sha256})]


def test_what_is_taken_back_is_not_told(case: Case) -> None:
    listen(case)
    with transaction.atomic():
        accept(case)
        transaction.set_rollback(True)
    assert told() == []


def test_each_webhook_is_told_of_its_own_events(case: Case) -> None:
    listen(case, "release.made")
    both = [listen(case, "item.accepted"), listen(case, "item.accepted", "run.finished")]
    accept(case)
    assert sorted(Delivery.objects.values_list("webhook", flat=True)) == [one.pk for one in both]
    assert len({one.body["id"] for one in Delivery.objects.all()}) == 1


def test_what_is_off_is_told_nothing(case: Case) -> None:
    hook = listen(case)
    webhooks.switch(hook, on=False, by=case.lead)
    accept(case)
    assert told() == []
    webhooks.switch(hook, on=True, by=case.lead)
    accept(case, "k-2")
    assert len(told()) == 1


def test_another_project_is_told_nothing(case: Case) -> None:
    other = make_member(make_project(), "lead")
    Webhook.objects.create(project=other.project, url=HOOK, secret="s", events=ALL, created_by=other.user)
    accept(case)
    assert told() == []


def test_without_a_webhook_an_event_costs_one_query(case: Case, django_assert_num_queries: Any) -> None:
    item = case.item()
    with django_assert_num_queries(1):
        webhooks.item_accepted(item)


def test_the_worker_is_rung_when_the_event_is_committed(
    case: Case, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    rung: list[Any] = []
    monkeypatch.setattr(bell.current_app, "send_task", lambda name, ids, **_: rung.append((name, ids)))
    hook = listen(case)
    with django_capture_on_commit_callbacks(execute=True):
        webhooks.ping(hook)
        assert rung == []
    assert rung == [("annotate.tasks.send_deliveries", ())]


def test_a_message_is_sent_again_with_its_id(case: Case) -> None:
    first = webhooks.ping(listen(case))
    second = webhooks.again(first)
    assert (second.pk != first.pk, second.body, second.attempts) == (True, first.body, 0)


def test_secrets_are_long_and_differ(case: Case) -> None:
    one, other = listen(case), listen(case)
    assert one.secret != other.secret
    assert len(one.secret) > 40


@pytest.mark.parametrize("url", [HOOK, HOOK + "/", "https://hooks.invalid:443/a?b=c", "http://127.0.0.1:9000"])
def test_an_address_of_the_list_is_taken_as_it_is(case: Case, url: str) -> None:
    assert listen(case, url=url).url == url


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (HOOK, "/in"),
        (HOOK + "/", "/in/"),
        ("https://hooks.invalid", "/"),
        ("https://hooks.invalid?a=b", "/?a=b"),
        ("https://hooks.invalid/a/?b=c", "/a/?b=c"),
    ],
)
def test_the_path_stays_as_it_was_written(url: str, path: str) -> None:
    assert webhooks.allowed(url).path == path


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.invalid/in",
        "http://hooks.invalid/in",
        "https://hooks.invalid:8443/in",
        "https://hooks.invalid.evil.invalid/",
        "https://evil.invalid/?https://hooks.invalid",
        "https://hooks.invalid@evil.invalid/",
        "https://user:password@hooks.invalid/",
        "https://evil.invalid\\@hooks.invalid/",
        "https://hooks.invalid/#fragment",
        "https://hooks.invalid/a b",
        "https://hooks.invalid/\r\nHost: evil.invalid",
        "https://hooks.invalid/\x00",
        "https://hooks.invalid/ä",
        "https://[::ffff:127.0.0.1]:9000/",
        "http://127.1:9000/",
        "http://2130706433:9000/",
        "http://127.0.0.1/",
        "http://127.0.0.1:9001/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:9000/",
        "//hooks.invalid/in",
        "hooks.invalid/in",
        "javascript:alert(1)",
        "https://hooks.invalid/" + "x" * 300,
        "https://[/",
        "",
    ],
)
def test_any_other_address_is_refused(case: Case, url: str) -> None:
    with pytest.raises(Refused):
        listen(case, url=url)
    assert not Webhook.objects.exists()


@override_settings(WEBHOOK_ORIGINS=[])
def test_without_a_list_there_are_no_webhooks(case: Case) -> None:
    with pytest.raises(Refused):
        listen(case)


def test_a_project_has_a_limited_number(case: Case) -> None:
    for _number in range(webhooks.MOST):
        listen(case)
    with pytest.raises(Refused):
        listen(case)
