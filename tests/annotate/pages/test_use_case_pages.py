import pytest
from django.test import Client

from annotate.kinds.use_case import kind
from annotate.kinds.use_case.shapes import UseCaseFacts, UseCaseOptions
from annotate.models import Annotation, Slot
from annotate.work.desk import open_next
from judging.answers import store
from judging.answers.cases import case_of
from tests.support.people import make_item, make_member
from tests.support.running import run
from tests.support.scripted import Script, shipped
from tests.support.use_cases import DRAFT, FACTS, use_case_project

pytestmark = pytest.mark.django_db
POST = {
    "keep": "yes",
    "personal_data": "no",
    "harmless": "yes",
    **{name: DRAFT[name] for name in ("first_question", "intent", "reference")},
}


class Desk:
    def __init__(self, client: Client) -> None:
        self.client, self.project = client, use_case_project(reviews=0)
        self.item = make_item(self.project, facts=FACTS)
        self.member = make_member(self.project)
        client.force_login(self.member.user)
        slot = open_next(self.member)
        assert slot is not None
        self.slot = Slot.objects.get(pk=slot.pk)
        self.address = f"/p/{self.project.slug}/work/{slot.pk}/"

    def page(self) -> str:
        return self.client.get(self.address).content.decode()

    def submit(self, **said: str) -> int:
        form = {"token": str(self.slot.token), "revision": 0, "seconds": 3} | said
        return self.client.post(f"{self.address}submit/", form).status_code


@pytest.fixture
def desk(client: Client) -> Desk:
    return Desk(client)


def test_the_desk_shows_the_case_its_conversation_and_what_it_came_with(desk: Desk) -> None:
    page = desk.page()
    assert "reported as Advice<" in page
    assert "The conversation: 2 messages" in page
    assert "With hot water and bleach." in page
    assert "Answer in the case" in page
    assert 'value="Ask_for_Advice" checked' in page
    assert page.count('name="intent"') == 7


def test_what_the_form_posts_is_what_is_stored(desk: Desk) -> None:
    assert desk.submit(**POST) == 302
    assert Annotation.objects.get().draft == DRAFT


def test_a_dropped_case_leaves_with_its_reason(desk: Desk) -> None:
    assert desk.submit(**POST | {"keep": "no", "drop_reason": "names a patient"}) == 302
    assert Annotation.objects.get().draft["drop_reason"] == "names a patient"


def test_a_case_with_personal_data_is_refused_at_its_field(desk: Desk) -> None:
    assert desk.submit(**POST | {"personal_data": "yes"}) == 422
    assert Annotation.objects.get().submitted_at is None


def test_a_case_is_not_dropped_without_a_reason(desk: Desk) -> None:
    assert desk.submit(**POST | {"keep": "no"}) == 422
    assert Annotation.objects.get().submitted_at is None


def test_a_reference_that_a_model_wrote_is_to_be_checked_and_counts_once_somebody_did(client: Client) -> None:
    project = use_case_project(reviews=0)
    facts = UseCaseFacts.model_validate(FACTS)
    ask = Script({"reference": {"response": "Blot it, then vinegar."}})
    found = run(kind.drafted(facts, UseCaseOptions(), shipped("use_case"), ask, language="en"))
    item = make_item(project, facts=FACTS, suggestion=found.draft)
    Annotation.objects.update(doubts=[doubt.as_json() for doubt in found.doubts])
    member = make_member(project)
    client.force_login(member.user)
    slot = open_next(member)
    assert slot is not None
    page = client.get(f"/p/{project.slug}/work/{slot.pk}/").content.decode()
    assert "model wrote this: check it before it counts as the reference" in page
    assert "Blot it, then vinegar." in page
    assert case_of(item) is None  # nobody has decided: no judge is shown it
    token = Slot.objects.get(pk=slot.pk).token
    form = {"token": str(token), "revision": 0, "seconds": 3} | POST | {"reference": "Blot it. No vinegar."}
    assert client.post(f"/p/{project.slug}/work/{slot.pk}/submit/", form).status_code == 302
    item.refresh_from_db()
    assert item.state == "accepted"
    store.ensure(project)
    assert store.held(project) == "reference"
    assert item.base is not None
    assert item.base.draft["reference"] == "Blot it. No vinegar."
    assert case_of(item) is not None
