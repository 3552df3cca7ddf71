import pytest
from django.test import Client
from django.urls import reverse

from annotate.items import actions, comments, drafts, flow, queue
from annotate.models import Annotation, Event, Item, Member, Project, Slot, User
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.reviews import WRITTEN, Case
from tests.support.suggestions import maintained

pytestmark = pytest.mark.django_db


def page(client: Client, case: Case, user: User, item: Item):
    client.force_login(user)
    return client.get(reverse("item", args=["fb", item.pk]))


def fixed(case: Case) -> Item:
    review = case.fix(case.under_review(), feedback="Both weigh the same, always.")
    return decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer, note="Shorter.")


def decide(client: Client, case: Case, item: Item, *, by: User | None = None, **said: str):
    client.force_login(by or case.lead)
    return client.post(reverse("item_decide", args=["fb", item.pk]), said)


# --- seeing -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["lead", "reviewer", "viewer", "annotator"])
def test_everybody_who_may_sees_the_item_with_its_texts(client: Client, case: Case, role: str) -> None:
    answer = page(client, case, getattr(case, role), fixed(case))
    text = answer.content.decode()
    assert answer.status_code == 200
    for expected in ("k-1", "drafter-a", "Shorter.", "<ins>", "Fixed and accepted"):
        assert expected in text


def test_a_stranger_gets_404(client: Client, case: Case) -> None:
    assert page(client, case, case.stranger, case.item()).status_code == 404


def test_an_annotator_gets_404_for_items_they_never_had(client: Client, case: Case) -> None:
    assert page(client, case, case.annotator, case.item()).status_code == 404


def test_an_item_of_another_project_is_not_there(client: Client, case: Case) -> None:
    other = make_other_item()
    assert page(client, case, case.lead, other).status_code == 404


def make_other_item() -> Item:
    project = Project.objects.create(slug="other", name="Other", kind_slug="feedback")
    return Item.objects.create(project=project, key="x", facts={}, content_hash="x")


def test_drafts_of_others_are_in_no_page(client: Client, case: Case) -> None:
    review = case.under_review()
    drafts.save(review, {**WRITTEN, "feedback": "half a secret sentence"}, revision=0, decided=[])
    for user in (case.lead, case.viewer, case.annotator):
        assert "half a secret sentence" not in page(client, case, user, review.item).content.decode()
    assert "half a secret sentence" in page(client, case, case.reviewer, review.item).content.decode()


def test_text_of_people_is_shown_and_not_run(client: Client, case: Case) -> None:
    bad = "<script>alert(1)</script>"
    case.written(item := case.item(), {**WRITTEN, "feedback": bad})
    comments.start(item=item, by=case.lead, text=bad)
    text = page(client, case, case.lead, item).content.decode()
    assert bad not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2


def test_what_a_model_left_to_be_picked_from_is_told_with_its_suggestion(client: Client, case: Case) -> None:
    item, suggestion = maintained(case.project)
    Annotation.objects.filter(pk=suggestion.pk).update(
        candidates=[{"label": "Misinformation", "draft": {"feedback": "<b>Four.</b>"}}]
    )
    text = page(client, case, case.lead, item).content.decode()
    assert "Candidates" in text
    assert "&lt;b&gt;Four.&lt;/b&gt;" in text


def test_the_history_tells_who_did_what_and_why(client: Client, case: Case) -> None:
    review = case.under_review()
    decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("", "Too harsh.")])
    text = page(client, case, case.lead, review.item).content.decode()
    assert "returned it" in text
    assert text.count("Too harsh.") >= 2  # in the history and as a comment
    assert "reserved for annotator" in text


def test_the_page_takes_few_queries_however_long_the_history(
    client: Client, case: Case, django_assert_max_num_queries
) -> None:
    review = case.under_review()
    for number in range(4):
        decisions.send_back(
            review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("", f"Again {number}.")]
        )
        item = Item.objects.get()
        case.written(item, {**WRITTEN, "feedback": f"Try {number}."})
        review = case.review(item)
    comments.answer(thread=comments.threads(item, seen_by=case.lead)[0], by=case.annotator, answer="fixed")
    client.force_login(case.lead)
    address = reverse("item", args=["fb", item.pk])
    client.get(address)
    with django_assert_max_num_queries(15):
        assert client.get(address).status_code == 200


# --- leading ----------------------------------------------------------------------------------------------------------
def test_a_lead_drops_with_a_reason_and_restores(client: Client, case: Case) -> None:
    item = case.item()
    decide(client, case, item, verb="drop", reason="too_easy", note="Everybody knows.")
    item.refresh_from_db()
    assert (item.state, item.drop_reason) == ("dropped", "too_easy")
    decide(client, case, item, verb="restore")
    item.refresh_from_db()
    assert (item.state, item.round) == ("ready", 2)
    assert list(Event.objects.filter(item=item).values_list("verb", flat=True))[-2:] == ["dropped", "restored"]


