import pytest

from annotate.errors import Refused, WrongState
from annotate.models import Annotation, AuditEntry, Dispute, Item, Member, Notification, User
from annotate.review import decisions
from annotate.review.corrections import corrections
from annotate.review.disputes import decide, dispute, disputes, open_count
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def fixed(case: Case, key: str = "k-1") -> Annotation:
    """A text that the reviewer changed."""
    review = case.fix(case.under_review(key), feedback="Both weigh the same.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    return text_of(review.item_id)


def text_of(item: int) -> Annotation:
    return Annotation.objects.select_related("item__project").get(item=item, slot__stage="annotate")


def told(verb: str) -> list[str]:
    return sorted(str(line.user) for line in Notification.objects.filter(verb=verb))


def test_those_who_may_decide_hear_of_a_dispute(case: Case) -> None:
    made = dispute(text=fixed(case), by=case.annotator, reason=" Mine was right. ")
    assert (made.reason, made.decision) == ("Mine was right.", "")
    assert told("disputed") == ["lead"]  # not the reviewer, whose decision it was
    (one,) = corrections(case.member(case.annotator), disputed="open").rows
    assert one.dispute == made
    assert not one.may_be_disputed


def test_a_text_is_disputed_once_and_with_a_reason(case: Case) -> None:
    text = fixed(case)
    with pytest.raises(Refused, match="Say why"):
        dispute(text=text, by=case.annotator, reason="  ")
    dispute(text=text, by=case.annotator, reason="No.")
    with pytest.raises(Refused, match="once"):
        dispute(text=text_of(text.item_id), by=case.annotator, reason="No, no.")
    assert Dispute.objects.count() == 1


@pytest.mark.parametrize("accepted", [True, False])
def test_what_nobody_decided_against_cannot_be_disputed(case: Case, accepted: bool) -> None:
    review = case.under_review()
    if accepted:
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    with pytest.raises(Refused, match="nothing to dispute"):
        dispute(text=text_of(review.item_id), by=case.annotator, reason="No.")
    assert not Dispute.objects.exists()


def test_whoever_decided_never_decides_about_the_dispute(case: Case) -> None:
    made = dispute(text=fixed(case), by=case.annotator, reason="No.")
    Member.objects.filter(user=case.annotator).update(role="lead")
    for somebody in (case.reviewer, case.annotator):
        with pytest.raises(Refused, match="took part"):
            decide(made=made, by=somebody, decision="upheld", answer="I was right.")
    assert Dispute.objects.get().decision == ""


def test_being_right_tells_both_sides_and_leaves_the_item_as_it_is(case: Case) -> None:
    text = fixed(case)
    before = Item.objects.values().get()
    made = dispute(text=text, by=case.annotator, reason="No.")
    decide(made=made, by=case.lead, decision="changed", answer="You are right.")
    made.refresh_from_db()
    assert (made.decision, made.answer, made.decided_by) == ("changed", "You are right.", case.lead)
    assert made.decided_at is not None
    assert told("decided") == ["annotator", "reviewer"]
    assert Item.objects.values().get() == before
    (row,) = disputes(case.member(case.lead), decided=True).rows
    assert row.remedy == "reopen"
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.project_slug) == ("dispute.decided", case.project.slug)
    assert entry.values_after == {"decision": "changed", "item": text.item.key}


def test_the_second_of_two_answers_is_refused(case: Case) -> None:
    made = dispute(text=fixed(case), by=case.annotator, reason="No.")
    decide(made=made, by=case.lead, decision="upheld", answer="It stays.")
    second = User.objects.create_user("second")
    with pytest.raises(WrongState):
        decide(made=made, by=second, decision="changed", answer="It does not.")
    assert Dispute.objects.get().decision == "upheld"


@pytest.mark.parametrize(("decision", "answer"), [("changed", " "), ("", "x"), ("perhaps", "x")])
def test_an_answer_says_who_is_right_and_why(case: Case, decision: str, answer: str) -> None:
    made = dispute(text=fixed(case), by=case.annotator, reason="No.")
    with pytest.raises(Refused):
        decide(made=made, by=case.lead, decision=decision, answer=answer)
    assert Dispute.objects.get().decision == ""


def test_where_nobody_else_may_decide_the_leads_are_told(case: Case) -> None:
    Member.objects.exclude(user__in=[case.annotator, case.reviewer]).delete()
    Member.objects.filter(user=case.reviewer).update(role="lead")
    dispute(text=fixed(case), by=case.annotator, reason="No.")
    assert told("disputed") == ["reviewer"]
    (row,) = disputes(case.member(case.reviewer)).rows
    assert not row.mine


def test_the_desk_takes_as_many_queries_for_one_as_for_many(case: Case, django_assert_num_queries) -> None:
    for number in range(4):
        dispute(text=fixed(case, f"k-{number}"), by=case.annotator, reason="No.")
    lead = case.member(case.lead)
    assert open_count(lead) == 4
    with django_assert_num_queries(3):  # disputes, texts, decisions; a drop would take one more
        assert len(disputes(lead).rows) == 4
