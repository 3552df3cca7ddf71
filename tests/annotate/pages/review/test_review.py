import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import leases
from annotate.models import Annotation, Item, Member, Project, Slot, User
from annotate.review import decisions
from annotate.review.decisions import Reason
from annotate.work import submit
from tests.support.reviews import FACTS, WRITTEN, Case

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(case: Case) -> Slot:
    """A review that nobody has taken up."""
    case.written(item := case.item())
    return case.open_slot(item, "review")


def get(client: Client, user: User, name: str, *args: object, **query: str) -> HttpResponse:
    client.force_login(user)
    return client.get(reverse(name, args=["fb", *args]), query)


def post(client: Client, user: User, name: str, *args: object, **said: str) -> HttpResponse:
    client.force_login(user)
    return client.post(reverse(name, args=["fb", *args]), said)


# --- the list ---------------------------------------------------------------------------------------------------------
def test_the_list_shows_what_waits_with_counts(client: Client, case: Case, waiting: Slot) -> None:
    text = get(client, case.reviewer, "review").content.decode()
    assert reverse("review_item", args=["fb", waiting.pk]) in text
    assert 'Pending <span class="num">1</span>' in text
    assert 'Done <span class="num">0</span>' in text


def test_an_empty_list_says_so(client: Client, case: Case) -> None:
    assert "No reviews waiting." in get(client, case.reviewer, "review").content.decode()


def test_decided_reviews_are_listed_as_done(client: Client, case: Case) -> None:
    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    assert "No reviews waiting" in get(client, case.reviewer, "review").content.decode()
    text = get(client, case.reviewer, "review", show="done").content.decode()
    assert reverse("review_item", args=["fb", review.slot_id]) in text


@pytest.mark.parametrize("query", [{"show": "nonsense"}, {"after": "nonsense"}, {"show": "all", "after": "1.x"}])
def test_a_bent_address_still_shows_a_list(client: Client, case: Case, waiting: Slot, query: dict[str, str]) -> None:
    assert get(client, case.reviewer, "review", **query).status_code == 200


@pytest.mark.parametrize(("rows"), [0, 3, 60])
def test_the_list_takes_few_queries_however_long(
    client: Client, case: Case, rows: int, django_assert_max_num_queries
) -> None:
    for number in range(rows):
        case.written(case.item(f"k-{number}"))
    client.force_login(case.reviewer)
    with django_assert_max_num_queries(9):
        text = client.get(reverse("review", args=["fb"])).content.decode()
    assert text.count('class="queue__item"') == min(rows, 50) + (rows > 50)


# --- who may ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("role", "status"), [("annotator", 403), ("viewer", 403), ("stranger", 404)])
def test_only_reviewers_and_leads_review(client: Client, case: Case, waiting: Slot, role: str, status: int) -> None:
    user = getattr(case, role)
    assert get(client, user, "review").status_code == status
    assert get(client, user, "review_item", waiting.pk).status_code == status
    assert post(client, user, "review_next").status_code == status
    assert post(client, user, "review_take", waiting.pk).status_code == status
    for name in ("save", "heartbeat", "release", "resolve", "accept", "fix", "return", "drop"):
        assert post(client, user, f"review_{name}", waiting.pk).status_code == status
    waiting.refresh_from_db()
    assert waiting.state == "open"


def test_a_review_of_another_project_is_not_there(client: Client, case: Case, waiting: Slot) -> None:
    other = Project.objects.create(slug="other", name="Other", kind_slug="feedback")
    Member.objects.create(project=other, user=case.stranger, role="lead")
    client.force_login(case.stranger)
    for name in ("review_item", "review_take", "review_accept"):
        address = reverse(name, args=["other", waiting.pk])
        answer = client.get(address) if name == "review_item" else client.post(address)
        assert answer.status_code == 404


def test_a_slot_of_annotating_is_no_review(client: Client, case: Case) -> None:
    slot = case.open_slot(case.item(), "annotate")
    assert get(client, case.lead, "review_item", slot.pk).status_code == 404
    assert post(client, case.lead, "review_take", slot.pk).status_code == 404


