"""The last word where people disagree: candidates, what must be decided, and who hears of it."""

from typing import Any

import pytest
from django.utils import timezone

from annotate.errors import Refused
from annotate.items import drafts, queue
from annotate.models import Annotation, Comment, Item, Member, Notification, Slot
from annotate.review import adjudication, claim
from annotate.review.adjudication import AdjudicationTable, table_of
from annotate.review.decisions import Reason
from annotate.review.desks import AdjudicationDesk, adjudication_desk
from tests.annotate.work.test_overlapping import hand_in, overlapped
from tests.support.people import DRAFT, make_member

pytestmark = pytest.mark.django_db
OTHER = {**DRAFT, "error_type": ["Logical Error"], "feedback": "Two."}


class Dispute:
    """Two people disagree about deficiency and feedback; a lead has taken it up."""

    def __init__(self, second: dict[str, Any] = OTHER) -> None:
        self.item, self.people = overlapped()
        self.texts = [hand_in(self.item, self.people[0]), hand_in(self.item, self.people[1], second)]
        Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
        self.lead = make_member(self.item.project, "lead")
        slot = claim.take_next(self.lead)
        assert slot is not None
        assert slot.stage == "adjudicate"
        self.slot = slot
        self.text = Annotation.objects.select_related("slot").get(slot=slot)

    @property
    def table(self) -> AdjudicationTable:
        return table_of(self.slot, Item.objects.select_related("project").get(pk=self.item.pk))

    def write(self, draft: dict[str, Any], decided: list[str]) -> None:
        self.text = drafts.save(self.text, draft, revision=self.text.revision, decided=decided)

    def accept(self, note: str = "") -> Item:
        adjudication.accept(review=self.text, token=self.slot.token, by=self.lead.user, note=note)
        self.item.refresh_from_db()
        return self.item


BOTH = ["error_type", "feedback"]


def test_it_begins_with_what_all_say_and_nothing_where_they_differ() -> None:
    made = Dispute()
    assert [one.name for one in made.table.disputed] == BOTH
    assert made.text.draft == {**DRAFT, "error_type": [], "feedback": ""}
    assert [one.label for one in made.table.candidates] == ["Annotator 1", "Annotator 2"]


def test_every_disputed_field_is_decided_first() -> None:
    made = Dispute()
    made.write(OTHER, ["error_type"])
    with pytest.raises(Refused, match="Feedback"):
        made.accept()
    made.item.refresh_from_db()
    assert made.item.state == "adjudicating"


def test_a_whole_text_that_is_adopted_stays_its_authors() -> None:
    made = Dispute()
    made.write(OTHER, BOTH)
    item = made.accept()
    assert (item.state, item.base) == ("accepted", made.texts[1])
    made.text.refresh_from_db()
    assert (made.text.outcome, made.text.authored) == ("accepted", False)


def test_a_text_made_of_both_is_the_adjudicators() -> None:
    made = Dispute()
    made.write({**DRAFT, "feedback": "Two."}, BOTH)
    item = made.accept()
    assert (item.base, item.base.outcome, item.base.authored) == (made.text, "fixed", True)


def test_who_overrules_everybody_says_why() -> None:
    made = Dispute()
    made.write({**DRAFT, "feedback": "Neither of these."}, BOTH)
    with pytest.raises(Refused, match="override"):
        made.accept()
    assert made.accept("Both miss the point.").state == "accepted"
    assert {told.note for told in Notification.objects.filter(verb="accepted")} == {"Both miss the point."}


def test_all_who_wrote_hear_of_it_once() -> None:
    made = Dispute()
    made.write(OTHER, BOTH)
    made.accept()
    told = Notification.objects.filter(item=made.item).values_list("user", "verb")
    assert sorted(told) == sorted((member.user_id, "accepted") for member in made.people)


