import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotate.items import actions, leases
from annotate.models import Guideline, Item, Member, Slot
from annotate.review import decisions
from tests.support.desks import Worker, colleague, worker
from tests.support.pages import text_of
from tests.support.people import DRAFT, FACTS, make_item, make_member
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db


def test_the_start_page_offers_the_next_item_and_claims_nothing() -> None:
    ada = worker()
    answer = ada.get("work")
    assert "There is work for you" in text_of(answer)
    assert not Slot.objects.held().exists()


def test_asking_for_the_next_item_by_get_claims_nothing() -> None:
    ada = worker()
    assert ada.get("work_next").headers["Location"] == ada.address("work")
    assert not Slot.objects.held().exists()


def test_next_claims_an_item_and_leads_to_its_page() -> None:
    ada = worker()
    answer = ada.client.post(ada.address("work_next"))
    slot = Slot.objects.held_by(ada.member.user).get()
    assert (answer.status_code, answer.headers["Location"]) == (302, ada.address("work_item", slot))
    assert ada.annotation(slot).draft == DRAFT


def test_the_start_page_leads_on_to_the_item_in_hand() -> None:
    ada = worker()
    slot = ada.opened()
    assert ada.get("work").headers["Location"] == ada.address("work_item", slot)


def test_the_page_shows_material_form_progress_and_lease() -> None:
    ada = worker(items=3, lease_minutes=30)
    Guideline.objects.create(project=ada.project, version=2, text="Be **exact**.")
    slot = ada.opened()
    answer = ada.get("work_item", slot)
    text = text_of(answer)
    assert FACTS["user_query"] in text
    assert FACTS["origin_first_response"] in text
    assert "Item 1 of 3" in text
    assert "0 / 3" in text
    assert "Reserved for you · 30 min" in text
    assert "version 2" in text
    assert "Be exact ." in text
    assert answer.headers["Cache-Control"].startswith("max-age=0, no-cache, no-store")


