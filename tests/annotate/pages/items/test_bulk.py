import re

import pytest
from django.test import Client

from annotate.items import actions
from annotate.models import Item, Notification, Slot
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
BULK = "/p/fb/items/bulk/"


def ids(*items: Item) -> list[int]:
    return [item.pk for item in items]


def sure(client: Client, verb: str, **said: object):
    return client.post(BULK, {"verb": verb, "sure": "1", **said})


def states() -> dict[str, str]:
    return dict(Item.objects.values_list("key", "state"))


@pytest.mark.parametrize("role", ["annotator", "reviewer", "viewer"])
def test_only_leads_change_many_items(client: Client, case: Case, role: str) -> None:
    item = case.item()
    client.force_login(getattr(case, role))
    assert sure(client, "drop", item=ids(item), reason="other").status_code == 403
    client.force_login(case.stranger)
    assert sure(client, "drop", item=ids(item), reason="other").status_code == 404
    assert states() == {"k-1": "ready"}


def test_reading_the_address_changes_nothing(lead: Client) -> None:
    assert lead.get(BULK).status_code == 405


def test_first_it_asks_and_says_how_many(lead: Client, case: Case) -> None:
    items = [case.item("a"), case.item("b")]
    answer = lead.post(BULK, {"verb": "drop", "item": ids(*items)})
    assert answer.status_code == 200
    assert "Drop: 2 items" in answer.content.decode()
    assert set(states().values()) == {"ready"}


def hidden(text: str) -> dict[str, list[str]]:
    """What the form in this page sends along without being seen."""
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', text[text.index('id="main"') :]
    ):
        fields.setdefault(name, []).append(value)
    return fields


@pytest.mark.parametrize("choice", [{"scope": "ticked"}, {"scope": "all", "filter": "q=a-"}])
def test_the_question_carries_the_choice_to_its_answer(lead: Client, case: Case, choice: dict[str, str]) -> None:
    items = [case.item("a-1"), case.item("a-2")]
    case.item("b")
    question = lead.post(BULK, {"verb": "drop", "item": ids(*items)} | choice).content.decode()
    lead.post(BULK, hidden(question) | {"reason": "too_easy"})
    assert states() == {"a-1": "dropped", "a-2": "dropped", "b": "ready"}


def test_ticked_items_are_dropped_and_the_rest_is_not(lead: Client, case: Case) -> None:
    dropped, _kept = case.item("a"), case.item("b")
    answer = sure(lead, "drop", item=ids(dropped), reason="duplicate", note="twice")
    assert "1 item done." in answer.content.decode()
    assert states() == {"a": "dropped", "b": "ready"}
    assert Item.objects.get(key="a").drop_reason == "duplicate"


def test_what_was_left_out_is_said_with_the_reason(lead: Client, case: Case) -> None:
    items = [case.item("a"), case.item("b")]
    sure(lead, "drop", item=ids(items[0]), reason="other")
    text = sure(lead, "drop", item=ids(*items), reason="other").content.decode()
    assert "1 item done." in text
    assert re.search(r">1</span> already dropped", text)


def test_all_that_match_means_the_filter(lead: Client, case: Case) -> None:
    for key in ("a-1", "a-2", "b-1"):
        case.item(key)
    sure(lead, "drop", scope="all", filter="q=a-", reason="other")
    assert states() == {"a-1": "dropped", "a-2": "dropped", "b-1": "ready"}


@pytest.mark.parametrize("filters", ["state=nonsense", "priority=x", "held=nobody"])
def test_a_filter_that_cannot_be_read_never_means_everything(lead: Client, case: Case, filters: str) -> None:
    case.item()
    answer = sure(lead, "drop", scope="all", filter=filters, reason="other")
    assert answer.status_code == 422
    assert states() == {"k-1": "ready"}


def test_items_imported_after_the_question_are_not_meant(lead: Client, case: Case) -> None:
    case.item("before")
    question = lead.post(BULK, {"verb": "drop", "scope": "all"}).content.decode()
    (upto,) = re.findall(r'name="upto" value="(\d+)"', question)
    case.item("after")
    sure(lead, "drop", scope="all", upto=upto, reason="other")
    assert states() == {"before": "dropped", "after": "ready"}


