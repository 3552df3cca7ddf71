"""What models suggested, on the work page: who it was, what there is to pick, what is newer."""

import re
from typing import Any

import pytest
from django.utils import translation

from annotate.models import Annotation, Item, Project, Slot
from annotate.releases.final_texts import best_texts, released_row
from annotate.releases.stored_values import ReleasedItem
from tests.support.desks import Worker, colleague, worker
from tests.support.pages import text_of
from tests.support.people import DRAFT, make_project
from tests.support.suggestions import RM_DRAFT, maintained, newer, with_candidates

pytestmark = pytest.mark.django_db


def rm_form(ada: Worker, slot: Slot, **changes: Any) -> dict[str, Any]:
    """What the page of an item of response maintenance posts."""
    slot.refresh_from_db()
    annotation = ada.annotation(slot)
    draft = annotation.draft
    return {
        "token": str(slot.token or ""),
        "revision": annotation.revision,
        "decided": annotation.decided,
        "suitable": "yes",
        "task": f"{draft['task_type']} / {draft['sub_task_type']}",
        "feedback": draft["feedback"],
        "feedback_type": draft["feedback_type"],
        "question": draft["checklist"],
    } | changes


def rm_post(ada: Worker, name: str, slot: Slot, **changes: Any) -> Any:
    return ada.client.post(ada.address(name, slot), rm_form(ada, slot, **changes))


@pytest.fixture
def ada() -> Worker:
    project = make_project()
    maintained(project)
    return colleague(project)


class TestWhoDraftedIt:
    def test_model_prompt_version_and_that_it_was_simulated_stand_first(self, ada: Worker) -> None:
        text = text_of(ada.get("work_item", ada.opened()))
        assert "Suggestion by drafter-b, prompt v1 en. simulated" in text
        assert text.index("Suggestion by drafter-b") < text.index("Is this question and answer usable?")

    def test_a_real_model_is_not_called_simulated(self) -> None:
        ada = worker()
        assert "simulated" not in text_of(ada.get("work_item", ada.opened()))

    def test_doubts_are_said_in_the_readers_language(self) -> None:
        ada = worker()
        Annotation.objects.update(
            doubts=[
                {"path": "feedback", "message": "the %(what)s is odd.", "said": {"what": "tone"}, "source": "check"}
            ]
        )
        text = text_of(ada.get("work_item", ada.opened()))
        assert "The tone is odd. Go to Feedback" in text
        assert "The model was unsure" not in text

    def test_what_a_check_says_about_the_same_place_is_said_once(self) -> None:
        ada = worker(suggestion={**DRAFT, "checklist": [["Is it?", 0.5]]})
        Annotation.objects.update(
            doubts=[{"path": "checklist", "message": "odd weights.", "said": {}, "source": "check"}]
        )
        text = text_of(ada.get("work_item", ada.opened()))
        assert "add up to 0.5" in text
        assert "odd weights" not in text.lower()

    def test_what_the_model_left_empty_is_nobodys_draft(self) -> None:
        ada = worker(suggestion={**DRAFT, "task_type": "", "sub_task_type": ""})
        slot = ada.opened()
        page = ada.get("work_item", slot).content.decode()
        assert 'value="keep:feedback"' in page
        assert 'value="keep:task_type,sub_task_type"' not in page
        ada.post("work_submit", slot, task="Coding / Code Debugging", decided=list(DRAFT))
        assert not ada.annotation(slot).unchanged

    def test_the_models_reasons_can_be_read(self) -> None:
        ada = worker()
        Annotation.objects.update(note="- Factual Error: there are two moons.")
        assert "Factual Error: there are two moons." in text_of(ada.get("work_item", ada.opened()))


