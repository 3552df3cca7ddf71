from dataclasses import fields
from typing import Any

import pytest
from django.test import Client

from annotate.api.items import ItemFiltersSerializer
from annotate.api.views import sealed
from annotate.chores import index_items
from annotate.items import comments
from annotate.items.forms import ItemFilterForm
from annotate.items.keyset import ORDERS
from annotate.items.queries import ItemFilters
from annotate.review import decisions
from tests.support.people import make_item
from tests.support.programs_with_tokens import program
from tests.support.reviews import SUGGESTED, WRITTEN, Case

pytestmark = pytest.mark.django_db
ITEMS = "/api/v1/projects/fb/items/"


def keys(client: Client, **query: Any) -> list[str]:
    answer = client.get(ITEMS, query)
    assert answer.status_code == 200, answer.content
    return [row["key"] for row in answer.json()["results"]]


def walk(client: Client, **query: Any) -> list[list[str]]:
    """The keys of all pages."""
    pages, cursor = [], None
    while True:
        answer = client.get(ITEMS, query | ({"cursor": cursor} if cursor else {})).json()
        pages.append([row["key"] for row in answer["results"]])
        cursor = answer["next"]
        if cursor is None:
            return pages


def test_the_filters_are_those_of_the_browser() -> None:
    named = {field.name for field in fields(ItemFilters)}
    assert named == set(ItemFilterForm.base_fields)
    assert set(ItemFiltersSerializer().fields) == named - {
        "metadata",
        "value",
    }  # stored by runs, which others see


def test_items_are_filtered(lead: Client, case: Case) -> None:
    case.item("first")
    case.written(case.item("second"))
    assert keys(lead) == ["first", "second"]
    assert keys(lead, state="reviewing") == ["second"]
    assert keys(lead, q="FIRS") == ["first"]
    assert keys(lead, by=case.annotator.pk) == ["second"]
    assert keys(lead, by="anyone", state="ready") == []
    assert keys(lead, event="submitted", since="2020-01-01", until="2199-12-31") == ["second"]


