from collections import Counter

import pytest

from annotate.errors import Refused, WrongState
from annotate.items import actions, leases, queue
from annotate.models import Annotation, Item, Member, Notification, Project, Readiness, Skip, Slot
from annotate.people import members
from annotate.readiness import actions as readiness_actions
from annotate.readiness import calibration
from annotate.readiness.actions import mark_item
from annotate.work import desk, submit
from annotate.work.progress import progress, why_empty
from tests.support.checks import WRONG, answer, asking, check, fresh, taken, work_through
from tests.support.desks import expire_all
from tests.support.people import DRAFT, make_item, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Two calibration items of each of two groups are asked for; three and two are there, and some work."""
    made = asking(calibration_each=2)
    for group, count in (("Maths", 3), ("Coding", 2)):
        for _ in range(count):
            check(made, group=group)
    for _ in range(3):
        make_item(made, suggestion=DRAFT)
    return made


@pytest.fixture
def ada(project: Project) -> Member:
    return make_member(project)


def state(member: Member) -> str:
    return calibration.standing(fresh(member)).state


class TestBeforeTheQueueOpens:
    def test_so_many_items_of_each_group_are_handed_out_before_any_work(self, ada: Member) -> None:
        slots = work_through(ada, 4)
        items = Item.objects.filter(slots__in=slots)
        assert Counter(items.values_list("group", flat=True)) == {"Maths": 2, "Coding": 2}
        assert set(items.values_list("purpose", flat=True)) == {"calibration"}
        assert taken(ada).item.purpose == "work"

    def test_looking_at_the_page_opens_no_attempt(self, ada: Member) -> None:
        nothing = why_empty(fresh(ada))
        assert nothing is not None
        assert nothing.why == "calibration"
        assert progress(fresh(ada)).total == 0
        assert not Slot.objects.filter(item__purpose="calibration").exists()

    def test_a_draft_begins_with_what_the_model_wrote_and_never_with_the_expected_answer(self, ada: Member) -> None:
        Annotation.objects.filter(rater="import").update(draft={**DRAFT, "feedback": "EXPECTED"})
        slot = taken(ada)
        mine = slot.annotations.get(author=ada.user)
        assert mine.suggestion is not None
        assert mine.draft == DRAFT

    def test_nobody_is_asked_about_an_item_that_they_wrote_themselves(self, project: Project, ada: Member) -> None:
        Item.objects.filter(project=project, purpose="calibration").delete()
        own, other = check(project), check(project)
        slot = Slot.objects.create(item=own, project=project, stage="annotate", round=1, holder=ada.user)
        Annotation.objects.create(item=own, slot=slot, author=ada.user, draft=DRAFT, authored=True)
        assert [calibration.choose_items(fresh(ada))] == [[other.pk]]

    def test_only_groups_and_languages_given_to_somebody_are_asked_of_them(self, project: Project) -> None:
        bo = make_member(project, groups=["Coding"])
        assert {slot.item.group for slot in work_through(bo, 2)} == {"Coding"}
        assert state(bo) == "passed"

    def test_where_there_are_no_items_it_says_so_and_lets_nobody_in(self, project: Project) -> None:
        bo = make_member(project, languages=["zh"])
        assert desk.open_next(fresh(bo)) is None
        assert state(bo) == "begin"

    def test_a_lead_is_asked_nothing_and_a_reviewer_before_annotating_only(self, project: Project) -> None:
        lead, reviewer = make_member(project, "lead"), make_member(project, "reviewer")
        assert taken(lead).item.purpose == "work"
        assert taken(reviewer).item.purpose == "calibration"
        item = make_item(project)
        Slot.objects.filter(item=item).update(stage="review", about=Annotation.objects.filter(model="").first())
        assert queue.claim_next(fresh(make_member(project, "reviewer")), "review") is not None

    def test_a_draft_of_work_that_was_begun_before_waits_until_then(self, project: Project, ada: Member) -> None:
        Member.objects.filter(pk=ada.pk).update(calibrated_at="2026-01-01T00:00Z")
        slot = taken(ada)
        Member.objects.filter(pk=ada.pk).update(calibrated_at=None)
        expire_all()
        assert desk.take_up(fresh(ada), slot.pk) is None

    def test_an_item_that_ran_out_comes_back_to_this_person_and_to_nobody_else(self, project: Project) -> None:
        ada, bo = make_member(project), make_member(project)
        slot = taken(ada)
        expire_all()
        Member.objects.filter(pk=bo.pk).update(calibrated_at="2026-01-01T00:00Z")
        assert {one.item.purpose for one in work_through(bo, 3)} == {"work"}
        assert queue.claim_next(fresh(bo), "annotate") is None
        assert taken(ada).pk == slot.pk

    def test_the_calibration_counts_towards_no_limit_and_no_total(self, project: Project) -> None:
        bo = make_member(project, total_limit=1)
        work_through(bo, 4)
        assert taken(bo).item.purpose == "work"
        assert progress(fresh(bo)).done == 0

    def test_while_it_goes_on_progress_is_that_of_the_attempt(self, ada: Member) -> None:
        work_through(ada, 1)
        taken(ada)
        assert (progress(fresh(ada)).current, progress(fresh(ada)).total) == (2, 4)


class TestPassing:
    def test_who_answers_as_expected_is_let_in_by_the_last_answer(self, ada: Member) -> None:
        work_through(ada, 3)
        assert fresh(ada).calibrated_at is None
        work_through(ada, 1)
        assert fresh(ada).calibrated_at is not None

    def test_the_item_stays_where_it_is_and_nobody_reviews_it(self, ada: Member) -> None:
        slot = taken(ada)
        answer(ada, slot, WRONG)
        slot.item.refresh_from_db()
        assert (slot.item.state, slot.item.base.rater) == ("accepted", "import")
        assert not Slot.objects.filter(stage="review").exists()

    def test_who_does_not_is_told_and_handed_no_work(self, ada: Member) -> None:
        work_through(ada, 4, WRONG)
        found = calibration.standing(fresh(ada))
        assert found.state == "failed"
        assert found.tally.hits < found.tally.n
        assert desk.open_next(fresh(ada)) is None

    def test_exactly_the_share_asked_for_is_enough(self, project: Project, ada: Member) -> None:
        work_through(ada, 4, WRONG)  # two of the five fields that are compared are other ones: 12 of 20 are as expected
        Readiness.objects.update(passes_at="0.6")
        assert state(ada) == "passed"
        Readiness.objects.update(passes_at="0.601")
        assert state(ada) == "failed"

    def test_what_the_expected_answer_leaves_open_is_not_compared(self, ada: Member) -> None:
        work_through(ada, 4, {**DRAFT, "suitable": True})  # accepted files say nothing about this field
        found = calibration.standing(fresh(ada))
        assert (found.state, found.tally.hits, found.tally.n) == ("passed", 20, 20)

    def test_who_calls_an_accepted_item_unsuitable_has_none_of_it_as_expected(self, ada: Member) -> None:
        work_through(ada, 4, {**DRAFT, "suitable": False})
        found = calibration.standing(fresh(ada))
        assert (found.state, found.tally.hits, found.tally.n) == (
            "failed",
            0,
            24,
        )  # the field that says so is judged too

    def test_another_attempt_takes_items_not_had_before_where_there_are_any(self, ada: Member) -> None:
        first = work_through(ada, 4, WRONG)
        assert calibration.begin(fresh(ada), again=True)
        second = work_through(ada, 4)
        had, has = ({slot.item_id for slot in one if slot.item.group == "Maths"} for one in (first, second))
        assert len(has - had) == 1  # there are three, and two were had
        assert state(ada) == "passed"

    def test_nobody_begins_another_attempt_while_one_is_open_or_after_passing(self, ada: Member) -> None:
        taken(ada)
        assert not calibration.begin(fresh(ada), again=True)
        work_through(ada, 4)
        assert not calibration.begin(fresh(ada), again=True)
        assert Slot.objects.filter(item__purpose="calibration").count() == 4

    def test_it_is_not_taken_back_since_what_was_expected_is_known(self, ada: Member) -> None:
        mine = answer(ada, taken(ada), WRONG)
        with pytest.raises(WrongState):
            submit.undo(annotation=mine, by=ada.user)

    def test_an_item_taken_out_of_the_calibration_counts_no_more(self, project: Project, ada: Member) -> None:
        slots = work_through(ada, 3)
        last = taken(ada)
        lead = make_member(project, "lead")
        last.item.project = project
        mark_item(last.item, "work", by=lead.user)
        assert calibration.standing(fresh(ada)).total == len(slots)
        assert taken(ada).item.purpose == "work"

    def test_skipping_does_not_let_anybody_pass(self, ada: Member) -> None:
        slot = taken(ada)
        leases.skip(slot, slot.token, person=ada.user, reason="too_hard")
        assert Skip.objects.count() == 1
        work_through(ada, 3)
        assert desk.open_next(fresh(ada)) is None
        assert state(ada) == "running"


class TestLeads:
    @pytest.fixture
    def lead(self, project: Project) -> Member:
        return make_member(project, "lead")

    def test_by_review_nobody_passes_alone_and_the_leads_hear_of_it(self, ada: Member, lead: Member) -> None:
        Readiness.objects.update(calibration_by="review")
        work_through(ada, 4)
        assert state(ada) == "waiting"
        assert str(ada.user) in Notification.objects.get(user=lead.user, verb="calibrate").note
        assert not calibration.begin(fresh(ada), again=True)

    def test_a_lead_lets_somebody_in_and_what_was_open_is_closed(self, ada: Member, lead: Member) -> None:
        taken(ada)
        readiness_actions.let_in(fresh(ada), by=lead.user)
        assert not Slot.objects.filter(item__purpose="calibration").unfinished().exists()
        assert taken(ada).item.purpose == "work"
        with pytest.raises(Refused):
            readiness_actions.let_in(fresh(ada), by=lead.user)

    def test_a_lead_asks_for_another_attempt_and_the_queue_closes_again(self, ada: Member, lead: Member) -> None:
        work_through(ada, 4)
        readiness_actions.ask_again(fresh(ada), by=lead.user)
        assert fresh(ada).calibrated_at is None
        assert calibration.standing(fresh(ada)).attempt == 2
        assert taken(ada).item.purpose == "calibration"
        assert Notification.objects.filter(user=ada.user, verb="calibrate").count() == 1

    def test_who_leaves_takes_their_places_with_them(self, ada: Member, lead: Member, project: Project) -> None:
        taken(ada)
        members.remove_member(fresh(ada), by=lead.user)
        assert not Slot.objects.filter(item__purpose="calibration").unfinished().exists()

    def test_a_check_is_not_reopened_by_mistake(self, project: Project, lead: Member) -> None:
        item = check(project)
        item.project = project
        with pytest.raises(actions.NotApplicable) as left_out:
            actions.reopen(item, by=lead.user)
        assert left_out.value.why == actions.RefusalReason.ASIDE