def test_the_page_of_an_item_takes_few_queries(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    ada = worker(items=30)
    Guideline.objects.create(project=ada.project, version=1, text="Be exact.")
    slot = ada.opened()
    ada.get("work_item", slot)
    with django_assert_max_num_queries(8):
        ada.get("work_item", slot)


def test_the_first_page_of_a_session_counts_the_queue_too(django_assert_max_num_queries: object) -> None:
    ada = worker(items=30)
    slot = ada.opened()
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        ada.get("work_item", slot)


def test_an_item_that_one_has_never_opened_does_not_exist() -> None:
    ada = worker(items=1)
    bob = colleague(ada.project)
    slot = ada.opened()
    assert bob.get("work_item", slot).status_code == 404
    assert bob.client.post(ada.address("work_submit", slot)).status_code == 404


def test_a_stranger_gets_404_and_a_viewer_403() -> None:
    ada = worker()
    slot = ada.opened()
    stranger = colleague(worker().project)
    viewer = colleague(ada.project, "viewer")
    assert stranger.client.get(ada.address("work_item", slot)).status_code == 404
    assert viewer.client.get(ada.address("work")).status_code == 403


def test_nobody_sees_a_work_page_without_signing_in(client: Client) -> None:
    ada = worker()
    answer = client.get(ada.address("work"))
    assert answer.headers["Location"].startswith("/accounts/login/")


def test_a_blank_item_begins_with_an_empty_form_and_no_reproach() -> None:
    ada = worker(suggestion=None)
    page = ada.get("work_item", ada.opened()).content.decode()
    assert "Check these first" not in page
    assert 'class="origin' not in page


def test_the_drafts_doubts_and_the_checks_stand_first() -> None:
    ada = worker(suggestion={**DRAFT, "checklist": [["How well is it explained?", 0.5], ["Is it right?", 0.2]]})
    slot = ada.opened()
    suggestion = ada.annotation(slot).suggestion
    suggestion.doubts = [{"path": "error_type", "message": "whether it is also incomplete."}]
    suggestion.save()
    text = text_of(ada.get("work_item", slot))
    assert "The weights add up to 0.7, not to 1. Go to Checklist" in text
    assert "Question 1 may not be answerable with yes or no. Go to Checklist 1" in text
    assert "The model was unsure: whether it is also incomplete. Go to Deficiency types" in text


def test_a_doubt_goes_once_its_field_is_decided() -> None:
    ada = worker()
    slot = ada.opened()
    suggestion = ada.annotation(slot).suggestion
    suggestion.doubts = [{"path": "error_type", "message": "whether it is also incomplete."}]
    suggestion.save()
    answer = ada.post("work_save", slot, parts=True, action="keep:error_type")
    assert "whether it is also incomplete" not in answer.content.decode()


def test_material_is_shown_but_never_used() -> None:
    bad = '<img src=x onerror="alert(1)"> **bold** [a](javascript:alert(1)) <b hx-get="/x">'
    ada = worker(items=0)
    make_item(ada.project, facts={**FACTS, "user_query": bad}, suggestion={**DRAFT, "feedback": bad})
    page = ada.get("work_item", ada.opened()).content.decode()
    assert "<img" not in page
    assert "<b hx-get" not in page
    assert 'href="javascript:' not in page
    assert "<strong>bold</strong>" in page


def test_each_text_says_its_language_and_lets_the_browser_find_its_direction() -> None:
    ada = worker(items=0)
    make_item(ada.project, language="zh", facts={**FACTS, "user_query": "火星有几颗卫星？"})
    page = ada.get("work_item", ada.opened()).content.decode()
    assert '<div class="turn__rendered prose" lang="zh-Hans" dir="auto" hx-disable>' in page
    assert '<div class="turn__rendered prose" lang="en" dir="auto" hx-disable>' in page


def test_only_long_texts_are_folded() -> None:
    ada = worker(items=0)
    make_item(ada.project, facts={**FACTS, "origin_first_response": "\n".join(["a line"] * 41)})
    text = text_of(ada.get("work_item", ada.opened()))
    assert "Show all 41 lines" in text
    assert text.count("Show all") == 1


def test_the_follow_up_of_the_draft_is_part_of_the_material() -> None:
    ada = worker(suggestion={**DRAFT, "reference_second_response": "Two: Phobos and Deimos."})
    page = ada.get("work_item", ada.opened()).content.decode()
    assert 'id="turn-4"' in page


def test_what_came_back_shows_its_reason_with_a_link_to_the_field() -> None:

    case = make_case()
    review = case.under_review()
    decisions.send_back(
        review=review, token=review.slot.token, by=case.reviewer, reasons=[decisions.Reason("feedback", "Too harsh.")]
    )
    ada = Worker(Client(), case.member(case.annotator))
    ada.client.force_login(case.annotator)
    page = ada.get("work_item", ada.opened()).content.decode()
    assert "Returned to you" in page
    assert re.search(
        r'href="#field-feedback">Feedback</a>: </?\w*>?Too harsh|href="#field-feedback">Feedback</a>: Too', page
    )
    assert 'id="threads"' in page


class TestNothingToDo:
    def test_no_items_at_all(self) -> None:
        ada = worker(items=0)
        lead = make_member(ada.project, "lead")
        text = text_of(ada.get("work"))
        assert "You have no items yet" in text
        assert f"Ask {lead.user}." in text

    def test_nothing_in_my_languages(self) -> None:
        ada = worker(items=1)
        Member.objects.filter(pk=ada.member.pk).update(languages=["fr"])
        assert "No waiting items match your languages and groups." in text_of(ada.get("work"))

    def test_items_are_with_others(self) -> None:
        ada = worker(items=1, lease_minutes=12)
        colleague(ada.project).opened()
        text = text_of(ada.get("work"))
        assert "Others are working on 1 item" in text
        assert re.search(r"The oldest lease ends in 1[12] minutes", text.replace("\xa0", " "))

    def test_the_project_is_paused(self) -> None:
        ada = worker(items=1)
        ada.project.paused_at, ada.project.paused_reason = timezone.now(), "Guideline 4 is being rewritten."
        ada.project.save()
        text = text_of(ada.get("work"))
        assert "Paused since" in text
        assert "Guideline 4 is being rewritten." in text

    def test_the_limit_is_reached(self) -> None:
        ada = worker(items=2)
        ada.post("work_submit", ada.opened(), confirm="1")
        Slot.objects.held().update(state="open", holder=None, token=None, lease_until=None)
        Member.objects.filter(pk=ada.member.pk).update(daily_limit=1)
        assert "Your daily limit is 1 item." in text_of(ada.get("work"))

    def test_all_done_says_what_became_of_it(self) -> None:
        ada = worker(items=1, reviews=0)
        ada.post("work_submit", ada.opened(), confirm="1", seconds="60")
        text = text_of(ada.get("work"))
        assert "All done, thank you" in text
        assert "You finished 1 item in" in text

    def test_all_done_says_who_goes_on(self) -> None:
        ada = worker(items=1)
        ada.post("work_submit", ada.opened(), confirm="1")
        answer = ada.get("work")
        assert "Others are now reviewing: 1 item waits for a reviewer." in text_of(answer)
        assert f'<a class="button" href="/p/{ada.project.slug}/">' in answer.content.decode()
        answer = colleague(ada.project, "reviewer").get("work")
        assert "Nothing is left to annotate" in text_of(answer)
        assert "1 item waits for a reviewer. Nobody reviews their own work." in text_of(answer)
        assert f'<a class="button button--primary" href="/p/{ada.project.slug}/review/">' in answer.content.decode()

    def test_items_wait_for_a_suggestion(self) -> None:
        ada = worker(items=0)
        Item.objects.create(project=ada.project, key="k", facts=FACTS, content_hash="k")
        assert "1 item is not ready yet" in text_of(ada.get("work"))

    def test_an_item_that_was_dropped_meanwhile_says_so_and_offers_the_next(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        ada.post("work_save", slot, parts=True, feedback="Mine.")

        actions.drop(Item.objects.get(pk=slot.item_id), by=make_member(ada.project, "lead").user, reason="duplicate")
        text = text_of(ada.get("work_item", slot))
        assert "was dropped (Duplicate)." in text
        assert "Your text is kept under My drafts" in text
        assert "Next item" in text


def test_a_lost_lease_is_said_and_the_item_can_be_taken_up_again() -> None:
    ada = worker(items=1)
    slot = ada.opened()
    ada.post("work_save", slot, parts=True, feedback="Mine.")
    Slot.objects.update(lease_until=timezone.now() - timedelta(minutes=1))

    leases.sweep()
    assert "Nobody has taken it yet" in text_of(ada.get("work_item", slot))
    ada.client.post(ada.address("work_continue", slot))
    assert Slot.objects.get(pk=slot.pk).holder == ada.member.user
    assert ada.annotation(slot).draft["feedback"] == "Mine."


def test_back_leads_to_what_one_handed_in_last() -> None:
    ada = worker(items=3)
    first = ada.opened()
    ada.post("work_submit", first, confirm="1")
    second = ada.opened()
    ada.post("work_submit", second, confirm="1")
    third = ada.opened()
    assert ada.get("work_before", third).headers["Location"] == ada.address("work_item", second)
    assert ada.get("work_before", second).headers["Location"] == ada.address("work_item", first)
    assert ada.get("work_before", first).headers["Location"] == ada.address("my_drafts")


def test_what_is_handed_in_can_be_read_but_not_saved_until_it_is_taken_back() -> None:
    ada = worker(items=2)
    slot = ada.opened()
    ada.post("work_submit", slot, confirm="1")
    page = ada.get("work_item", slot).content.decode()
    assert "Take back and correct" in page
    assert "data-saves" not in page


def test_what_a_reviewer_has_taken_up_cannot_be_taken_back() -> None:
    ada = worker(items=1)
    slot = ada.opened()
    ada.post("work_submit", slot, confirm="1")
    Slot.objects.filter(stage="review").update(
        state="held", holder=make_member(ada.project, "reviewer").user, token=slot.token, lease_until=timezone.now()
    )
    page = ada.get("work_item", slot).content.decode()
    assert "Take back and correct" not in page
    assert "others are already working on it" in page


def test_looking_changes_nothing() -> None:
    ada = worker(items=1)
    slot = ada.opened()

    def everything() -> list[object]:
        return [list(Item.objects.values()), list(Slot.objects.values()), list(slot.annotations.values())]

    before = everything()
    ada.get("work")
    ada.get("work_item", slot)
    ada.get("work_before", slot)
    ada.get("work_submit", slot)
    assert everything() == before


def test_changes_of_a_chinese_text_are_counted_in_characters() -> None:
    ada = worker(suggestion=DRAFT | {"feedback": "火星有两颗卫星。"})
    slot = ada.opened()
    text = ada.post("work_save", slot, parts=True, feedback="火星有两颗小卫星。").content.decode()
    assert '<span class="sign--plus">+1</span>' in text
    assert '<span class="quiet">characters</span>' in text