def test_a_hit_in_a_text_says_where(lead: Client, case: Case) -> None:
    case.item("first")
    for pk in index_items.leases.claimable():
        index_items.work(pk)
    (row,) = lead.get(ITEMS, {"q": "IRON is"}).json()["results"]
    assert row["excerpt"] == {"before": "", "match": "Iron is", "after": " heavier, because it is denser."}
    assert lead.get(ITEMS).json()["results"][0]["excerpt"] is None


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"state": "nowhere"}, "state"),
        ({"batch": "x"}, "batch"),
        ({"batch": "9" * 40}, "batch"),
        ({"by": "password"}, "by"),
        ({"by": "1 OR 1=1"}, "by"),
        ({"since": "2026-13-45"}, "since"),
        ({"until": "9999-12-31", "event": "accepted"}, "until"),
        ({"q": "\x00"}, "q"),
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"order": "password"}, "order"),
        ({"facts__user_query__startswith": "x"}, "facts__user_query__startswith"),
        ({"slots__holder__password__startswith": "md5"}, "slots__holder__password__startswith"),
    ],
)
def test_what_is_no_filter_is_refused_by_name(lead: Client, query: dict[str, str], where: str) -> None:
    answer = lead.get(ITEMS, query)
    assert (answer.status_code, answer.json()["code"], answer.json()["where"]) == (422, "invalid", where)


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_pages_neither_skip_nor_repeat(lead: Client, case: Case, order: str, limit: int) -> None:
    for number in range(5):
        make_item(case.project, key=f"k{number}", priority=number % 2)
    pages = walk(lead, order=order, limit=limit)
    assert [key for page in pages for key in page] == keys(lead, order=order)
    assert [len(page) for page in pages] == [limit] * (5 // limit) + ([5 % limit] if 5 % limit else [])


def test_a_cursor_stays_where_it_is_while_items_come_and_go(lead: Client, case: Case) -> None:
    made = [make_item(case.project, key=f"k{number}") for number in range(4)]
    first = lead.get(ITEMS, {"limit": 2}).json()
    made[1].delete()
    make_item(case.project, key="new")
    second = lead.get(ITEMS, {"limit": 9, "cursor": first["next"]}).json()
    assert [row["key"] for row in second["results"]] == ["k2", "k3", "new"]


@pytest.mark.parametrize("cursor", ["x", "!!", "Zmlyc3R-MQ", "\x00", "a" * 500, "Y2hhbmdlZH4xfjE"])
def test_what_is_no_cursor_is_refused(lead: Client, case: Case, cursor: str) -> None:
    case.item()
    assert lead.get(ITEMS, {"cursor": cursor}).status_code == 422


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_cursor_at_the_end_of_time_is_refused(lead: Client, case: Case, moment: str) -> None:
    case.item()
    answer = lead.get(ITEMS, {"order": "changed", "cursor": sealed(f"changed~5~{moment}")})
    assert (answer.status_code, answer.json()["where"]) == (422, "cursor")


def test_a_cursor_of_another_order_is_refused(lead: Client, case: Case) -> None:
    make_item(case.project)
    make_item(case.project)
    cursor = lead.get(ITEMS, {"limit": 1, "order": "first"}).json()["next"]
    assert lead.get(ITEMS, {"limit": 1, "order": "last", "cursor": cursor}).status_code == 422


def test_a_list_takes_few_queries_however_long(lead: Client, case: Case, django_assert_num_queries) -> None:
    for number in range(30):
        make_item(case.project, key=f"k{number}")
    lead.get(ITEMS)  # notes that the token was used
    with django_assert_num_queries(5):  # token, member, items, slots, comments
        lead.get(ITEMS)


def test_an_item_has_its_facts_and_the_text_that_counts(lead: Client, case: Case) -> None:
    item = case.item()
    told = lead.get(f"{ITEMS}{item.pk}/").json()
    assert (told["key"], told["state"], told["facts"]) == ("k-1", "ready", item.facts)
    assert (told["current"]["by"], told["current"]["origin"], told["current"]["simulated"]) == (
        "drafter-a",
        "model",
        False,
    )
    assert told["current"]["draft"] == SUGGESTED


def test_an_accepted_item_stands_on_what_was_accepted(lead: Client, case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    current = lead.get(f"{ITEMS}{review.item_id}/").json()["current"]
    assert (current["by"], current["origin"], current["draft"]) == ("annotator", "person", WRITTEN)


def test_what_the_simulated_model_made_says_so(lead: Client, case: Case) -> None:
    item = case.item()
    item.annotations.update(simulated=True)
    assert lead.get(f"{ITEMS}{item.pk}/").json()["current"]["simulated"] is True


def test_nobody_reads_drafts_of_others(lead: Client, case: Case, annotator: Client) -> None:
    from annotate.items import drafts, queue

    item = case.item()
    slot = queue.claim(case.open_slot(item, "annotate").pk, case.member(case.annotator))
    assert slot
    annotation = drafts.open_draft(slot, author=case.annotator, item=item, project=case.project)
    drafts.save(annotation, {**WRITTEN, "feedback": "half a sent"}, revision=annotation.revision, decided=[])
    assert "half a sent" not in lead.get(f"{ITEMS}{item.pk}/history/").content.decode()
    assert "half a sent" in annotator.get(f"{ITEMS}{item.pk}/history/").content.decode()


def test_annotators_find_the_items_they_worked_on(annotator: Client, case: Case) -> None:
    mine, other = case.item("mine"), case.item("other")
    case.written(mine)
    assert annotator.get(f"{ITEMS}{mine.pk}/").status_code == 200
    assert annotator.get(f"{ITEMS}{other.pk}/").status_code == 404
    assert annotator.get(ITEMS).status_code == 403


def test_the_history_tells_who_wrote_what_from_what(lead: Client, case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    told = lead.get(f"{ITEMS}{review.item_id}/history/").json()
    assert [(text["by"], text["changed"]) for text in told["texts"]] == [
        ("drafter-a", []),
        ("annotator", ["feedback"]),
        ("reviewer", []),
    ]
    assert [event["verb"] for event in told["events"]][-1] == "accepted"
    assert {slot["state"] for slot in told["slots"]} == {"submitted"}
    assert str(review.slot.token) not in str(told)


def test_comments_are_read_with_their_answers(lead: Client, case: Case) -> None:
    item = case.item()
    thread = comments.start(item=item, by=case.reviewer, text="Why?", field="feedback")
    comments.answer(thread=thread, by=case.lead, text="Because.")
    (told,) = lead.get(f"{ITEMS}{item.pk}/comments/").json()["results"]
    assert (told["field"], told["author"], told["text"], told["resolved_at"]) == ("feedback", "reviewer", "Why?", None)
    assert [(reply["author"], reply["text"]) for reply in told["replies"]] == [("lead", "Because.")]


def test_a_reviewer_working_blind_does_not_see_the_model(case: Case) -> None:
    from annotate.models import Slot

    review = case.under_review()
    Slot.objects.filter(pk=review.slot_id).update(blind=True)
    told = program(case.member(case.reviewer)).get(f"{ITEMS}{review.item_id}/history/").content.decode()
    assert "drafter-a" not in told
