"""The page of somebody who decides where others disagree."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import queue
from annotate.models import Annotation, Item, Member, Skip, Slot
from annotate.project.overview import reviewed
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from tests.annotate.work.test_overlapping import hand_in, overlapped
from tests.support.desks import posted
from tests.support.people import DRAFT, make_member
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db
OTHER = {**DRAFT, "error_type": ["Logical Error"], "feedback": "Two."}


class Adjudicator:
    """Two people disagree; a lead sits at the page."""

    def __init__(self, second: dict[str, Any] = OTHER) -> None:
        self.item, self.people = overlapped()
        self.texts = [hand_in(self.item, self.people[0]), hand_in(self.item, self.people[1], second)]
        Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
        self.slot = self.item.slots.get(stage="adjudicate")
        self.member = make_member(self.item.project, "lead")
        self.client = Client()
        self.client.force_login(self.member.user)

    def address(self, name: str) -> str:
        return reverse(name, args=[self.item.project.slug, self.slot.pk])

    def take(self) -> None:
        self.client.post(self.address("review_take"))
        self.slot.refresh_from_db()

    @property
    def text(self) -> Annotation:
        return Annotation.objects.get(slot=self.slot)

    def post(self, name: str, **fields: Any) -> HttpResponse:
        text = self.text
        data = {"token": str(self.slot.token), "revision": text.revision, **posted(text.draft)}
        return self.client.post(self.address(name), data | fields)

    def page(self) -> str:
        return self.client.get(self.address("review_item")).content.decode()

    def stored(self) -> Item:
        return Item.objects.get(pk=self.item.pk)


@pytest.fixture
def made() -> Adjudicator:
    return Adjudicator()


def test_the_list_shows_it_before_reviews_and_the_next_one_is_it(made: Adjudicator) -> None:
    page = made.client.get(reverse("review", args=[made.item.project.slug])).content.decode()
    assert "to adjudicate" in page
    answer = made.client.post(reverse("review_next", args=[made.item.project.slug]))
    assert answer.url == made.address("review_item")


def test_candidates_stand_side_by_side_without_names(made: Adjudicator) -> None:
    made.take()
    page = made.page()
    assert page.count('class="card"') == 4
    assert "Annotator 1" in page
    assert 'data-take-all="2"' in page
    assert "All agree" in page


def test_looking_at_it_takes_nothing(made: Adjudicator) -> None:
    assert "Adjudicate this item" in made.page()
    made.slot.refresh_from_db()
    assert made.slot.state == "open"


def test_a_field_and_then_the_whole_is_adopted(made: Adjudicator) -> None:
    made.take()
    made.post("review_save", action="take:feedback:2")
    assert (made.text.draft["feedback"], made.text.draft["error_type"]) == ("Two.", [])
    assert made.text.decided == ["feedback"]
    assert made.post("review_accept").status_code == 422
    made.post("review_save", action="take:all:2")
    assert made.text.draft == OTHER
    assert made.post("review_accept").status_code == 302
    assert (made.stored().state, made.stored().base) == ("accepted", made.texts[1])


@pytest.mark.parametrize("action", ["take:feedback:9", "take:nothing:1", "take::", "take:feedback:x"])
def test_what_names_nothing_changes_nothing(made: Adjudicator, action: str) -> None:
    made.take()
    made.post("review_save", action=action)
    assert (made.text.draft["feedback"], made.text.decided) == ("", [])


def test_a_choice_is_taken_back(made: Adjudicator) -> None:
    made.take()
    made.post("review_save", action="take:all:1")
    made.post("review_save", action="reset:feedback")
    assert (made.text.draft["feedback"], made.text.draft["error_type"]) == ("", DRAFT["error_type"])
    assert "1 field to decide" in made.page()


def test_what_is_written_by_hand_is_decided_and_needs_a_note(made: Adjudicator) -> None:
    made.take()
    made.post("review_save", action="take:error_type:1")
    answer = made.post("review_accept", feedback="Neither.")
    assert answer.status_code == 422
    assert "You override everyone" in answer.content.decode()
    assert "Overridden" in made.page()
    assert made.post("review_accept", feedback="Neither.", fix_note="Both miss it.").status_code == 302
    assert made.stored().base.draft["feedback"] == "Neither."


def test_sending_back_and_dropping(made: Adjudicator) -> None:
    made.take()
    assert made.post("review_return").status_code == 422
    assert made.post("review_return", reason_field="feedback", reason_text="Again.").status_code == 302
    assert (made.stored().state, made.stored().round) == ("ready", 2)
    other = Adjudicator()
    other.take()
    assert other.post("review_drop", drop_reason="other").status_code == 422
    assert other.post("review_drop", drop_reason="other", drop_note="Two questions.").status_code == 302
    assert other.stored().state == "dropped"


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("review_accept", {}),
        ("review_return", {"reason_field": "", "reason_text": "Again."}),
        ("review_drop", {"drop_reason": "other", "drop_note": "Why."}),
    ],
)
def test_a_decision_is_taken_back(made: Adjudicator, name: str, fields: dict[str, str]) -> None:
    made.take()
    made.post("review_save", action="take:all:1")
    assert made.post(name, **fields).status_code == 302
    assert made.client.post(made.address("review_undo")).status_code == 200
    assert (made.stored().state, made.stored().round) == ("adjudicating", 1)
    made.slot.refresh_from_db()
    assert made.slot.state == "held"
    assert made.post("review_accept").status_code == 302


def test_it_is_skipped_and_handed_back(made: Adjudicator) -> None:
    made.take()
    made.post("review_release")
    made.slot.refresh_from_db()
    assert made.slot.state == "open"
    made.take()
    made.post("review_skip", reason="too_hard")
    assert Skip.objects.filter(person=made.member.user).exists()
    assert queue.claim_next(made.member, "adjudicate") is None


@pytest.mark.parametrize("who", [0, 1])
def test_who_wrote_is_kept_away_whatever_their_role(made: Adjudicator, who: int) -> None:
    member = made.people[who]
    Member.objects.filter(pk=member.pk).update(role="lead")
    made.client.force_login(member.user)
    assert made.client.get(made.address("review_item")).status_code == 409
    assert made.client.post(made.address("review_take")).status_code == 409


# --- two reviewers ----------------------------------------------------------------------------------------------------
@pytest.fixture
def case() -> Case:
    return make_case(reviews=2)


def test_a_second_reviewer_finds_nothing_of_the_first(client: Client, case: Case) -> None:
    item = case.item()
    case.written(item)
    mine = claim.take_next(case.member(case.reviewer))
    text = Annotation.objects.select_related("slot").get(slot=mine)
    reasons = [Reason("feedback", "A secret reason.")]
    decisions.send_back(review=text, token=mine.token, by=case.reviewer, reasons=reasons)
    client.force_login(case.lead)
    for address in (
        reverse("review_item", args=["fb", mine.pk]),
        reverse("review_item", args=["fb", Slot.objects.open().get(stage="review").pk]),
        reverse("item", args=["fb", item.pk]),
        reverse("review", args=["fb"]),
        reverse("inbox"),
        reverse("overview", args=["fb"]),
    ):
        page = client.get(address).content.decode()
        assert "A secret reason." not in page, address
        assert "state--caution" not in page, address  # nor the mark of what was sent back
    assert reviewed(case.project) == []


def test_what_reviewers_decided_stands_beside_the_texts(client: Client, case: Case) -> None:
    item = case.item()
    case.written(item)
    for person, decide in ((case.reviewer, "fixed"), (case.lead, "returned")):
        slot = claim.take_next(case.member(person))
        text = Annotation.objects.select_related("slot").get(slot=slot)
        if decide == "fixed":
            text = Case.fix(text, feedback="Shorter.")
            decisions.fix_and_accept(review=text, token=slot.token, by=person, note="Too long.")
        else:
            decisions.send_back(review=text, token=slot.token, by=person, reasons=[Reason("", "Not yet.")])
    Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
    Member.objects.filter(user=case.viewer).update(role="reviewer")
    client.force_login(case.viewer)
    slot = claim.take_next(case.member(case.viewer))
    page = client.get(reverse("review_item", args=["fb", slot.pk])).content.decode()
    assert "Reviewer 1" in page
    assert "Too long." in page
    assert "Not yet." in page
    assert page.count('class="card"') == 2


def test_task_and_subtask_are_adopted_by_one_button_and_accepted() -> None:
    made = Adjudicator(DRAFT | {"task_type": "Reasoning", "sub_task_type": "IQ Questions"})
    made.take()
    page = made.page()
    assert page.count('class="card"') == 2
    assert "Task / Subtask" in page
    assert "1 field to decide" in page
    assert "take:sub_task_type" not in page
    made.post("review_save", action="take:task_type:2")
    assert made.post("review_accept").status_code == 302
    base = made.stored().base
    assert base is not None
    assert (base.draft["task_type"], base.draft["sub_task_type"]) == ("Reasoning", "IQ Questions")