def test_nobody_reviews_their_own_work_not_even_by_its_address(client: Client, case: Case) -> None:
    case.written(item := case.item(), by=case.lead)
    slot = case.open_slot(item, "review")
    for answer in (get(client, case.lead, "review_item", slot.pk), post(client, case.lead, "review_take", slot.pk)):
        assert answer.status_code == 409
        assert "You wrote text in this item, so someone else reviews it" in answer.content.decode()
    assert post(client, case.lead, "review_next").url == reverse("review", args=["fb"])
    slot.refresh_from_db()
    assert slot.state == "open"


# --- taking up --------------------------------------------------------------------------------------------------------
def test_looking_claims_nothing(client: Client, case: Case, waiting: Slot) -> None:
    text = get(client, case.reviewer, "review_item", waiting.pk).content.decode()
    assert "Review this item" in text
    assert 'id="annotation"' not in text
    waiting.refresh_from_db()
    assert (waiting.state, waiting.annotations.count()) == ("open", 0)


def test_the_next_review_is_claimed_by_post(client: Client, case: Case, waiting: Slot) -> None:
    assert get(client, case.reviewer, "review_next").url == reverse("review", args=["fb"])
    answer = post(client, case.reviewer, "review_next")
    assert answer.url == reverse("review_item", args=["fb", waiting.pk])
    waiting.refresh_from_db()
    assert (waiting.holder, waiting.annotations.get().draft) == (case.reviewer, WRITTEN)


def test_a_listed_review_is_picked(client: Client, case: Case) -> None:
    slots = []
    for key in ("a", "b", "c"):
        case.written(item := case.item(key))
        slots.append(case.open_slot(item, "review"))
    assert post(client, case.reviewer, "review_take", slots[1].pk).status_code == 302
    assert list(Slot.objects.held_by(case.reviewer)) == [slots[1]]
    text = get(client, case.reviewer, "review_item", slots[1].pk).content.decode()
    assert 'id="annotation"' in text


def test_taking_up_twice_is_once(client: Client, case: Case, waiting: Slot) -> None:
    post(client, case.reviewer, "review_take", waiting.pk)
    assert post(client, case.reviewer, "review_take", waiting.pk).status_code == 302
    assert waiting.annotations.count() == 1


def test_what_somebody_else_has_is_409_and_can_be_looked_at(client: Client, case: Case, waiting: Slot) -> None:
    post(client, case.lead, "review_take", waiting.pk)
    answer = post(client, case.reviewer, "review_take", waiting.pk)
    assert answer.status_code == 409
    assert "lead has started this review" in answer.content.decode()
    text = get(client, case.reviewer, "review_item", waiting.pk).content.decode()
    assert "lead is reviewing this." in text
    assert 'id="annotation"' not in text


def test_a_paused_project_hands_nothing_out_and_says_why(client: Client, case: Case, waiting: Slot) -> None:
    Project.objects.update(paused_at=timezone.now(), paused_reason="New guidelines.")
    answer = post(client, case.reviewer, "review_take", waiting.pk)
    assert answer.status_code == 409
    assert "New guidelines." in answer.content.decode()
    client.force_login(case.reviewer)
    text = client.post(reverse("review_next", args=["fb"]), follow=True).content.decode()
    assert "New guidelines." in text


def test_a_reached_limit_says_so(client: Client, case: Case, waiting: Slot) -> None:
    case.project.members.filter(user=case.reviewer).update(total_limit=0)
    answer = post(client, case.reviewer, "review_take", waiting.pk)
    assert answer.status_code == 409
    assert "your lead set for you" in answer.content.decode()


def test_a_submission_that_was_taken_back_is_gone(client: Client, case: Case, waiting: Slot) -> None:
    assert waiting.about is not None
    submit.undo(annotation=waiting.about, by=case.annotator)
    assert get(client, case.reviewer, "review_item", waiting.pk).status_code == 404


# --- the desk ---------------------------------------------------------------------------------------------------------
def desk(client: Client, case: Case, review: Annotation, user: User | None = None) -> str:
    return get(client, user or case.reviewer, "review_item", review.slot_id).content.decode()


