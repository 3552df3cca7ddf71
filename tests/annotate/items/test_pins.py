"""Comments about a span: what forms send, what is kept, and where it is shown."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotate.errors import Refused
from annotate.items.pins import pins_in, read_pin
from annotate.models import Annotation, Comment, Item, Member, User
from annotate.project.actions import create_project
from annotate.review.decisions import Reason, reasons_of
from annotate.work.desk import open_next
from tests.support.people import make_item
from tests.support.reviews import Case

DEFINITION = """show: [{field: target}, {field: hint}]
questions:
  - {name: errors, type: spans, on: [target], labels: {Fluency: [Grammar], Style: []}, ask: Which errors?}
  - {name: why, type: text, required: false}
"""
SPAN = {"field": "target", "start": 3, "end": 7, "text": "goes", "label": "Fluency/Grammar"}
VALUE = '["errors","target",3,7,"Fluency/Grammar"]'

pytestmark = pytest.mark.django_db


@pytest.fixture
def item() -> Item:
    project = create_project(slug="pins", kind="form", reviews=1, definition=DEFINITION)
    for name, role in (("ann", "annotator"), ("rex", "reviewer")):
        Member.objects.create(project=project, user=User.objects.create_user(name), role=role)
    return make_item(project, facts={"target": "It goes.", "hint": "h"})


def facts(item: Item) -> object:
    return item.project.kind.read_facts(item.facts)


def test_a_pin_is_read_as_it_was_written(item: Item) -> None:
    kind = item.project.kind
    pins = list(pins_in(kind, facts(item), {"errors": [SPAN]}))
    assert [pin.value for pin in pins] == ["errors", VALUE, "why"]
    assert [read_pin(pin.value, kind, facts(item)) for pin in pins] == pins
    assert pins[1].words({"errors": "Which errors?"}) == "Which errors?: “goes” Fluency / Grammar"


@pytest.mark.parametrize(
    "value",
    [
        "nonsense",
        "[",
        "[1]",
        '["errors"]',
        '["why","target",3,7,""]',
        '["errors","hint",3,7,""]',
        '["errors",["target"],3,7,""]',
        '["errors","target",7,3,""]',
        '["errors","target",-1,3,""]',
        '["errors","target",true,3,""]',
        '["errors","target",80,90,""]',
        '["errors","target",3,7,null]',
        '["errors","target",3,7,"\\u0000"]',
        '["errors","target",3,7,"\\ud800"]',
        json.dumps(["errors", "target", 3, 7, "x" * 401]),
        "[" * 1500,
    ],
)
def test_another_place_is_refused(item: Item, value: str) -> None:
    with pytest.raises(Refused, match="Choose the field"):
        read_pin(value, item.project.kind, facts(item))


def test_a_return_about_a_span_stands_at_it_for_the_author(client: Client, item: Item) -> None:
    users = {role: User.objects.get(username=name) for role, name in (("annotator", "ann"), ("reviewer", "rex"))}
    case = Case(item.project, lead=users["reviewer"], viewer=users["reviewer"], stranger=users["reviewer"], **users)
    case.written(item, {"errors": [SPAN]})
    review = case.review(item)
    client.force_login(case.reviewer)
    page = client.get(reverse("review_item", args=["pins", review.slot_id])).content.decode()
    assert page.count(f'value="{escape(VALUE)}"') == 3  # a reason, the next reason, a comment
    form = {"token": review.slot.token, "revision": review.revision, "q-errors": json.dumps([SPAN]), "q-why": ""}
    form |= {"reason_field": VALUE, "reason_text": "Third person."}
    assert client.post(reverse("review_return", args=["pins", review.slot_id]), form).status_code == 302
    assert Comment.objects.get().span == SPAN
    assert reasons_of(Annotation.objects.get(pk=review.pk)) == [Reason("errors", "Third person.", SPAN)]
    slot = open_next(case.member(case.annotator))
    assert slot is not None
    client.force_login(case.annotator)
    page = client.get(reverse("work_item", args=["pins", slot.pk])).content.decode()
    assert page.count(f'data-span-pin="{escape(VALUE)}"') == 2  # at the field, and in the thread
    assert "Which errors?: “goes” Fluency / Grammar" in page


def test_a_comment_about_a_span_on_another_page_of_comments_leads_there(client: Client, item: Item) -> None:
    by = User.objects.get(username="rex")
    thread = Comment.objects.create(item=item, author=by, text="Third person.", field="errors", span=SPAN, round=1)
    Comment.objects.bulk_create(Comment(item=item, author=by, text=f"Remark {n}.", round=1) for n in range(20))
    client.force_login(by)
    address = reverse("item", args=["pins", item.pk])
    link = f'href="{address}?thread={thread.pk}#thread-{thread.pk}" data-span-elsewhere="{escape(VALUE)}"'
    assert link in client.get(address).content.decode()
    there = client.get(f"{address}?thread={thread.pk}").content.decode()
    assert "data-span-elsewhere" not in there
    assert f'id="thread-{thread.pk}"' in there
    Comment.objects.filter(pk=thread.pk).update(resolved_at=timezone.now(), resolved_by=by)
    assert "data-span-elsewhere" not in client.get(address).content.decode()


def test_a_comment_about_a_span_is_kept_with_its_words(client: Client, item: Item) -> None:
    client.force_login(User.objects.get(username="rex"))
    client.post(reverse("comment_add", args=["pins", item.pk]), {"field": VALUE, "text": "Why?"})
    comment = Comment.objects.get()
    assert (comment.field, comment.span) == ("errors", SPAN)
    wrong = {"field": VALUE.replace("7", "1"), "text": "Why?"}
    assert client.post(reverse("comment_add", args=["pins", item.pk]), wrong).status_code == 422
