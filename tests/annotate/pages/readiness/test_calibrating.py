"""The calibration as somebody walks it in the browser, without a script."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Annotation, Comment, Item, Member, Project, Readiness, Slot
from tests.support.checks import WRONG, answer, asking, check, fresh, taken, work_through
from tests.support.desks import Worker, colleague, posted
from tests.support.pages import html_of, said, text_of
from tests.support.people import DRAFT, make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = asking(calibration_each=2, passes_at="0.9")
    for _ in range(2):
        check(made)
    make_item(made, suggestion=DRAFT)
    return made


@pytest.fixture
def ada(project: Project) -> Worker:
    return colleague(project)


def hand_in(one: Worker, draft: dict[str, Any]) -> str:
    """Take the next item, hand it in by its form; the address that the answer leads to."""
    one.client.post(one.address("work_next"))
    slot = Slot.objects.held().get(holder=one.member.user)
    given = one.client.post(one.address("work_submit", slot), one.form(slot) | posted(draft) | {"confirm": "1"})
    assert given.status_code == 302
    return str(given["Location"])


def test_the_page_of_work_says_what_is_asked_before_the_queue_opens(ada: Worker) -> None:
    told = text_of(ada.get("work"))
    assert "you work on a few items with known answers" in told
    assert "when 90 % of the fields are as expected" in told
    assert "There is work for you" not in told


def test_the_desk_says_that_it_is_the_calibration(ada: Worker) -> None:
    slot = taken(ada.member)
    assert "after you submit, you see what was expected" in text_of(ada.get("work_item", slot))


def test_work_that_was_in_hand_before_keeps_its_place(project: Project, ada: Worker) -> None:
    Readiness.objects.update(calibration_each=0)
    slot = taken(ada.member)
    Readiness.objects.update(calibration_each=2)
    page = text_of(ada.get("work_item", slot))
    assert "Item 1 of 1" in page
    assert "0 / 1" in page


def test_after_an_answer_each_field_says_what_was_expected_and_why(project: Project, ada: Worker) -> None:
    lead = make_member(project, "lead")
    for item in Item.objects.filter(purpose="calibration"):
        Comment.objects.create(item=item, field="error_type", author=lead.user, text="Three is a wrong fact.")
        Comment.objects.create(item=item, field="error_type", author=make_member(project).user, text="A guess.")
    page = html_of(ada.client, hand_in(ada, {**DRAFT, "error_type": ["Logical Error"]}))
    told = said(page)
    assert "4 of 5 fields are as expected" in told
    assert 'id="expected-error_type"' in page
    field = said(page.split('id="expected-error_type"')[1].split("</section>")[0])
    assert "Different from the expected answer" in field
    assert "You wrote Logical Error Expected Factual Error" in field
    assert "Three is a wrong fact." in field
    assert "A guess." not in told
    assert "As expected" in said(page.split('id="expected-feedback_type"')[1].split("</section>")[0])


def test_who_calls_it_unsuitable_sees_that_field_as_the_other_one(ada: Worker) -> None:
    page = html_of(ada.client, hand_in(ada, {**DRAFT, "suitable": False}))
    fields = {
        name: said(page.split(f'id="expected-{name}"')[1].split("</section>")[0]) for name in ("suitable", "task_type")
    }
    assert "Different from the expected answer" in fields["suitable"]
    assert "Not compared" in fields["task_type"]
    assert "0 of 6 fields are as expected" in said(page)


def test_who_passes_goes_from_the_last_feedback_into_the_queue(ada: Worker) -> None:
    hand_in(ada, DRAFT)
    told = said(html_of(ada.client, hand_in(ada, DRAFT)))
    assert "10 of 10 fields were as expected. You can start working." in told
    there = ada.client.post(ada.address("work_next"), follow=True)
    assert "Calibration" not in text_of(there)
    assert Slot.objects.held().get(holder=ada.member.user).item.purpose == "work"


def test_who_does_not_pass_reads_so_and_takes_another_attempt(ada: Worker) -> None:
    hand_in(ada, WRONG)
    hand_in(ada, WRONG)
    told = text_of(ada.get("work"))
    assert "6 of 10 fields were as expected: 60 %. The queue opens at 90 %." in told
    ada.client.post(ada.address("work_next"))
    assert not Slot.objects.held().exists()
    ada.client.post(ada.address("calibration_again"))
    assert "0 of 2 submitted. This is attempt 2." in text_of(ada.get("work"))
    hand_in(ada, DRAFT)
    hand_in(ada, DRAFT)
    assert fresh(ada.member).calibrated_at is not None


def test_another_attempt_is_refused_before_the_first_one_ended(ada: Worker) -> None:
    taken(ada.member)
    answered = ada.client.post(ada.address("calibration_again"), follow=True)
    assert "There is no attempt to start now" in text_of(answered)
    assert Slot.objects.filter(item__purpose="calibration").count() == 2


def test_where_a_lead_decides_the_page_says_who(project: Project, ada: Worker) -> None:
    Readiness.objects.update(calibration_by="review")
    lead = make_member(project, "lead")
    work_through(ada.member, 2)
    told = text_of(ada.get("work"))
    assert "A lead will check it and open the queue for you" in told
    assert f"Ask {lead.user}" in told


def test_without_items_for_it_the_page_says_whom_to_ask(project: Project) -> None:
    make_member(project, "lead")
    bo = colleague(project, languages=["zh"])
    assert "has no calibration items for your languages and groups yet. Ask lead" in text_of(bo.get("work"))


def test_what_is_expected_is_shown_to_nobody_before_and_to_nobody_else(project: Project, ada: Worker) -> None:
    Annotation.objects.filter(rater="import").update(draft={**DRAFT, "feedback": "Expected words."})
    slot = taken(ada.member)
    assert ada.get("work_feedback", slot).status_code == 404
    for name in ("work_item", "work_feedback"):
        assert b"Expected words." not in ada.get(name, slot).content
    assert b"Expected words." not in ada.client.get(reverse("item", args=[project.slug, slot.item_id])).content
    answer(ada.member, slot)
    assert b"Expected words." in ada.get("work_feedback", slot).content
    assert colleague(project).get("work_feedback", slot).status_code == 404


def test_there_is_no_feedback_on_a_check(project: Project, ada: Worker) -> None:
    Readiness.objects.update(calibration_each=0, check_share=1)
    check(project, "gold")
    slot = taken(ada.member)
    assert slot.item.purpose == "gold"
    answer(ada.member, slot)
    assert ada.get("work_feedback", slot).status_code == 404


def test_a_paused_person_reads_why_and_whom_to_ask(project: Project, ada: Worker) -> None:
    lead = make_member(project, "lead")
    Member.objects.filter(pk=ada.member.pk).update(paused_at="2026-01-01T00:00Z", paused_reason="Of your last checks…")
    told = text_of(ada.get("work"))
    assert "You have been paused since 1 Jan 2026" in told
    assert "Of your last checks…" in told
    assert f"Ask {lead.user}" in told
    reviewer = colleague(project, "reviewer", paused_at="2026-01-01T00:00Z", paused_reason="Why not")
    assert "You are paused: Why not" in text_of(
        reviewer.client.post(reverse("review_next", args=[project.slug]), follow=True)
    )


def test_a_project_that_asks_nothing_is_asked_nothing() -> None:
    """What it asks is read along with the membership: handing out work takes not one query more."""
    project = make_project()
    make_item(project, suggestion=DRAFT)
    one = colleague(project)
    with CaptureQueriesContext(connection) as seen:
        one.client.post(one.address("work_next"))
    about = [query["sql"] for query in seen.captured_queries if "annotate_readiness" in query["sql"]]
    assert len(about) == 1
    assert 'FROM "annotate_member"' in about[0]
    assert "purpose" not in about[0]
