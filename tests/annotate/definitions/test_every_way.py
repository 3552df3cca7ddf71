"""Own questions go every way that work goes: checks, several people, reviews, samples, guidelines, comments, drafts."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotate.errors import Refused
from annotate.guidelines import rulings
from annotate.guidelines.stale import StaleFilters, since, stale
from annotate.items import comments, drafts, queue
from annotate.models import Annotation, Comment, Item, Member, Notification, Precedent, Project, Readiness, Slot
from annotate.project.actions import create_project
from annotate.quality import acceptance_sampling
from annotate.quality.anchoring import anchoring
from annotate.readiness import calibration, checks
from annotate.review import adjudication, claim, decisions
from annotate.review.adjudication import table_of
from annotate.review.decisions import Reason
from annotate.work import submit
from tests.support.checks import answer, check, fresh, taken, work_through
from tests.support.desks import Worker
from tests.support.guidelines import new_version
from tests.support.people import make_item, make_member, written

pytestmark = pytest.mark.django_db

DEFINITION = """
show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: fluency, type: rating, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {fluency: at least 2}}
  - {name: topics, type: choices, options: [news, code, health]}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [a, b]}
  - {name: fixed, type: text, start: a, compare: a}
  - {name: price, type: number, step: "0.01", required: false}
"""
FACTS = {"prompt": "Which?", "a": "one fish", "b": "two fish"}
ANSWERS: dict[str, Any] = {
    "fluency": 4,
    "safe": "yes",
    "topics": ["news"],
    "better": "first",
    "order": [1, 2],
    "fixed": "One fish.",
    "price": 1.25,
}
# One other answer to each question.
OTHERS = {"fluency": 2, "safe": "no", "topics": ["code"], "better": "second", "order": [2, 1], "price": 2}


def own(**columns: Any) -> Project:
    return create_project(slug="own", kind="form", definition=DEFINITION, **columns)


def submitted(member: Member, answers: dict[str, Any] = ANSWERS) -> Annotation:
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    annotation = written(slot, member, answers)
    submit.submit(annotation=annotation, token=slot.token, by=member.user)
    Slot.objects.open().update(opens_at=timezone.now())
    return annotation


def decided(member: Member) -> Annotation:
    """The review or adjudication that this person takes up next."""
    slot = claim.take_next(member)
    assert slot is not None
    return Annotation.objects.select_related("slot").get(slot=slot, author=member.user)


def accept(review: Annotation) -> Item:
    assert review.author is not None
    return decisions.accept(review=review, token=review.slot.token, by=review.author)


# --- checks -----------------------------------------------------------------------------------------------------------
def checked(purpose: str, **columns: Any) -> Project:
    project = own(reviews=0)
    Readiness.objects.create(project=project, **columns)
    check(project, purpose, facts=FACTS, expected=ANSWERS, suggestion={"fluency": 3})
    make_item(project, facts=FACTS)
    return project


@pytest.mark.parametrize(("answers", "state"), [(ANSWERS, "passed"), (ANSWERS | OTHERS, "failed")])
def test_calibration_compares_question_by_question(answers: dict[str, Any], state: str) -> None:
    member = make_member(checked("calibration", calibration_each=1))
    work_through(member, 1, answers)
    assert calibration.standing(fresh(member)).state == state


@pytest.mark.parametrize("name", OTHERS)
def test_each_question_of_a_hidden_check_counts_by_itself(name: str) -> None:
    project = checked("gold", check_share=1)
    member = make_member(project)
    slot = taken(member)
    assert slot.item.purpose == "gold"
    answer(member, slot, ANSWERS | {name: OTHERS[name]})
    [found] = checks.recent(project, [member], 5).values()
    tally = checks.tally(found, project)
    assert tally.checks == 1
    assert 0 < (tally.percent or 0) < 100


def test_the_result_of_a_calibration_names_questions_with_answer_and_expectation(client: Client) -> None:
    project = checked("calibration", calibration_each=1)
    member = make_member(project)
    [slot] = work_through(member, 1, ANSWERS | {"better": "second"})
    client.force_login(member.user)
    page = client.get(f"/p/own/work/{slot.pk}/feedback/").content.decode()
    for part in ("better", "Text 2 is better", "Text 1 is better", "One fish."):
        assert part in page


# --- several people ---------------------------------------------------------------------------------------------------
@pytest.fixture
def dispute() -> tuple[Annotation, Item]:
    project = own(overlap=2, reviews=0)
    make_item(project, facts=FACTS)
    submitted(make_member(project))
    submitted(make_member(project), ANSWERS | {"safe": "no", "order": [2, 1], "fixed": "A fish."})
    return decided(make_member(project, "lead")), Item.objects.select_related("project").get()


def test_two_people_are_compared_and_each_disputed_question_is_decided(dispute: tuple[Annotation, Item]) -> None:
    review, item = dispute
    table = table_of(review.slot, item)
    assert [field.name for field in table.disputed] == ["safe", "order", "fixed"]
    assert review.draft == ANSWERS | {"safe": None, "order": [], "fixed": "one fish"}
    review = drafts.save(review, ANSWERS | {"order": [2, 1]}, revision=review.revision, decided=["safe", "fixed"])
    with pytest.raises(Refused, match="order"):
        adjudication.accept(review=review, token=review.slot.token, by=review.author, note="")
    review = drafts.save(review, review.draft, revision=review.revision, decided=["safe", "order", "fixed"])
    adjudication.accept(review=review, token=review.slot.token, by=review.author, note="")
    item.refresh_from_db()
    assert item.state == "accepted"
    assert (item.base.draft["safe"], item.base.draft["order"]) == ("yes", [2, 1])


def test_the_page_of_an_adjudication_shows_the_questions(dispute: tuple[Annotation, Item], client: Client) -> None:
    review, _item = dispute
    client.force_login(review.author)
    page = client.get(f"/p/own/review/{review.slot_id}/").content.decode()
    for part in ("safe", "order", "yes", "no"):
        assert part in page


def test_people_who_say_the_same_need_no_adjudication() -> None:
    """What a text says is free, and an answer to a question that is not asked does not count."""
    project = own(overlap=2, reviews=0)
    make_item(project, facts=FACTS)
    submitted(make_member(project), ANSWERS | {"fluency": 1, "safe": "no"})
    submitted(make_member(project), ANSWERS | {"fluency": 1, "safe": None, "fixed": "Fish."})
    assert Item.objects.get().state == "accepted"


# --- reviews ----------------------------------------------------------------------------------------------------------
def test_two_reviews_are_independent_and_a_fix_is_adjudicated() -> None:
    project = own(reviews=2)
    make_item(project, facts=FACTS)
    submitted(make_member(project))
    first, second = [decided(make_member(project, "reviewer")) for _person in range(2)]
    accept(first)
    second = drafts.save(second, ANSWERS | {"better": "tie"}, revision=second.revision, decided=[])
    decisions.fix_and_accept(review=second, token=second.slot.token, by=second.author, note="equal")
    item = Item.objects.select_related("project").get()
    assert item.state == "adjudicating"
    Slot.objects.open().update(opens_at=timezone.now())
    last = decided(make_member(project, "lead"))
    assert [field.name for field in table_of(last.slot, item).disputed] == ["better"]


def test_what_is_returned_says_at_which_question_and_comes_back_to_its_author(client: Client) -> None:
    project = own(reviews=1)
    make_item(project, facts=FACTS)
    member = make_member(project)
    submitted(member)
    review = decided(make_member(project, "reviewer"))
    reasons = [Reason("order", "B is longer.")]
    decisions.send_back(review=review, token=review.slot.token, by=review.author, reasons=reasons)
    client.force_login(member.user)
    page = client.post("/p/own/work/next/", follow=True).content.decode()
    assert "B is longer." in page
    assert Slot.objects.held().get().round == 2


def test_a_sample_of_accepted_answers_is_reviewed_again() -> None:
    project = own(reviews=1)
    member, reviewer, lead = make_member(project), make_member(project, "reviewer"), make_member(project, "lead")
    for _number in range(5):
        make_item(project, facts=FACTS)
        submitted(member)
        accept(decided(reviewer))
    sample = acceptance_sampling.draw(
        project=project,
        items=Item.objects.all(),
        tolerated=Decimal("0.5"),
        risk=Decimal("0.35"),
        allowed=0,
        by=lead.user,
    )
    for _number in range(2):
        accept(decided(lead))
    assert acceptance_sampling.result_of(sample).verdict == acceptance_sampling.PASSED


# --- guidelines, comments, precedents ---------------------------------------------------------------------------------
def test_a_section_of_the_guidelines_about_a_question_makes_its_answers_stale() -> None:
    project = own(reviews=0)
    text = "Be fair.\n# Order {fields: order}\nBest first."
    new_version(project, text, by=make_member(project, "lead").user)
    make_item(project, facts=FACTS)
    submitted(make_member(project))
    make_item(project, facts=FACTS)
    submitted(make_member(project))
    project = Project.objects.get()
    new_version(project, text.replace("Best first.", "Best first, ties never."), by=None)
    guideline = Project.objects.get().guideline
    assert guideline is not None
    assert stale(since(guideline), StaleFilters()).count() == 2


def test_comments_and_precedents_stand_at_their_question(client: Client) -> None:
    project = own(reviews=0)
    item = make_item(project, facts=FACTS, group="Fish")
    member, lead = make_member(project), make_member(project, "lead")
    client.force_login(member.user)
    page = client.post("/p/own/work/next/", follow=True)
    submitted(member)
    comments.start(item=item, by=lead.user, text="Which of them?", field="better")
    question = rulings.ask(item=item, field="order", by=member.user, question="May two be equal?")
    rulings.rule(
        precedent=question, by=lead.user, ruling="Never.", everywhere=True, based_on=rulings.last_event(question)
    )
    shown = client.get(page.request["PATH_INFO"]).content.decode()
    assert shown.index('id="field-order"') < shown.index("Never.") < shown.index('id="field-fixed"')
    about = client.get(f"/p/own/items/{item.pk}/").content.decode()
    assert "Which of them?" in about
    assert (Comment.objects.get().field, Precedent.objects.get().field) == ("better", "order")
    assert Notification.objects.filter(user=member.user).exists()


# --- the blind arm ----------------------------------------------------------------------------------------------------
def test_who_works_blind_sees_no_suggestion_and_is_compared_with_who_does(client: Client) -> None:
    project = own(reviews=0)
    member = make_member(project)
    for blind in (False, True):
        item = make_item(project, facts=FACTS, suggestion=ANSWERS)
        Slot.objects.filter(item=item).update(blind=blind)
        slot = queue.claim_next(member, "annotate")
        annotation = drafts.open_draft(slot, author=member.user, item=item, project=project)
        assert (annotation.draft["safe"] == "yes") is not blind
        written_now = drafts.save(annotation, ANSWERS, revision=annotation.revision, decided=[])
        submit.submit(annotation=written_now, token=slot.token, by=member.user)
    found = anchoring(project)
    assert found.texts == {"shown": 1, "blind": 1}
    assert [meter.field.name for meter in found.meters] == list(ANSWERS)


# --- drafts -----------------------------------------------------------------------------------------------------------
def posted(answers: dict[str, Any]) -> dict[str, Any]:
    first, second = answers["order"]
    fields = {f"q-{name}": value for name, value in answers.items() if name != "order" and value is not None}
    return fields | {"q-order-1": str(first), "q-order-2": str(second)}


def working(client: Client) -> tuple[Worker, Slot, dict[str, str]]:
    """A person with an item open, and the hidden inputs of their page."""
    project = own(reviews=1)
    make_item(project, facts=FACTS, suggestion=ANSWERS | {"fixed": "ONE FISH"})
    member = make_member(project)
    client.force_login(member.user)
    page = client.post("/p/own/work/next/", follow=True).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(token|revision)" value="([^"]*)"', page))
    return Worker(client, member), Slot.objects.held().get(), hidden


def test_a_draft_is_saved_while_it_is_written_and_undone_after_it_was_submitted(client: Client) -> None:
    worker, slot, hidden = working(client)
    form = posted(ANSWERS | {"topics": ["code", "health"], "price": "2,5"})
    saved = client.post(worker.address("work_save", slot), hidden | form, headers={"HX-Request": "true"})
    assert saved.status_code == 200
    annotation = worker.annotation(slot)
    assert (annotation.draft["topics"], annotation.draft["price"]) == (["code", "health"], 2.5)
    late = client.post(worker.address("work_save", slot), hidden | posted(ANSWERS), headers={"HX-Request": "true"})
    assert late.status_code == 409
    submission = hidden | {"revision": annotation.revision, "confirm": "1"} | form
    assert client.post(worker.address("work_submit", slot), submission).status_code == 302
    assert Item.objects.get().state == "reviewing"
    client.post(worker.address("work_undo", slot))
    slot.refresh_from_db()
    assert (slot.state, worker.annotation(slot).draft["topics"]) == ("held", ["code", "health"])


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "fixed"])
def test_a_suggestion_is_kept_or_put_back_question_by_question(client: Client, name: str) -> None:
    worker, slot, hidden = working(client)
    form = posted(ANSWERS | {"fixed": "ONE FISH"} | {name: OTHERS[name]})
    client.post(worker.address("work_save", slot), hidden | form)
    assert worker.annotation(slot).draft[name] == OTHERS[name]
    hidden["revision"] = str(worker.annotation(slot).revision)
    client.post(worker.address("work_save", slot), hidden | form | {"action": f"reset:{name}"})
    assert worker.annotation(slot).draft[name] == ANSWERS[name]
    hidden["revision"] = str(worker.annotation(slot).revision)
    form = posted(ANSWERS | {"fixed": "ONE FISH"})
    client.post(worker.address("work_save", slot), hidden | form | {"action": f"keep:{name}"})
    assert name in worker.annotation(slot).decided


def test_the_difference_of_a_text_to_its_column_is_shown(client: Client) -> None:
    worker, slot, _hidden = working(client)
    page = client.get(worker.address("work_item", slot)).content.decode()
    assert "<del>" in page
    assert "<ins>" in page