class TestCandidates:
    def test_they_are_shown_by_type_and_the_field_is_empty(self, ada: Worker) -> None:
        text = text_of(ada.get("work_item", ada.opened()))
        for label, words in (("Simple Questioning", "Really?"), ("Credibility Support", "NASA says three.")):
            assert f"Candidates: {label}" in text
            assert words in text
        assert ada.annotation(Slot.objects.get()).draft["feedback"] == ""

    def test_picking_fills_text_and_type_and_leaves_the_rest(self, ada: Worker) -> None:
        slot = ada.opened()
        answer = rm_post(ada, "work_save", slot, question=["Mine?"], action="pick:2")
        assert answer.headers["Location"] == ada.address("work_item", slot) + "#field-candidates"
        mine = ada.annotation(slot)
        assert (mine.draft["feedback"], mine.draft["feedback_type"]) == ("NASA says three.", ["Credibility Support"])
        assert (mine.draft["checklist"], mine.picked) == (["Mine?"], 2)

    def test_what_was_picked_is_what_the_text_is_compared_with(self, ada: Worker) -> None:
        slot = ada.opened()
        rm_post(ada, "work_save", slot, action="pick:2")
        page = ada.get("work_item", slot).content.decode()
        assert page.count('aria-pressed="true"') == 1
        rm_post(ada, "work_save", slot, feedback="NASA says three, I think.")
        page = ada.get("work_item", slot).content.decode()
        assert re.search(r"<ins[^>]*>, I think</ins>", page)
        rm_post(ada, "work_save", slot, feedback="Something else.", action="reset:feedback")
        assert ada.annotation(slot).draft["feedback"] == "NASA says three."

    @pytest.mark.parametrize("action", ["pick:", "pick:99", "pick:-1", "pick:x", "pick:99999999999999999999"])
    def test_a_candidate_that_does_not_exist_changes_nothing(self, ada: Worker, action: str) -> None:
        slot = ada.opened()
        rm_post(ada, "work_save", slot, action=action)
        assert (ada.annotation(slot).draft["feedback"], ada.annotation(slot).picked) == ("", None)

    def test_a_picked_and_untouched_draft_is_asked_about_and_one_of_their_own_words_is_not(self, ada: Worker) -> None:
        slot = ada.opened()
        rm_post(ada, "work_save", slot, action="pick:0")
        assert "You have not changed the suggestion" in text_of(rm_post(ada, "work_submit", slot))
        rm_post(ada, "work_submit", slot, confirm="1")
        assert ada.annotation(slot).unchanged

    def test_own_words_without_a_pick_are_not_called_the_machines(self, ada: Worker) -> None:
        slot = ada.opened()
        rm_post(ada, "work_submit", slot, feedback="Mine.", feedback_type=["Misinformation"])
        mine = ada.annotation(slot)
        assert mine.submitted_at is not None
        assert not mine.unchanged

    def test_the_share_of_the_model_counts_the_picked_text(self, ada: Worker) -> None:
        slot = ada.opened()
        rm_post(ada, "work_save", slot, action="pick:3")
        rm_post(ada, "work_submit", slot, confirm="1")
        Item.objects.update(state="accepted", base=ada.annotation(slot))
        (item,) = ReleasedItem.read(Item.objects.all())
        provenance = released_row(Project.objects.get(), item, best_texts([item])[item.pk], None)["provenance"]
        assert provenance["model_share"] == pytest.approx(1, abs=0.05)  # "suitable" is the person's own
        assert provenance["suggestion"] == {"model": "drafter-b", "prompt_version": "v1 en", "simulated": True}


class TestAnotherItem:
    def test_it_is_made_of_a_candidate_after_what_was_written_is_saved(self, ada: Worker) -> None:
        slot = ada.opened()
        answer = rm_post(ada, "work_sibling", slot, feedback="Mine.", candidate="3")
        assert answer.status_code == 302
        made = Item.objects.get(parent=slot.item_id)
        assert Annotation.objects.get(item=made).draft["feedback"] == "Say three, or else."
        assert ada.annotation(slot).draft["feedback"] == "Mine."
        text = text_of(ada.get("work_item", slot))
        assert f"created as {made.key}" in text
        assert f"{made.key} is in the queue" in text

    def test_only_who_holds_the_item_makes_one(self, ada: Worker) -> None:
        slot = ada.opened()
        form = rm_form(ada, slot, candidate="0")
        for role in ("annotator", "lead", "reviewer"):
            other = colleague(ada.project, role)
            assert other.client.post(ada.address("work_sibling", slot), form).status_code == 404
        Slot.objects.filter(pk=slot.pk).update(state="open", holder=None, token=None, lease_until=None)
        assert ada.client.post(ada.address("work_sibling", slot), form).status_code == 409
        assert Item.objects.count() == 1

    @pytest.mark.parametrize(("candidate", "status"), [("", 404), ("x", 404), ("99", 302)])
    def test_no_candidate_makes_no_item(self, ada: Worker, candidate: str, status: int) -> None:
        assert rm_post(ada, "work_sibling", ada.opened(), candidate=candidate).status_code == status
        assert Item.objects.count() == 1


