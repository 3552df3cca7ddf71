import pytest

from annotate.errors import Refused
from annotate.items import actions, queue
from annotate.models import Annotation, Event, Member, Notification, Slot, User
from annotate.people.members import add_member, change_member, remove_member
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def test_a_new_person_gets_an_account(case: Case) -> None:
    member = add_member(project=case.project, username="nina", role="annotator", password="a good one indeed")
    assert member.user.check_password("a good one indeed")


def test_a_known_person_keeps_account_and_password(case: Case) -> None:
    case.stranger.set_password("kept as it is")
    case.stranger.save()
    add_member(project=case.project, username="stranger", role="viewer")
    assert User.objects.get(username="stranger").check_password("kept as it is")


def test_adding_a_member_again_changes_the_role(case: Case) -> None:
    add_member(project=case.project, username="annotator", role="reviewer")
    assert case.member(case.annotator).role == "reviewer"


def test_the_last_lead_is_neither_demoted_nor_removed(case: Case) -> None:
    lead = case.member(case.lead)
    for attempt in (
        lambda: change_member(lead, by=case.lead, role="viewer"),
        lambda: remove_member(lead, by=case.lead),
        lambda: add_member(project=case.project, username="lead", role="viewer"),
    ):
        with pytest.raises(Refused):
            attempt()
    assert case.member(case.lead).role == "lead"


def test_one_of_two_leads_may_go(case: Case) -> None:
    add_member(project=case.project, username="annotator", role="lead")
    remove_member(case.member(case.lead), by=case.annotator)
    assert not Member.objects.filter(user=case.lead).exists()


def test_removing_a_member_returns_what_they_hold_and_frees_what_is_kept_for_them(case: Case) -> None:
    held, kept = case.item("k-1"), case.item("k-2")
    member = case.member(case.annotator)
    queue.claim(case.open_slot(held, "annotate").pk, member)
    actions.assign(kept, to=member, by=case.lead)
    assert remove_member(member, by=case.lead) == 1
    assert set(Slot.objects.values_list("state", "reserved_for", "holder")) == {("open", None, None)}
    assert Event.objects.filter(item=held, verb="released", actor=case.lead).exists()


def test_a_removed_member_is_told_and_keeps_their_drafts(case: Case) -> None:
    annotation = case.under_review()
    remove_member(case.member(case.reviewer), by=case.lead)
    assert Notification.objects.get(user=case.reviewer, verb="removed").project == case.project
    assert Annotation.objects.filter(pk=annotation.pk, author=case.reviewer).exists()


def test_what_was_submitted_stays_submitted(case: Case) -> None:
    annotation = case.written(case.item())
    remove_member(case.member(case.annotator), by=case.lead)
    slot = Slot.objects.get(pk=annotation.slot_id)
    assert (slot.state, slot.holder) == ("submitted", case.annotator)


def test_a_reviewer_made_annotator_gives_reviews_back_and_keeps_the_rest(case: Case) -> None:
    review = case.under_review()
    own = queue.claim(case.open_slot(case.item("k-2"), "annotate").pk, case.member(case.reviewer))
    change_member(case.member(case.reviewer), by=case.lead, role="annotator")
    assert Slot.objects.get(pk=review.slot_id).state == "open"
    assert own is not None
    assert Slot.objects.get(pk=own.pk).holder == case.reviewer


def test_limits_are_stored(case: Case) -> None:
    limits = {"daily_limit": 5, "total_limit": None, "languages": ["zh"], "groups": []}
    change_member(case.member(case.annotator), by=case.lead, role="annotator", limits=limits)
    member = case.member(case.annotator)
    assert (member.daily_limit, member.languages) == (5, ["zh"])
