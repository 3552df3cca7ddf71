"""The pages of a perturbation besides its desk: they show the difference too, to whoever may see the text."""

import pytest
from django.urls import reverse

from annotate.items import queue
from annotate.models import Item
from annotate.work import submit
from tests.support.canals import DRAFT, FACTS
from tests.support.pages import client_of, html_of, said
from tests.support.people import make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db
MARKED = '<del data-change="1">82</del><ins data-change="1">28</ins>'


@pytest.fixture
def item() -> Item:
    project = make_project(kind_slug="perturbation", reviews=1)
    return make_item(project, facts=FACTS, suggestion=DRAFT | {"verdict": None}, group="number-errors")


def page_of(item: Item, role: str) -> str:
    user = make_member(item.project, role).user
    return html_of(client_of(user), reverse("item", args=[item.project.slug, item.pk]))


@pytest.mark.parametrize("role", ["lead", "viewer"])
def test_its_page_shows_what_changed(item: Item, role: str) -> None:
    assert MARKED in page_of(item, role)


def test_without_a_perturbed_answer_the_page_says_so() -> None:
    bare = make_item(make_project(kind_slug="perturbation"), facts=FACTS)
    assert "There is no perturbed answer yet." in said(page_of(bare, "lead"))


def test_a_reviewer_sees_the_difference_with_the_verdict(item: Item) -> None:
    author, reviewer = make_member(item.project), make_member(item.project, "reviewer")
    slot = queue.claim_next(author, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, author, DRAFT), token=slot.token, by=author.user)
    client = client_of(reviewer.user)
    client.post(reverse("review_next", args=[item.project.slug]))
    review = item.slots.get(stage="review")
    shown = html_of(client, reverse("review_item", args=[item.project.slug, review.pk]))
    assert MARKED in shown
    assert "Valid" in said(shown)
