"""Checks among the work: drawn, hidden, reckoned."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.hidden_checks import seen_by
from annotate.items import leases, queue
from annotate.items.history import history_of
from annotate.models import Annotation, Comment, Item, Member, Notification, Project, Readiness, Slot
from annotate.people.members import member_rows
from annotate.project.home import my_work
from annotate.readiness import actions, checks
from annotate.web.access import item_seen_by
from annotate.work import desk, submit
from annotate.work.progress import progress
from tests.support.checks import WRONG, answer, asking, check, earlier, fresh, taken, work_through
from tests.support.desks import Worker, colleague, expire_all, posted
from tests.support.people import DRAFT, make_item, make_member
from tests.support.programs_with_tokens import program

pytestmark = pytest.mark.django_db


def made(items: int = 4, gold: int = 2, **asked: Any) -> Project:
    project = asking(**({"check_share": 1} | asked))
    for _ in range(items):
        make_item(project, suggestion=DRAFT, group="Maths")
    for _ in range(gold):
        check(project, "gold")
    return project


def purposes(slots: list[Slot]) -> list[str]:
    return [slot.item.purpose for slot in slots]


def until_done(member: Member, draft: dict[str, Any] | None = None) -> list[Slot]:
    slots = []
    while slot := desk.open_next(fresh(member)):
        answer(member, slot, draft)
        slots.append(slot)
    return slots


class TestHandingOut:
    def test_each_check_comes_to_a_person_once_and_the_work_is_done_all_the_same(self) -> None:
        ada = make_member(made())
        slots = until_done(ada)
        assert purposes(slots).count("gold") == 2
        assert len({slot.item_id for slot in slots}) == 6

    def test_everybody_gets_a_place_of_their_own(self) -> None:
        project = made(items=6)
        for member in (make_member(project), make_member(project)):
            assert set(purposes(work_through(member, 2))) == {"gold"}

    def test_without_work_there_is_no_check(self) -> None:
        ada = make_member(made(items=0))
        assert desk.open_next(fresh(ada)) is None

    def test_no_share_or_no_row_means_no_checks(self) -> None:
        ada = make_member(made(check_share=0))
        assert set(purposes(until_done(ada))) == {"work"}

    def test_leads_get_none(self) -> None:
        assert set(purposes(until_done(make_member(made(), "lead")))) == {"work"}

    def test_about_so_many_are_drawn_as_the_share_says(self) -> None:
        """600 people's first hand-out at a share of 0.2: 120 are expected, the standard deviation is 9.8."""
        project = made(items=0, gold=0, check_share="0.2")
        members = [Member(pk=number, project=project, role="annotator") for number in range(1, 601)]
        drawn = sum(checks.is_drawn(member, 0, Decimal("0.2")) for member in members)
        assert 80 < drawn < 160

    @pytest.mark.parametrize("late", [1, 2])
    def test_two_windows_at_once_are_given_one_check(self, monkeypatch: pytest.MonkeyPatch, late: int) -> None:
        """The second one looked, once or twice, before the first one had written."""
        ada = make_member(made())
        gold = checks.next_check(fresh(ada))
        assert gold is not None
        look, seen = checks._holds_something, [False] * late
        monkeypatch.setattr(checks, "_holds_something", lambda member: seen.pop() if seen else look(member))
        monkeypatch.setattr(checks, "unseen_checks", lambda member: Item.objects.filter(pk=gold.item_id))
        assert checks.next_check(fresh(ada)) is None
        assert list(Slot.objects.held().filter(holder=ada.user)) == [gold]
        assert Slot.objects.filter(item__purpose="work", state="open").count() == 4  # no work was lost on the way

    def test_work_whose_place_was_taken_is_at_the_end_of_the_queue_with_all_it_had(self) -> None:
        project = made(items=1, gold=1)
        Slot.objects.update(priority=3, blind=True)
        before = Slot.objects.values("item_id", "stage", "round", "no", "priority", "blind").get()
        until_done(make_member(project))
        assert Slot.objects.filter(**before, state="submitted").count() == 1

    def test_an_item_that_somebody_began_keeps_its_place(self) -> None:
        project = made(items=1, gold=1, check_share=0)
        ada, bo = make_member(project), make_member(project)
        slot = taken(ada)
        expire_all()
        Readiness.objects.update(check_share=1)
        assert taken(bo).pk == slot.pk
        assert Slot.objects.get(pk=slot.pk).item.purpose == "work"

    def test_who_wrote_the_expected_answer_is_not_checked_with_it(self) -> None:
        project = made(items=2, gold=1)
        ada = make_member(project)
        own = Item.objects.get(purpose="gold")
        slot = Slot.objects.create(
            item=own, project=project, stage="annotate", round=1, state="submitted", holder=ada.user
        )
        Annotation.objects.create(item=own, slot=slot, author=ada.user, draft=DRAFT, authored=True)
        assert purposes(until_done(ada)) == ["work", "work"]


