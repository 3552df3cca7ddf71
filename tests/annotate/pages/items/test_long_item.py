"""The pages of an item with many comments, answers, events, texts and slots: parts, and ways to the others."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import comments
from annotate.models import Annotation, Comment, Event, Item, Member, Project, Skip, Slot, User
from tests.support.reviews import SUGGESTED, WRITTEN, Case

pytestmark = pytest.mark.django_db
MANY = 1000
LARGEST = 250_000  # bytes


def commented(item: Item, by: AbstractBaseUser, count: int, field: str = "", *, thread: Comment | None = None) -> None:
    Comment.objects.bulk_create(
        Comment(item=item, author=by, text=f"Remark {number}.", field=field, round=1, parent=thread)
        for number in range(count)
    )


def long_item(case: Case) -> Item:
    item = case.item()
    commented(item, case.reviewer, MANY, "feedback")
    commented(item, case.annotator, MANY, thread=comments.threads(item, seen_by=case.lead)[-1])
    now = timezone.now()
    Event.objects.bulk_create(
        Event(item=item, project=case.project, actor=case.lead, verb="requeued", round=1, note="Once more.")
        for _number in range(MANY)
    )
    item.slots.open().delete()  # work that is still to be done would hide what the others wrote
    people = User.objects.bulk_create(User(username=f"person-{number}") for number in range(MANY))
    slots = Slot.objects.bulk_create(
        Slot(project=case.project, item=item, stage="annotate", round=1, no=10 + number, state="submitted", holder=user)
        for number, user in enumerate(people)
    )
    Annotation.objects.bulk_create(
        Annotation(
            item=item,
            slot=slot,
            author=slot.holder,
            draft=WRITTEN,
            outcome="annotated",
            submitted_at=now + timedelta(seconds=place),
        )
        for place, slot in enumerate(slots)
    )
    Skip.objects.bulk_create(Skip(item=item, person=user, reason="unclear") for user in people)
    return item


def text_of(client: Client, user: AbstractBaseUser, address: str) -> str:
    client.force_login(user)
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def threads_of(text: str) -> list[int]:
    return [int(number) for number in re.findall(r'id="thread-(\d+)"', text)]


def address_of(item: Item, query: str = "") -> str:
    return reverse("item", args=["fb", item.pk]) + query


def test_the_page_of_an_item_with_a_thousand_of_everything_stays_small(client: Client, case: Case) -> None:
    text = text_of(client, case.lead, address_of(long_item(case)))
    assert len(text.encode()) <= LARGEST


def test_the_newest_comments_come_first_and_every_page_leads_to_the_next(client: Client, case: Case) -> None:
    item = case.item()
    commented(item, case.reviewer, 45)
    everything = sorted(Comment.objects.values_list("pk", flat=True))
    first = text_of(client, case.lead, address_of(item))
    assert threads_of(first) == everything[-20:]  # within a page as they were written
    link = re.search(r'id="threads-earlier" href="([^"#]*)#threads"\s+hx-get="([^"]*)"', first)
    assert link is not None
    assert link[1] == link[2]
    second = text_of(client, case.lead, link[1].replace("&amp;", "&"))
    assert threads_of(second) == everything[5:25]
    assert threads_of(text_of(client, case.lead, address_of(item, "?comments=3"))) == everything[:5]


def test_comments_on_one_field_are_listed_together(client: Client, case: Case) -> None:
    item = case.item()
    commented(item, case.reviewer, 3, "checklist")
    commented(item, case.reviewer, 30, "feedback")
    on_checklist = sorted(Comment.objects.filter(field="checklist").values_list("pk", flat=True))
    text = text_of(client, case.lead, address_of(item))
    assert not set(on_checklist) & set(threads_of(text))
    assert "?about=checklist#threads" in text
    assert threads_of(text_of(client, case.lead, address_of(item, "?about=checklist"))) == on_checklist


def test_a_thread_that_an_address_names_is_on_the_page_with_its_answers(client: Client, case: Case) -> None:
    item = case.item()
    commented(item, case.reviewer, 45)
    oldest = Comment.objects.order_by("pk").first()
    assert oldest is not None
    commented(item, case.annotator, 120, thread=oldest)
    text = text_of(client, case.lead, address_of(item, f"?thread={oldest.pk}"))
    assert oldest.pk in threads_of(text)
    assert text.count("Remark 119.") == 1
    assert "71–120 / 120" in text.replace("1–50 / 120", "71–120 / 120")
    assert "Remark 0." in text_of(client, case.lead, address_of(item, f"?thread={oldest.pk}&answers=3"))


def test_after_an_answer_the_page_of_comments_stays(client: Client, case: Case) -> None:
    item = case.item()
    commented(item, case.reviewer, 45)
    oldest = Comment.objects.order_by("pk").first()
    assert oldest is not None
    client.force_login(case.lead)
    posted = {"text": "Yes.", "back": address_of(item, "?comments=3")}
    address = reverse("comment_answer", args=["fb", oldest.pk])
    fragment = client.post(address, posted, headers={"HX-Request": "true"}).content.decode()
    assert oldest.pk in threads_of(fragment)
    assert address_of(item, "?comments=2") in fragment
    assert client.post(address, posted)["Location"] == address_of(item, "?comments=3") + "#threads"


def test_the_history_and_the_texts_have_pages(client: Client, case: Case) -> None:
    item = long_item(case)
    newest = Annotation.objects.filter(item=item).order_by("-submitted_at").first()
    assert newest is not None
    first = text_of(client, case.lead, address_of(item))
    assert f'id="annotation-{newest.pk}"' in first
    for parameter, target in (("texts", "texts"), ("history", "history"), ("work", "slots"), ("skips", "skips")):
        assert f"?{parameter}=2#{target}" in first
        later = text_of(client, case.lead, address_of(item, f"?{parameter}=2&comments=2"))
        assert f"?comments=2&amp;{parameter}=1#{target}" in later


def test_the_page_of_a_review_stays_small(client: Client, case: Case) -> None:
    review = case.under_review()
    commented(review.item, case.annotator, MANY, "feedback")
    oldest = Comment.objects.order_by("pk").first()
    assert oldest is not None
    address = reverse("review_item", args=["fb", review.slot.pk])
    text = text_of(client, case.reviewer, address)
    assert len(text.encode()) <= LARGEST
    assert "and 995 more" in text
    assert oldest.pk in threads_of(text_of(client, case.reviewer, f"{address}?thread={oldest.pk}"))


def test_my_record_lists_a_hundred_projects_at_a_time(client: Client, case: Case) -> None:
    projects = Project.objects.bulk_create(
        Project(slug=f"p-{number}", name=f"Project {number:04}", kind_slug="feedback") for number in range(MANY)
    )
    Member.objects.bulk_create(Member(project=project, user=case.annotator, role="annotator") for project in projects)
    first = text_of(client, case.annotator, reverse("my_record"))
    assert len(first.encode()) <= LARGEST
    assert "?page=2" in first
    assert "Project 0999" in text_of(client, case.annotator, reverse("my_record") + "?page=11")


def test_a_suggestion_that_is_not_on_the_page_is_on_the_last_one(client: Client, case: Case) -> None:
    item = long_item(case)
    suggestion = Annotation.objects.get(item=item, model="drafter-a")
    assert suggestion.draft == SUGGESTED
    assert f'id="annotation-{suggestion.pk}"' in text_of(client, case.lead, address_of(item, "?texts=999"))
