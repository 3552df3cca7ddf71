import re
from itertools import pairwise

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.intake import duplicate_search
from annotate.models import AlikePair, AlikeSearch, Item, Project
from annotate.upkeep.reconciliation import reconcile
from tests.support.pages import client_of
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/near-duplicates/"


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


def asked(project: Project, *questions: str) -> list[Item]:
    return [
        Item.objects.create(
            project=project, key=f"q{no}", title=text, state="ready", content_hash=f"{no}",
            facts={"bench_type": "Error Correction", "user_query": text, "origin_first_response": "Two."},
        )
        for no, text in enumerate(questions)
    ]  # fmt: skip


def pairs(project: Project, number: int) -> None:
    items = asked(project, *(f"How many moons has planet {no} & <b>who</b> counted?" for no in range(number + 1)))
    AlikeSearch.objects.create(project=project, threshold=0.7, finished_at=items[0].created_at, items=len(items))
    AlikePair.objects.bulk_create(
        AlikePair(project=project, first=one, second=other, likeness=0.9) for one, other in pairwise(items)
    )


def test_before_anybody_has_looked_the_page_says_so(lead: Client) -> None:
    assert "Not searched yet." in lead.get(PAGE).content.decode()


def test_a_search_is_asked_for_and_its_pairs_appear_with_their_difference(project: Project, lead: Client) -> None:
    asked(
        project,
        "How many moons has Mars, the planet?",
        "How many moons has Mars the red planet?",
        "Why is the sky blue?",
    )
    lead.post(f"{PAGE}search/", {"threshold": "0.6"})
    assert 'hx-trigger="every 2s"' in lead.get(PAGE).content.decode()
    reconcile()
    page = lead.get(PAGE).content.decode()
    assert 'hx-trigger="every 2s"' not in page
    assert page.count('name="decision" value="both"') == 1
    assert re.search(r"<ins[^>]*>[^<]*red", page)


def test_the_fragment_stands_alone(project: Project, lead: Client) -> None:
    pairs(project, 1)
    fragment = lead.get(PAGE, headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div class="stack" id="pairs"')
    assert "<html" not in fragment


@pytest.mark.parametrize("threshold", ["", "2", "-1", "nan", "many"])
def test_a_wrong_threshold_is_told_and_nothing_is_asked(project: Project, lead: Client, threshold: str) -> None:
    assert lead.post(f"{PAGE}search/", {"threshold": threshold}).status_code == 422
    assert not AlikeSearch.objects.exists()


def test_the_dropped_one_says_duplicate_and_the_pair_is_among_the_decided(project: Project, lead: Client) -> None:
    pairs(project, 1)
    pair = AlikePair.objects.get()
    lead.post(f"{PAGE}{pair.pk}/", {"decision": "first"})
    dropped = Item.objects.get(pk=pair.second_id)
    assert (dropped.state, dropped.drop_reason) == ("dropped", "duplicate")
    assert "No pairs left to decide" in lead.get(PAGE).content.decode()
    assert "First kept" in lead.get(f"{PAGE}?show=decided").content.decode()


@pytest.mark.parametrize("decision", ["", "neither", "FIRST"])
def test_another_word_decides_nothing(project: Project, lead: Client, decision: str) -> None:
    pairs(project, 1)
    lead.post(f"{PAGE}{AlikePair.objects.get().pk}/", {"decision": decision})
    assert AlikePair.objects.get().decision == ""


def test_who_comes_second_is_told(project: Project, lead: Client) -> None:
    pairs(project, 1)
    pair = AlikePair.objects.get()
    duplicate_search.decide(pair, "both", by=make_member(project, "lead").user)
    answer = lead.post(f"{PAGE}{pair.pk}/", {"decision": "first"}, follow=True)
    assert "Someone has already decided on this pair." in answer.content.decode()
    assert not Item.objects.filter(state="dropped").exists()


def test_a_pair_of_another_project_is_not_there(project: Project, lead: Client) -> None:
    pairs(make_project(slug="other"), 1)
    assert lead.post(f"{PAGE}{AlikePair.objects.get().pk}/", {"decision": "first"}).status_code == 404


def test_a_page_asks_as_often_for_one_pair_as_for_a_thousand(
    project: Project, lead: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    pairs(project, 1000)
    lead.get(PAGE)
    with django_assert_max_num_queries(12):
        page = lead.get(PAGE).content.decode()
    assert page.count('value="both"') == 10
    assert "<b>who</b>" not in page


def test_kinds_whose_items_nobody_asks_have_no_such_page() -> None:
    project = make_project(slug="pairs", kind_slug="preference")
    assert client_of(make_member(project, "lead").user).get("/p/pairs/near-duplicates/").status_code == 404
