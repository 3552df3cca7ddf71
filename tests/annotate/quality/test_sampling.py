from decimal import Decimal

import pytest

from annotate.errors import Refused
from annotate.items import actions, queue
from annotate.models import Annotation, AuditEntry, Item, Sample, Slot
from annotate.quality import acceptance_sampling
from annotate.quality.acceptance_sampling import FAILED, PASSED, RUNNING, faults, result_of
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    """Five accepted items of one annotator, whom the reviewer has accepted."""
    made = make_case()
    for number in range(5):
        item = made.item(f"k-{number}")
        made.written(item)
        review = made.review(item)
        decisions.accept(review=review, token=review.slot.token, by=made.reviewer)
    return made


def drawn(case: Case, tolerated: str = "0.5", allowed: int = 0) -> Sample:
    """Of 5, more than 50 % is 3: none of n drawn with a risk of 35 % needs n = 2 (2·1/(5·4) = 10 %; n = 1: 40 %)."""
    return acceptance_sampling.draw(
        project=case.project,
        items=Item.objects.all(),
        tolerated=Decimal(tolerated),
        risk=Decimal("0.35"),
        allowed=allowed,
        by=case.lead,
    )


def decide(case: Case, how: str = "accept") -> Item:
    slot = claim.take_next(case.member(case.lead))
    review = Annotation.objects.select_related("slot").get(slot=slot, author=case.lead)
    if how == "return":
        said = [Reason("feedback", "Wrong.")]
        return decisions.send_back(review=review, token=slot.token, by=case.lead, reasons=said)
    return decisions.accept(review=review, token=slot.token, by=case.lead)


def test_as_many_as_the_plan_wants_go_into_review(case: Case) -> None:
    sample = drawn(case)
    assert sample.batch.filter(drawn=True).count() == 2
    assert Item.objects.filter(state="reviewing", round=2).count() == 2
    assert Slot.objects.open().filter(stage="review").count() == 2
    assert result_of(sample).verdict == RUNNING


def test_a_good_sample_passes_and_leaves_everything_accepted(case: Case) -> None:
    sample = drawn(case)
    decide(case)
    assert result_of(sample).verdict == RUNNING
    decide(case)
    assert result_of(sample).verdict == PASSED
    assert Item.objects.filter(state="accepted").count() == 5
    with pytest.raises(Refused):
        acceptance_sampling.review_whole(sample, by=case.lead)


def test_the_first_fault_too_many_fails_and_the_rest_is_reviewed(case: Case) -> None:
    sample = drawn(case)
    faulty = decide(case, "return")
    found = result_of(sample)
    assert (found.verdict, found.faulty, found.looked_at, found.left) == (FAILED, 1, 1, 1)
    assert [one.item for one in faults(sample)] == [faulty]
    assert acceptance_sampling.review_whole(sample, by=case.lead) == 3
    assert Item.objects.filter(state="reviewing").count() == 4
    assert [entry.values_after for entry in AuditEntry.objects.filter(verb="sample.widened")] == [{"items": 3}]
    assert acceptance_sampling.review_whole(sample, by=case.lead) == 0


def test_an_item_taken_out_of_its_review_was_not_found_good(case: Case) -> None:
    sample = drawn(case)
    actions.drop(Item.objects.filter(state="reviewing").first(), by=case.lead, reason="other")
    assert result_of(sample).verdict == FAILED


def test_allowed_faults_do_not_fail(case: Case) -> None:
    sample = drawn(case, allowed=1)
    decide(case, "return")
    assert result_of(sample).verdict == RUNNING


def test_its_author_never_checks_a_drawn_item(case: Case) -> None:
    drawn(case)
    for slot in Slot.objects.open().filter(stage="review"):
        assert queue.claim(slot.pk, case.member(case.annotator)) is None


def test_items_of_a_running_sample_are_in_no_other(case: Case) -> None:
    drawn(case)
    with pytest.raises(Refused, match="Nothing to draw"):
        drawn(case)


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(Refused, match="Nothing to draw"):
        drawn(make_case(slug="empty"))
    assert Sample.objects.count() == 0