class TestNobodyCanTell:
    @pytest.fixture
    def both(self) -> tuple[Worker, Slot, Slot]:
        """Somebody who has handed in a check and a work item of the same content, and holds nothing."""
        project = made(items=1, gold=1, check_share=1)
        one = colleague(project)
        gold, plain = until_done(one.member)
        assert (gold.item.purpose, plain.item.purpose) == ("gold", "work")
        return one, gold, plain

    def same(self, one: Worker, gold: Slot, plain: Slot, left: str, right: str) -> None:
        """Two pages are the same but for keys, ids, tokens and times."""

        def bare(page: str, slot: Slot) -> str:
            for word in (slot.item.key, slot.item.title):
                page = page.replace(word, "KEY")
            page = re.sub(r'(csrfmiddlewaretoken|token)" value="[^"]*"', "TOKEN", page)
            page = re.sub(r"CSRFToken\W+\w+", "TOKEN", page)
            page = re.sub(r'nonce-?[^" ]*|"hX-CSRF[^"]*"|datetime="[^"]*"', "", page)
            return re.sub(r"\d+", "N", page)

        assert bare(left, gold) == bare(right, plain)

    def test_the_page_of_work_is_the_same_in_hand_and_handed_in(self) -> None:
        project = made(items=1, gold=1)
        one = colleague(project)
        pages = {}
        for _turn in range(2):
            slot = taken(one.member)
            pages[slot.item.purpose] = slot, [one.get("work_item", slot).content.decode()]
            answer(one.member, slot)
            pages[slot.item.purpose][1].append(one.get("work_item", slot).content.decode())
        (gold, golden), (plain, work_pages) = pages["gold"], pages["work"]
        for left, right in zip(golden, work_pages, strict=True):
            assert len(left) > 1000
            self.same(one, gold, plain, left, right)
            assert "gold" not in left.lower()

    def test_the_page_of_the_item_is_the_same(self, both: tuple[Worker, Slot, Slot]) -> None:
        one, gold, plain = both
        Annotation.objects.filter(rater="import").update(draft={**DRAFT, "feedback": "EXPECTED"})
        left = one.client.get(reverse("item", args=[one.project.slug, gold.item_id])).content.decode()
        assert "EXPECTED" not in left
        assert "gold" not in left.lower()
        seen = item_seen_by(fresh(one.member), gold.item_id)
        assert (seen.state, seen.round, seen.base_id) == ("reviewing", 1, None)
        assert seen.item.state == "accepted"  # the row itself is as it is stored
        real = Item.objects.get(pk=plain.item_id)
        assert (seen.state, seen.round) == (real.state, real.round)
        verbs = [
            [(event.verb, event.from_state, event.to_state) for event in history_of(
                item_seen_by(fresh(one.member), slot.item_id).item, kind=one.project.kind, seen_by=fresh(one.member)
            ).events if event.actor_id == one.member.user_id]
            for slot in both[1:]
        ]  # fmt: skip
        assert verbs[0] == verbs[1] == [("submitted", "ready", "reviewing")]

    def test_what_was_said_and_whose_place_it_is_stays_hidden(self, both: tuple[Worker, Slot, Slot]) -> None:
        one, gold, _plain = both
        lead = make_member(one.project, "lead")
        hidden = Comment.objects.create(
            item=gold.item, field="error_type", author=lead.user, text="Said while it was work."
        )
        Comment.objects.create(item=gold.item, field="error_type", author=one.member.user, text="My own words.")
        page = one.client.get(reverse("item", args=[one.project.slug, gold.item_id])).content.decode()
        assert "Said while it was work." not in page + one.get("work_item", gold).content.decode()
        assert "My own words." in page
        address = f"/api/v1/projects/{one.project.slug}/items/{gold.item_id}/comments/"
        threads = {who: program(who).get(address).json()["results"] for who in (fresh(one.member), lead)}
        assert [len(rows) for rows in threads.values()] == [1, 2]
        assert threads[fresh(one.member)][0]["text"] == "My own words."
        guessed = reverse("comment_answer", args=[one.project.slug, hidden.pk])
        assert one.client.post(guessed, {"text": "Why?"}).status_code == 404
        assert not hidden.answers.exists()
        item, member = item_seen_by(fresh(one.member), gold.item_id).item, fresh(one.member)
        (slot,) = history_of(item, kind=one.project.kind, seen_by=member).slots
        assert (slot.no, slot.round, slot.reserved_for) == (1, 1, None)
        assert Slot.objects.get(pk=gold.pk).own

    def test_comments_are_of_the_round_that_they_see(self) -> None:
        project = made(items=1, gold=0)
        item = check(project, "gold", round=2)
        one = colleague(project)
        assert taken(one.member).item_id == item.pk
        one.client.post(reverse("comment_add", args=[project.slug, item.pk]), {"text": "Why?"})
        thread = Comment.objects.get()
        one.client.post(reverse("comment_answer", args=[project.slug, thread.pk]), {"text": "Because."})
        assert set(Comment.objects.values_list("text", "round")) == {("Why?", 1), ("Because.", 1)}
        assert Item.objects.get(pk=item.pk).round == 2

    def test_without_reviews_it_looks_accepted_as_work_is(self) -> None:
        project = made(items=1, gold=1)
        Project.objects.update(reviews=0)
        ada = make_member(Project.objects.get(pk=project.pk))
        for slot in until_done(ada):
            seen = item_seen_by(fresh(ada), slot.item_id)
            told = history_of(seen.item, kind=project.kind, seen_by=fresh(ada)).events
            assert seen.state == "accepted"
            assert [(event.verb, event.to_state) for event in told if event.actor_id] == [("accepted", "accepted")]

    def test_the_number_in_the_address_is_that_of_the_queue(self) -> None:
        """Slots made for a check would be the newest: here the first ones are given to checks."""
        project = made(items=4, gold=2)
        first = sorted(Slot.objects.values_list("pk", flat=True))
        slots = work_through(make_member(project), 2)
        assert set(purposes(slots)) == {"gold"}
        assert {slot.pk for slot in slots} <= set(first)

    @pytest.mark.parametrize("share", ["1", "0.5", "0.3"])
    def test_the_total_stands_still_whatever_is_handed_in(self, share: str) -> None:
        project = made(items=6, gold=3, check_share=share)
        ada = make_member(project)
        total = progress(fresh(ada), fresh=True).total
        slots = until_done(ada)
        assert len(slots) == total
        counted = []
        bo = make_member(made(items=6, gold=3, check_share=share))
        while slot := desk.open_next(fresh(bo)):
            counted.append(progress(fresh(bo), fresh=True).total)
            answer(bo, slot)
            counted.append(progress(fresh(bo), fresh=True).total)
        assert len(set(counted)) == 1

    def test_it_is_undone_and_handed_in_again_like_work(self, both: tuple[Worker, Slot, Slot]) -> None:
        one, gold, plain = both
        for slot in (gold, plain):
            mine = slot.annotations.get(author=one.member.user)
            held = submit.undo(annotation=mine, by=one.member.user)
            assert held.state == "held"
            answer(one.member, slot, WRONG)
        assert Item.objects.get(pk=gold.item_id).state == "accepted"

    def test_skipping_and_taking_the_skip_back_is_as_with_work(self) -> None:
        ada = make_member(made(items=1, gold=1))
        for _turn in range(2):
            slot = taken(ada)
            leases.skip(slot, slot.token, person=ada.user, reason="too_hard")
            assert desk.back_from_skip(fresh(ada), slot.pk) is not None
            answer(ada, slot)

    def test_what_was_skipped_comes_to_nobody_else_as_work(self) -> None:
        project = made(items=1, gold=1)
        ada, bo = make_member(project), make_member(project)
        slot = taken(ada)
        leases.skip(slot, slot.token, person=ada.user, reason="too_hard")
        Readiness.objects.update(check_share=0)
        assert purposes(until_done(bo)) == ["work"]

    def test_a_check_that_ran_out_is_no_item_that_was_sent_back(self) -> None:
        project = made(items=1, gold=1)
        ada = make_member(project)
        slot = taken(ada)
        assert slot.item.purpose == "gold"
        expire_all()
        (share,) = my_work(ada.user)
        assert share.returned == 0
        assert member_rows(project)[0].figures.assigned == 0
        assert desk.take_up(fresh(ada), slot.pk) is not None

    def test_posting_the_form_leads_on_to_the_next_item_with_an_undo(self) -> None:
        one = colleague(made(items=2, gold=1))
        slot = taken(one.member)
        assert slot.item.purpose == "gold"
        given = one.client.post(one.address("work_submit", slot), one.form(slot) | posted(DRAFT) | {"confirm": "1"})
        assert re.fullmatch(rf"/p/{one.project.slug}/work/\d+/\?done={slot.pk}", given["Location"])