def test_sent_back_everybody_begins_with_their_own_text() -> None:
    made = Dispute()
    reasons = [Reason("feedback", "Look at the moons again.")]
    adjudication.send_back(review=made.text, token=made.slot.token, by=made.lead.user, reasons=reasons)
    made.item.refresh_from_db()
    assert (made.item.state, made.item.round) == ("ready", 2)
    assert Comment.objects.get().field == "feedback"
    for member, draft in zip(made.people, (DRAFT, OTHER), strict=True):
        slot = hand_out(member)
        assert slot.reserved_for == member.user
        fresh = drafts.open_draft(slot, author=member.user, item=slot.item, project=made.item.project)
        assert fresh.draft == draft


def hand_out(member: Member) -> Slot:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    return slot


def test_to_drop_what_all_found_suitable_needs_a_note() -> None:
    made = Dispute()
    with pytest.raises(Refused, match="override"):
        adjudication.drop(review=made.text, token=made.slot.token, by=made.lead.user, reason="other")
    adjudication.drop(review=made.text, token=made.slot.token, by=made.lead.user, reason="other", note="Two questions.")
    made.item.refresh_from_db()
    assert (made.item.state, made.item.drop_reason) == ("dropped", "other")


def test_one_who_called_it_unsuitable_is_no_candidate_for_an_overruling() -> None:
    made = Dispute({**DRAFT, "suitable": False})
    adjudication.drop(review=made.text, token=made.slot.token, by=made.lead.user, reason="unsuitable")
    made.item.refresh_from_db()
    assert made.item.state == "dropped"


class TestTaskAndSubtask:
    """One control of the form decides both, so people decide about both together."""

    SECOND = DRAFT | {"task_type": "Reasoning", "sub_task_type": "IQ Questions"}
    SUBTASK = DRAFT | {"sub_task_type": "Concept Explanation"}
    PATH = ["task_type", "sub_task_type"]

    def desk(self, made: Dispute) -> AdjudicationDesk:
        desk = adjudication_desk(made.lead, made.slot.pk)
        assert desk is not None
        return desk

    @pytest.mark.parametrize("second", [SECOND, SUBTASK])
    def test_they_are_one_choice(self, second: dict[str, Any]) -> None:
        made = Dispute(second)
        assert [one.name for one in made.table.disputed] == self.PATH
        assert (made.text.draft["task_type"], made.text.draft["sub_task_type"]) == ("", "")
        choices = self.desk(made).open_choices
        assert [(choice.name, choice.label) for choice in choices] == [("task_type", "Task / Subtask")]
        assert [len(card.compared) for card in choices[0].cards] == [2, 2]

    def test_they_are_adopted_and_taken_back_together(self) -> None:
        made = Dispute(self.SECOND)
        desk = self.desk(made)
        draft, decided = desk.act(made.text.draft, [], "take:task_type:2") or ({}, [])
        assert (draft["task_type"], draft["sub_task_type"]) == ("Reasoning", "IQ Questions")
        assert decided == self.PATH
        draft, decided = desk.act(draft, decided, "reset:task_type") or ({}, [])
        assert (draft["task_type"], draft["sub_task_type"], decided) == ("", "", [])

    def test_what_the_form_changes_of_one_decides_both(self) -> None:
        made = Dispute(self.SUBTASK)
        made.write(DRAFT, self.PATH)
        assert self.desk(made).decided_after(self.SUBTASK) == self.PATH
        made.write(made.text.draft | {"task_type": "", "sub_task_type": ""}, [])
        assert self.desk(made).decided_after(made.text.draft | {"task_type": "Reasoning"}) == self.PATH

    def test_a_task_of_one_and_a_subtask_of_another_are_nobodys(self) -> None:
        made = Dispute(self.SECOND)
        made.write(DRAFT | {"sub_task_type": "IQ Questions"}, self.PATH)
        assert [choice.state for choice in self.desk(made).open_choices] == ["overruled"]

    def test_half_of_them_is_not_enough(self) -> None:
        made = Dispute(self.SECOND)
        made.write(DRAFT, ["task_type"])
        with pytest.raises(Refused, match="Task / Subtask"):
            made.accept()
        made.write(DRAFT, self.PATH)
        assert made.accept().state == "accepted"
