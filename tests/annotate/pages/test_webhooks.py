import re
from collections.abc import Iterator

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from annotate.models import Delivery, Member, Webhook
from annotate.notices import webhooks
from tests.support.people import make_project
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
HOOKS, GOOD = "/p/fb/webhooks/", {"url": "https://hooks.invalid/in", "events": ["item.accepted", "release.made"]}


@pytest.fixture(autouse=True)
def allowed_hosts() -> Iterator[None]:
    with override_settings(WEBHOOK_ORIGINS=["https://hooks.invalid"]):
        yield


@pytest.fixture
def hook(case: Case) -> Webhook:
    return webhooks.make(project=case.project, url="https://hooks.invalid/in", events=["item.accepted"], by=case.lead)


def test_a_webhook_is_made_and_its_secret_shown_once(lead: Client) -> None:
    answer = lead.post(HOOKS, GOOD)
    made = Webhook.objects.get()
    assert re.findall(r'<code id="secret">([^<]+)</code>', answer.content.decode()) == [made.secret]
    assert (made.url, made.events, made.active) == (GOOD["url"], GOOD["events"], True)
    for page in (HOOKS, f"{HOOKS}{made.pk}/"):
        assert made.secret not in lead.get(page).content.decode()


@pytest.mark.parametrize(
    "bad",
    [
        {"url": "https://elsewhere.invalid/"},
        {"url": "http://127.0.0.1/"},
        {"url": ""},
        {"events": []},
        {"events": ["ping"]},
        {"events": ["item.dropped"]},
    ],
    ids=str,
)
def test_a_form_that_is_not_right_makes_nothing(lead: Client, bad: dict) -> None:
    assert lead.post(HOOKS, GOOD | bad).status_code == 422
    assert not Webhook.objects.exists()


def test_the_page_says_what_the_administrator_allows(lead: Client) -> None:
    assert "https://hooks.invalid:443" in lead.get(HOOKS).content.decode()
    with override_settings(WEBHOOK_ORIGINS=[]):
        assert "WEBHOOK_ORIGINS is empty" in lead.get(HOOKS).content.decode()


def test_where_no_address_is_allowed_there_is_no_form(lead: Client) -> None:
    assert 'id="webhook-form"' in lead.get(HOOKS).content.decode()
    with override_settings(WEBHOOK_ORIGINS=[]):
        text = lead.get(HOOKS).content.decode()
    assert 'id="webhook-form"' not in text
    assert "Ask them to allow one" in text


def test_a_webhook_of_a_former_lead_says_so_until_another_takes_it_over(lead: Client, case: Case) -> None:
    second = Member.objects.create(project=case.project, user=case.stranger, role="lead")
    hook = webhooks.make(project=case.project, url=GOOD["url"], events=["item.accepted"], by=case.stranger)
    second.delete()
    page = f"{HOOKS}{hook.pk}/"
    for address in (HOOKS, page):
        assert "No longer valid" in lead.get(address).content.decode()
    assert "is no longer in this project." in lead.get(page).content.decode()
    lead.post(f"{page}test/")
    assert not Delivery.objects.exists()
    lead.post(f"{page}switch/", {"on": "1"})
    assert "No longer valid" not in lead.get(page).content.decode()
    lead.post(f"{page}test/")
    assert Delivery.objects.exists()


def test_messages_are_listed_with_what_became_of_them(lead: Client, hook: Webhook) -> None:
    columns = {"webhook": hook, "event": "item.accepted", "body": {}}
    Delivery.objects.create(**columns, delivered_at=timezone.now(), due_at=None, status=204, attempts=1)
    Delivery.objects.create(**columns, due_at=None, status=500, detail="The response was 500.", attempts=8)
    Delivery.objects.create(**columns, attempts=2)
    Delivery.objects.create(**columns)
    text = lead.get(f"{HOOKS}{hook.pk}/").content.decode()
    assert all(word in text for word in ("Delivered", "Given up", "Next retry", "Waiting", "The response was 500."))
    assert text.count("Resend") == 2


def test_a_list_of_messages_takes_few_queries(lead: Client, hook: Webhook, django_assert_max_num_queries) -> None:
    for _number in range(60):
        webhooks.ping(hook)
    lead.get(f"{HOOKS}{hook.pk}/")
    with django_assert_max_num_queries(8):
        assert "Page 1 of 2" in lead.get(f"{HOOKS}{hook.pk}/").content.decode()


def test_a_test_message_is_written_down(lead: Client, hook: Webhook) -> None:
    assert lead.post(f"{HOOKS}{hook.pk}/test/").status_code == 302
    assert Delivery.objects.get().event == "ping"


def test_what_is_off_gets_no_test(lead: Client, hook: Webhook) -> None:
    lead.post(f"{HOOKS}{hook.pk}/switch/", {"on": "0"})
    hook.refresh_from_db()
    assert not hook.active
    lead.post(f"{HOOKS}{hook.pk}/test/")
    assert not Delivery.objects.exists()
    lead.post(f"{HOOKS}{hook.pk}/switch/", {"on": "1"})
    hook.refresh_from_db()
    assert hook.active


def test_a_message_is_sent_again(lead: Client, hook: Webhook) -> None:
    old = Delivery.objects.create(webhook=hook, event="item.accepted", body={"id": "x"}, due_at=None, attempts=8)
    assert lead.post(f"{HOOKS}deliveries/{old.pk}/again/").status_code == 302
    new = Delivery.objects.exclude(pk=old.pk).get()
    assert (new.body, new.attempts, new.due_at is not None) == ({"id": "x"}, 0, True)


def test_a_webhook_is_removed_after_asking(lead: Client, hook: Webhook) -> None:
    assert "Remove this webhook?" in lead.get(f"{HOOKS}{hook.pk}/remove/").content.decode()
    assert Webhook.objects.exists()
    assert lead.post(f"{HOOKS}{hook.pk}/remove/").status_code == 302
    assert not Webhook.objects.exists()


def test_what_belongs_to_another_project_is_not_there(lead: Client) -> None:
    other = Webhook.objects.create(project=make_project(), url="https://hooks.invalid/", secret="s", events=[])
    delivery = webhooks.ping(other)
    assert lead.get(f"{HOOKS}{other.pk}/").status_code == 404
    for end in ("test", "switch", "remove"):
        assert lead.post(f"{HOOKS}{other.pk}/{end}/").status_code == 404
    assert lead.post(f"{HOOKS}deliveries/{delivery.pk}/again/").status_code == 404
    assert Webhook.objects.filter(pk=other.pk, active=True).exists()
    assert Delivery.objects.count() == 1


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_webhooks_are_for_leads(client: Client, case: Case, hook: Webhook, role: str, status: int) -> None:
    client.force_login(getattr(case, role))
    assert client.get(HOOKS).status_code == status
    assert client.get(f"{HOOKS}{hook.pk}/").status_code == status
    assert client.post(HOOKS, GOOD).status_code == status
    assert client.post(f"{HOOKS}{hook.pk}/remove/").status_code == status
    assert Webhook.objects.get() == hook