def test_items_of_other_projects_are_out_of_reach(lead: Client, case: Case) -> None:
    other = Item.objects.create(
        project=type(case.project).objects.create(slug="o", name="O", kind_slug="feedback"),
        key="theirs",
        facts={},
        content_hash="x",
    )
    assert "0 items done." in sure(lead, "drop", item=[other.pk], reason="other").content.decode()
    assert states() == {"theirs": "imported"}


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("drop", {"reason": ""}),
        ("drop", {"reason": "x"}),
        ("priority", {"priority": "x"}),
        ("assign", {"to": "999999"}),
    ],
)
def test_what_the_verb_needs_is_asked_again(lead: Client, case: Case, verb: str, said: dict[str, str]) -> None:
    answer = sure(lead, verb, item=ids(case.item()), **said)
    assert answer.status_code == 422
    assert "error-summary" in answer.content.decode()
    assert states() == {"k-1": "ready"}


@pytest.mark.parametrize("said", [{"verb": "explode", "item": "1"}, {"verb": "drop"}, {"verb": "drop", "item": "x"}])
def test_nothing_chosen_is_said(lead: Client, case: Case, said: dict[str, str]) -> None:
    case.item()
    answer = lead.post(BULK, said | {"sure": "1"})
    assert answer.status_code == 422
    assert states() == {"k-1": "ready"}
    assert "Nothing was changed" in answer.content.decode()


def test_nothing_ticked_keeps_the_list_its_filters_and_what_was_chosen(lead: Client, case: Case) -> None:
    for n in range(3):
        Item.objects.filter(pk=case.item(f"k-{n}").pk).update(group="Coding" if n else "Maths")
    posted = {"verb": "drop", "filter": "group=Coding&purpose=work", "order": "last", "after": "", "scope": "ticked"}
    answer = lead.post(BULK, posted)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Nothing was changed: no items selected." in text
    assert "Select items, or choose all that match." in text
    assert re.findall(r'class="row-link num"[^>]*>([^<]+)<', text) == ["k-2", "k-1"]
    assert '<details class="fold" open>' in text
    assert "data-needs-told hidden" not in text
    page = lead.get("/p/fb/items/?group=Coding").content.decode()
    assert "data-needs-told hidden" in page


def test_a_filter_that_cannot_be_read_is_shown_with_its_fault(lead: Client, case: Case) -> None:
    case.item()
    text = lead.post(BULK, {"verb": "drop", "scope": "all", "filter": "priority=x"}).content.decode()
    assert "Invalid filters:" in text


def test_so_many_items_of_a_group_are_assigned_to_a_person(lead: Client, case: Case) -> None:
    for key in "abc":
        case.item(key)
    Item.objects.exclude(key="a").update(group="Coding")
    to = case.member(case.annotator).pk
    sure(lead, "assign", scope="all", filter="group=Coding", to=to, most=1)
    assert list(Slot.objects.filter(reserved_for=case.annotator).values_list("item__key", flat=True)) == ["b"]
    assert Notification.objects.get(user=case.annotator).note == "1"


def test_viewers_cannot_be_assigned_anything(lead: Client, case: Case) -> None:
    answer = sure(lead, "assign", item=ids(case.item()), to=case.member(case.viewer).pk)
    assert answer.status_code == 422
    assert not Slot.objects.exclude(reserved_for=None).exists()


def test_a_large_selection_goes_on_by_itself_and_without_scripts(
    lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "AT_ONCE", 2)
    for n in range(5):
        case.item(f"k-{n}")
    sure(lead, "drop", item=ids(Item.objects.get(key="k-1")), reason="other")
    text = sure(lead, "drop", scope="all", reason="too_easy").content.decode()
    requests = 1
    while "Continue" in text:
        assert 'hx-trigger="load, submit"' in text
        text = lead.post(BULK, hidden(f'id="main" {text}'), headers={"HX-Request": "true"}).content.decode()
        requests += 1
        assert text.strip().startswith('<section class="panel" id="bulk-outcome"')
    assert requests == 3
    assert "4 items done." in text
    assert re.search(r">1</span> already dropped", text)
    assert set(states().values()) == {"dropped"}


def test_the_counts_in_the_form_are_only_shown(lead: Client, case: Case) -> None:
    answer = sure(lead, "drop", item=ids(case.item()), reason="other", done="x", left_raced="-3", after="9" * 40)
    assert "1 item done." in answer.content.decode()
