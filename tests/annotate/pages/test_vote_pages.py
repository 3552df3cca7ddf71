"""The kinds of votes on every screen that shows a draft: work, review, item, drafts."""

import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Annotation, Slot
from annotate.work.desk import open_next
from tests.support.people import make_item, make_member, make_project
from tests.support.studies import prefers, vote

pytestmark = pytest.mark.django_db
FACTS: dict[str, dict[str, Any]] = {
    "preference": {"prompt": "How many legs has a spider?", "first": "It has eight.", "second": "It has six."},
    "checklist_vote": {"prompt": "How many?", "answer": "It has eight.", "questions": ["Is it eight?", "Is it <b>?"]},
    "score_vote": {"prompt": "How many?", "answer": "It has eight."},
}
DRAFTS: dict[str, dict[str, Any]] = {
    "preference": prefers("second", reason="shorter"),
    "checklist_vote": {"votes": ["yes", "no"], "reasons": ["", "no tag"], "recognised": True},
    "score_vote": {"scores": {"Overall quality": 4}, "cannot_tell": [], "reason": "fine", "recognised": False},
}
SHOWN = {"preference": "Text 2 is better", "checklist_vote": "2. No", "score_vote": "Overall quality: 4"}


class Voting:
    def __init__(self, kind: str, client: Client) -> None:
        self.kind, self.client = kind, client
        self.project = make_project(kind_slug=kind, reviews=1)
        self.item = make_item(self.project, facts=FACTS[kind])
        self.member = make_member(self.project)
        client.force_login(self.member.user)

    def opened(self) -> str:
        slot = open_next(self.member)
        assert slot is not None
        self.slot = Slot.objects.get(pk=slot.pk)
        return f"/p/{self.project.slug}/work/{slot.pk}/"

    def read(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200
        return answer.content.decode()

    def post(self, **said: Any) -> Any:
        form = {"token": str(self.slot.token), "revision": 0, "seconds": 3} | said
        return self.client.post(f"/p/{self.project.slug}/work/{self.slot.pk}/submit/", form)


@pytest.fixture(params=list(FACTS))
def voting(request: pytest.FixtureRequest, client: Client) -> Voting:
    return Voting(request.param, client)


def test_scores_are_told_by_a_number_that_is_no_hint_for_a_key(client: Client) -> None:
    """Hints for keys are hidden where there is no keyboard, and where the choice is made."""
    page = Voting("score_vote", client)
    labels = re.findall(r'<label class="chip">(.*?)</label>', page.read(page.opened()), re.DOTALL)
    told = [re.sub(r"<kbd.*?</kbd>|<[^>]+>", "", label).strip() for label in labels]
    assert told[:6] == ["1", "2", "3", "4", "5", "Cannot tell"]
    assert '<kbd class="key" aria-hidden="true">6</kbd>' in labels[5]


def test_the_work_page_shows_what_was_asked_and_every_text_of_the_facts(voting: Voting) -> None:
    page = voting.read(voting.opened())
    assert ">Prompt<" in page
    assert "It has eight." in page
    assert "<b>?" not in page
    assert "Check these first" not in page


def test_who_votes_on_a_pair_sees_answers_a_and_b_and_no_other_name_of_them(client: Client) -> None:
    voting = Voting("preference", client)
    page = voting.read(voting.opened())
    assert "Answer A" in page
    assert "Answer B" in page
    assert not re.search(r"(Model|Text) [12]", page)


def test_an_empty_vote_is_refused_beside_its_field_and_nothing_is_handed_in(voting: Voting) -> None:
    voting.opened()
    answer = voting.post()
    assert answer.status_code == 422
    assert "field__problem--stop" in answer.content.decode()
    assert Annotation.objects.get().submitted_at is None


POSTS: dict[str, dict[str, Any]] = {
    "preference": {"choice": "second", "reason": "shorter"},
    "checklist_vote": {"vote-1": "yes", "vote-2": "no", "reason-2": "no tag", "recognised": "1"},
    "score_vote": {"criterion": "Overall quality", "score-1": "4", "reason": "fine"},
}


def test_what_the_form_posts_is_what_is_stored(voting: Voting) -> None:
    voting.opened()
    assert voting.post(**POSTS[voting.kind]).status_code == 302
    said = Annotation.objects.get()
    assert said.submitted_at is not None
    assert said.draft == DRAFTS[voting.kind]


def test_a_vote_that_was_handed_in_is_shown_and_its_buttons_are_off(voting: Voting) -> None:
    vote(voting.member, DRAFTS[voting.kind])
    page = voting.read(f"/p/{voting.project.slug}/work/{Slot.objects.get(stage='annotate').pk}/")
    fields = page[page.index('id="fields"') :]
    assert len(re.findall("<fieldset[^>]* disabled>", fields)) == fields.count("<fieldset") > 0


@pytest.mark.parametrize("path", ["items/{item}/", "review/{review}/"])
def test_others_read_it_in_words(voting: Voting, path: str) -> None:
    vote(voting.member, DRAFTS[voting.kind])
    reviewer = make_member(voting.project, "reviewer")
    Slot.objects.filter(stage="review").update(opens_at=voting.item.created_at)
    voting.client.force_login(reviewer.user)
    review = Slot.objects.get(stage="review")
    voting.client.post(f"/p/{voting.project.slug}/review/{review.pk}/take/")
    page = voting.read(f"/p/{voting.project.slug}/" + path.format(item=voting.item.pk, review=review.pk))
    assert SHOWN[voting.kind] in page
    assert "It has eight." in page


def test_each_person_gets_their_own_sides_and_the_same_ones_again(client: Client) -> None:
    one = Voting("preference", client)
    orders = set()
    for _person in range(12):
        member = make_member(one.project, "viewer")
        client.force_login(member.user)
        pages = {one.read(f"/p/{one.project.slug}/items/{one.item.pk}/").find("It has eight.") for _look in range(2)}
        assert len(pages) == 1
        page = one.read(f"/p/{one.project.slug}/items/{one.item.pk}/")
        orders.add(page.index("It has eight.") < page.index("It has six."))
    assert orders == {True, False}