class TestNewer:
    def test_it_is_offered_with_its_differences_and_changes_nothing(self) -> None:
        ada = worker()
        slot = ada.opened()
        newer(slot.item, feedback="That is a moon too many.", error_type=["Logical Error"])
        before = Annotation.objects.values().get(pk=ada.annotation(slot).pk)
        text = text_of(ada.get("work_item", slot))
        assert "There is a newer suggestion by drafter-c . It differs in 2 places." in text
        assert Annotation.objects.values().get(pk=before["id"]) == before
        assert "Suggestion by drafter-a" in text

    def test_one_that_says_the_same_is_not_worth_a_line(self) -> None:
        ada = worker()
        slot = ada.opened()
        newer(slot.item)
        assert "newer suggestion" not in text_of(ada.get("work_item", slot))

    def test_one_field_is_taken_over_as_an_edit(self) -> None:
        ada = worker()
        slot = ada.opened()
        made = newer(slot.item, feedback="That is a moon too many.", error_type=["Logical Error"])
        ada.post("work_save", slot, newer=made.pk, action="take:feedback")
        mine = ada.annotation(slot)
        assert mine.draft == {**DRAFT, "feedback": "That is a moon too many."}
        assert mine.suggestion.model == "drafter-a"
        assert "in 1 place." in text_of(ada.get("work_item", slot))

    def test_all_fields_are_taken_over_and_others_stay(self) -> None:
        ada = worker()
        slot = ada.opened()
        made = newer(slot.item, feedback="That is a moon too many.", error_type=["Logical Error"])
        ada.post("work_save", slot, suitable="yes", newer=made.pk, action="take:all")
        assert ada.annotation(slot).draft == {**made.draft, "suitable": True}
        assert "newer suggestion" not in text_of(ada.get("work_item", slot))

    def test_what_was_looked_at_is_what_one_gets(self) -> None:
        ada = worker()
        slot = ada.opened()
        seen = newer(slot.item, feedback="Seen.")
        newer(slot.item, feedback="Made after the page was opened.")
        ada.post("work_save", slot, newer=seen.pk, action="take:feedback")
        assert ada.annotation(slot).draft["feedback"] == "Seen."

    def test_suggestions_of_other_items_and_texts_of_people_are_not_to_be_had(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        other = newer(Item.objects.exclude(pk=slot.item_id).get(), feedback="Elsewhere.")
        for pk in (other.pk, ada.annotation(slot).pk, "x", 10**30):
            ada.post("work_save", slot, newer=pk, action="take:feedback")
            assert ada.annotation(slot).draft["feedback"] == DRAFT["feedback"]

    def test_who_works_blind_is_offered_nothing(self) -> None:
        ada = worker(blind_share=1)
        slot = ada.opened()
        made = newer(slot.item, feedback="Leaked.")
        assert "Leaked." not in ada.get("work_item", slot).content.decode()
        ada.post("work_save", slot, newer=made.pk, action="take:feedback", error_type=[])
        assert ada.annotation(slot).draft["feedback"] == ""

    def test_an_item_opened_before_there_was_any_is_offered_the_first(self) -> None:
        ada = worker(suggestion=None)
        slot = ada.opened()
        made = newer(slot.item)
        assert "There is a newer suggestion" in text_of(ada.get("work_item", slot))
        ada.post("work_save", slot, newer=made.pk, action="take:all")
        assert ada.annotation(slot).draft == DRAFT

    def test_candidates_of_a_newer_one_can_be_taken_over_too(self, ada: Worker) -> None:
        slot = ada.opened()
        draft = {"feedback": "Quite another one.", "feedback_type": ["Misinformation"]}
        made = Annotation.objects.create(
            item=slot.item, model="drafter-c", draft=RM_DRAFT, candidates=[{"label": "Misinformation", "draft": draft}]
        )
        assert "Quite another one." in text_of(ada.get("work_item", slot))
        rm_post(ada, "work_save", slot, newer=made.pk, action="take:candidate-0")
        assert ada.annotation(slot).draft["feedback"] == "Quite another one."

    def test_a_newer_one_with_the_same_candidates_is_not_offered(self, ada: Worker) -> None:
        """As after a second run at temperature 0: there is nothing in it that could not be picked already."""
        slot = ada.opened()
        same = with_candidates(slot.item, model="drafter-c")
        assert "newer suggestion" not in text_of(ada.get("work_item", slot))
        Annotation.objects.filter(pk=same.pk).update(
            candidates=[*same.candidates, {"label": "Misinformation", "draft": {"feedback": "It has four."}}]
        )
        assert "It differs in 1 place." in text_of(ada.get("work_item", slot))


def test_a_doubt_of_ours_has_a_translation_slot_and_survives_a_broken_one() -> None:
    from annotate.kinds.shapes import Finding

    with translation.override("zh-hans"):
        found = Finding.stored({"path": "x", "message": "100 % odd", "said": {"a": 1}})
    assert found.message == "100 % odd"