def test_what_the_annotator_changed_stands_beside_the_suggestion(client: Client, case: Case) -> None:
    text = desk(client, case, case.under_review())
    assert "drafter-a, prompt v4" in text
    assert "origin--machine" in text
    assert "<del>wrong</del>" in text
    assert "<ins>not right</ins>" in text


def test_fields_that_are_as_suggested_are_folded_together(client: Client, case: Case) -> None:
    text = desk(client, case, case.under_review())
    folded = text[text.index('id="kept"') : text.index('id="point-feedback"')]
    assert "Suggestion unchanged" in folded
    for name in ("task_type", "error_type", "checklist"):
        assert f'id="point-{name}"' in folded


def test_the_reviewers_fix_is_a_difference_of_its_own(client: Client, case: Case) -> None:
    review = case.fix(case.under_review(), checklist=[["Does the answer say that both weigh the same?", 1]])
    text = desk(client, case, review)
    assert "Fixed by the reviewer" in text
    assert "not while you have edits" in text
    point = text[text.index('id="point-checklist"') :]
    assert "removed" in point


def test_work_without_a_suggestion_is_shown_as_written(client: Client, case: Case) -> None:
    case.written(item := case.item(suggestion=None))
    text = desk(client, case, case.review(item))
    assert text.count("Written</span>") >= 5
    assert "Suggestion unchanged" not in text


def test_the_second_round_shows_what_changed_since_the_first(client: Client, case: Case) -> None:
    review = case.under_review()
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("feedback", "Why?")])
    item = Item.objects.get()
    case.written(item, {**WRITTEN, "feedback": WRITTEN["feedback"] + " Really."})
    text = desk(client, case, case.review(item))
    assert "annotator, round 1" in text
    assert "annotator, round 2" in text
    assert "<ins> Really.</ins>" in text
    assert "Why?" in text


def test_the_buttons_say_what_happens_next(client: Client, case: Case) -> None:
    text = desk(client, case, case.under_review())
    for sentence in (
        "marks the item accepted",
        "goes first to annotator, round 2",
        "can be restored",
        "accepts your changes; none yet",
    ):
        assert sentence in text


def test_a_decided_review_is_read_only(client: Client, case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Both weigh the same.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    for user in (case.reviewer, case.lead):
        text = desk(client, case, review, user)
        assert "Fixed and accepted" in text
        assert 'id="annotation"' not in text


def test_drafts_of_another_reviewer_are_in_no_page(client: Client, case: Case) -> None:
    review = case.fix(case.under_review(), feedback="half a secret sentence")
    assert "half a secret sentence" in desk(client, case, review)
    assert "half a secret sentence" not in desk(client, case, review, case.lead)


def test_text_of_people_is_shown_and_not_run(client: Client, case: Case) -> None:
    bad = "<img src=x onerror=alert(1)>"
    draft = {**WRITTEN, "feedback": bad, "checklist": [[bad, 1]]}
    item = case.item()
    Item.objects.filter(pk=item.pk).update(key=bad, title=bad, facts={**FACTS, "user_query": bad})
    case.written(item, draft)
    text = desk(client, case, case.review(item))
    assert "<img" not in text
    assert "&lt;img" in text


def test_the_desk_takes_few_queries(client: Client, case: Case, django_assert_max_num_queries) -> None:
    review = case.under_review()
    for number in range(3):
        decisions.send_back(
            review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("feedback", f"Again {number}.")]
        )
        item = Item.objects.get()
        case.written(item, {**WRITTEN, "feedback": f"Try {number}."})
        review = case.review(item)
    for number in range(30):
        case.written(case.item(f"more-{number}"))
    client.force_login(case.reviewer)
    with django_assert_max_num_queries(15):
        answer = client.get(reverse("review_item", args=["fb", review.slot_id]))
    assert "Again 2." in answer.content.decode()


def test_a_text_that_was_put_back_leads_from_my_drafts_to_its_review(client: Client, case: Case) -> None:
    review = case.fix(case.under_review(), feedback="Half a sentence")
    leases.release(review.slot, review.slot.token)
    text = get(client, case.reviewer, "my_drafts").content.decode()
    assert "Half a sentence" in text
    assert reverse("review_item", args=["fb", review.slot_id]) in text