def test_dropping_without_a_reason_says_so_and_changes_nothing(client: Client, case: Case) -> None:
    item = case.item()
    answer = decide(client, case, item, verb="drop", note="Because.")
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "Choose a reason for dropping it." in text
    assert "Because." in text
    item.refresh_from_db()
    assert item.state == "ready"


def test_an_accepted_item_is_reopened_from_its_text(client: Client, case: Case) -> None:
    item = fixed(case)
    decide(client, case, item, verb="reopen")
    item.refresh_from_db()
    assert (item.state, item.round, item.base.draft["feedback"]) == ("ready", 2, "Both weigh the same, always.")


def test_what_is_possible_depends_on_the_state(client: Client, case: Case) -> None:
    item = fixed(case)
    text = page(client, case, case.lead, item).content.decode()
    assert 'value="reopen"' in text
    assert 'value="restore"' not in text
    assert 'value="reopen"' not in page(client, case, case.reviewer, item).content.decode()


@pytest.mark.parametrize("verb", ["restore", "reopen"])
def test_a_step_that_does_not_start_here_is_409(client: Client, case: Case, verb: str) -> None:
    item = case.item()
    assert decide(client, case, item, verb=verb).status_code == 409
    item.refresh_from_db()
    assert item.state == "ready"


def test_an_unknown_verb_is_422(client: Client, case: Case) -> None:
    assert decide(client, case, case.item(), verb="delete").status_code == 422


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_only_leads_decide(client: Client, case: Case, role: str, status: int) -> None:
    item = case.item()
    answer = decide(client, case, item, by=getattr(case, role), verb="drop", reason="other")
    assert answer.status_code == status
    item.refresh_from_db()
    assert item.state == "ready"


def test_a_lead_takes_a_lease_back(client: Client, case: Case) -> None:
    item = case.item()
    slot = queue.claim_next(case.member(case.annotator), "annotate")
    assert slot is not None
    client.force_login(case.lead)
    answer = client.post(reverse("item_release", args=["fb", item.pk]), {"slot": slot.pk})
    assert answer.status_code == 302
    assert Slot.objects.get(pk=slot.pk).state == "open"
    again = client.post(reverse("item_release", args=["fb", item.pk]), {"slot": slot.pk})
    assert again.status_code == 409


@pytest.mark.parametrize("slot", ["", "x", "-1", "999999", "9" * 40, "²"])
def test_a_slot_that_is_not_there_is_404(client: Client, case: Case, slot: str) -> None:
    client.force_login(case.lead)
    assert client.post(reverse("item_release", args=["fb", case.item().pk]), {"slot": slot}).status_code == 404


def test_a_get_decides_nothing(client: Client, case: Case) -> None:
    client.force_login(case.lead)
    assert client.get(reverse("item_decide", args=["fb", case.item().pk])).status_code == 405


def test_a_suggestion_is_the_text_until_somebody_wrote_one(client: Client, case: Case) -> None:
    text = page(client, case, case.lead, case.item()).content.decode()
    assert "Current text" in text
    assert Annotation.objects.get().draft["feedback"] in text


def test_an_item_without_any_text_says_so(client: Client, case: Case) -> None:
    text = page(client, case, case.lead, case.item(suggestion=None)).content.decode()
    assert "No text yet." in text


def test_a_dropped_item_says_why(client: Client, case: Case) -> None:
    item = case.item()
    flow.move(item, "dropped", by=case.lead, drop_reason="duplicate")
    assert "Duplicate" in page(client, case, case.lead, item).content.decode()


def test_the_page_says_whose_the_text_is(client: Client, case: Case) -> None:
    review = case.fix(case.under_review(), feedback="That is not right. Both weigh the same.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    client.force_login(case.viewer)
    page = client.get(reverse("item", args=["fb", review.item_id])).content.decode()
    assert 'id="authorship"' in page
    assert "Text authorship" in page
    # "That is" and "Both weigh the same." were the model's, "not right." the annotator's, nothing the reviewer's own
    assert "Authorship of the text: Model" in page
    assert "Reviewer 0 %" in page


def test_whose_text_it_is_stays_hidden_where_its_beginning_is(client: Client, case: Case) -> None:
    item = case.item()
    case.written(item)
    actions.requeue(item, by=case.lead)
    colleague = User.objects.create_user("colleague")
    Member.objects.create(project=case.project, user=colleague, role="annotator")
    again = case.written(item, by=colleague)
    Item.objects.filter(pk=item.pk).update(base=again)
    client.force_login(colleague)
    page = client.get(reverse("item", args=["fb", item.pk])).content.decode()
    assert 'id="current"' in page
    assert 'id="authorship"' not in page  # it goes back to a text of somebody else
    client.force_login(case.lead)
    assert 'id="authorship"' in client.get(reverse("item", args=["fb", item.pk])).content.decode()