class TestPausing:
    def paused(self, member: Member) -> bool:
        return fresh(member).paused_at is not None

    def test_below_the_floor_over_the_last_checks_somebody_is_paused_and_hears_why(self) -> None:
        project = made(items=4, gold=3, window=2, floor="0.8")
        lead, ada = make_member(project, "lead"), make_member(project)
        work_through(ada, 1, WRONG)
        assert not self.paused(ada)  # one check says too little
        work_through(ada, 1, WRONG)
        assert self.paused(ada)
        # three of five fields are as expected in WRONG
        reason = fresh(ada).paused_reason
        assert "In your last 2 of them, 60% of the fields were as expected; this project requires 80%." in reason
        told = Notification.objects.get(user=lead.user, verb="paused").note
        assert f"{ada.user} is paused: in the last 2 checks, 60% of the fields were as expected" in told
        assert Notification.objects.get(user=ada.user, verb="paused").note == reason
        assert desk.open_next(fresh(ada)) is None

    def test_who_is_paused_finishes_what_is_in_hand_and_takes_nothing_new(self) -> None:
        project = made(window=1, floor="0.8")
        ada = make_member(project)
        slot = taken(ada)
        Member.objects.filter(pk=ada.pk).update(paused_at=timezone.now(), paused_reason="r")
        answer(ada, slot)
        assert desk.open_next(fresh(ada)) is None
        assert desk.take_up(fresh(ada), Slot.objects.open().earliest("pk").pk) is None
        assert queue.claim_next(fresh(ada), "review") is None

    def test_only_the_last_ones_count(self) -> None:
        project = made(items=6, gold=4, window=2, floor="0.8")
        ada = make_member(project)
        Readiness.objects.update(floor=0)
        work_through(ada, 1, WRONG)
        work_through(ada, 1)
        Readiness.objects.update(floor="0.8")
        work_through(ada, 1)
        last = checks.recent(project, [fresh(ada)], 2)[ada.user_id]
        assert len(last) == 2
        assert not self.paused(ada)

    def test_who_goes_on_begins_anew(self) -> None:
        project = made(items=6, gold=4, window=2, floor="0.8")
        lead, ada = make_member(project, "lead"), make_member(project)
        for slot in work_through(ada, 2, WRONG):
            earlier(slot.annotations.get(author=ada.user), minutes=5)
        actions.go_on(fresh(ada), by=lead.user)
        work_through(ada, 1, WRONG)
        assert not self.paused(ada)
        work_through(ada, 1, WRONG)
        assert self.paused(ada)

    def test_work_and_calibration_pause_nobody(self) -> None:
        project = made(items=2, gold=0, window=1, floor="1", calibration_each=1, passes_at="0.1")
        check(project)
        ada = make_member(project)
        work_through(ada, 3, WRONG)
        assert not self.paused(ada)

    def test_what_somebody_wrote_when_a_check_was_still_work_is_no_check(self) -> None:
        project = made(items=1, gold=0, window=1, floor="1")
        ada = make_member(project)
        slot = taken(ada)
        answer(ada, slot, WRONG)
        Item.objects.filter(pk=slot.item_id).update(purpose="gold")
        assert checks.recent(project, [fresh(ada)], 5) == {}

    def test_an_attention_item_is_compared_in_what_it_dictates(self) -> None:
        project = made(items=2, gold=0, window=1, floor="1")
        item = check(project, "attention")
        Annotation.objects.filter(pk=item.base_id).update(rater="expected", decided=["error_type"])
        ada = make_member(project)
        work_through(ada, 1, {**DRAFT, "feedback_type": ["Clarifying Intent"]})
        assert not self.paused(ada)


def test_a_masked_item_is_shown_to_others_as_it_is() -> None:
    project = made(items=1, gold=1)
    item = Item.objects.get(purpose="gold")
    for role in ("lead", "reviewer", "viewer"):
        assert seen_by(item, make_member(project, role)).state == "accepted"
