import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Item, Project
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/difficulty/"
WEIGHED = f"{PAGE}?authors=a&authors=b&threshold=1&run=judge-"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def easy_items(project: Project, count: int = 2) -> list[Item]:
    items = [decided_item(project, CORRECTION) for _number in range(count)]
    for item in items:
        for author in ("a", "b"):
            verdict_on(answer_of(item, author), a_judge(project), (1, 1))
    return items


def shown(project: Project, lead: Client) -> str:
    return html_of(lead, f"{WEIGHED}{a_judge(project).pk}")


def form_of(html: str) -> dict[str, list[str]]:
    form = html[html.index('id="apply"') :]
    fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</form>")])
    return {name: [value for one, value in fields if one == name] for name, _value in fields}


def test_without_verdicts_the_page_says_what_comes_first(lead: Client) -> None:
    assert "Nothing has been judged yet" in html_of(lead, PAGE)


def test_authors_are_offered_and_nothing_is_weighed_before_some_are_chosen(project: Project, lead: Client) -> None:
    easy_items(project)
    html = html_of(lead, PAGE)
    assert html.count('name="authors"') == 2
    assert 'id="found"' not in html


def test_the_weakest_author_is_offered_first_with_the_score_of_the_leaderboard(project: Project, lead: Client) -> None:
    [item] = easy_items(project, 1)
    verdict_on(answer_of(item, "z-but-weak"), a_judge(project), (0, 0))
    authors = re.findall(r'name="authors" value="([^"]+)"[^>]*> ([^<]+?)\s*</label>', html_of(lead, PAGE))
    assert authors == [("z-but-weak", "z-but-weak · 0.0"), ("a", "a · 100.0"), ("b", "b · 100.0")]


def test_what_is_too_easy_is_shown_with_the_balance_and_a_sample(project: Project, lead: Client) -> None:
    items = easy_items(project)
    html = shown(project, lead)
    assert "2 items are too easy" in said(html)
    assert "Coding 2 0 100.0 % 0.0 %" in said(html)
    assert all(f"/items/{item.pk}/verdicts/" in html for item in items)


def test_the_page_takes_as_many_queries_for_many_items(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        easy_items(project, 4)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            shown(project, lead)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 30


def test_a_lead_drops_what_was_shown_and_takes_it_back(project: Project, lead: Client) -> None:
    items = easy_items(project)
    assert lead.post(f"{PAGE}apply/", form_of(shown(project, lead))).status_code == 302
    assert set(Item.objects.values_list("state", "drop_reason")) == {("dropped", "too_easy")}
    html = html_of(lead, PAGE)
    assert "2 items dropped by this filter" in said(html)
    assert "Difficulty filter: judge-m" in html
    assert lead.post(f"{PAGE}restore/", {"item": items[0].pk}).status_code == 302
    assert Item.objects.get(pk=items[0].pk).state == "accepted"
    lead.post(f"{PAGE}restore/", {"all": "yes"})
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_of_what_was_dropped_some_are_drawn_to_look_at(project: Project, lead: Client) -> None:
    easy_items(project, 12)
    lead.post(f"{PAGE}apply/", form_of(shown(project, lead)))
    draws = [re.findall(r'name="item" value="(\d+)"', html_of(lead, f"{PAGE}?look={seed}")) for seed in (0, 0, 1)]
    assert [len(set(draw)) for draw in draws] == [10, 10, 10]
    assert draws[0] == draws[1] != draws[2]
    assert html_of(lead, f"{PAGE}?look=x").count('name="item"') == 12


def test_what_has_changed_since_the_page_was_made_is_not_dropped(project: Project, lead: Client) -> None:
    easy_items(project)
    form = form_of(shown(project, lead))
    easy_items(project, 1)
    answer = lead.post(f"{PAGE}apply/", form)
    assert answer.status_code == 409
    assert "3 items are too easy" in said(answer.content.decode())
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


@pytest.mark.parametrize("query", ["authors=zoe", "authors=a&threshold=7", "authors=a&threshold=nan", "authors=a"])
def test_a_form_that_cannot_be_read_is_told_so(project: Project, lead: Client, query: str) -> None:
    easy_items(project)
    assert lead.get(f"{PAGE}?{query}").status_code == 422
    assert lead.post(f"{PAGE}apply/", dict(re.findall(r"(\w+)=(\w+)", query))).status_code == 422
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_items_of_another_project_are_not_taken_back(project: Project, lead: Client) -> None:
    other = make_project(slug="other")
    item = decided_item(other, CORRECTION)
    for author in ("a", "b"):
        verdict_on(answer_of(item, author), a_judge(other), (1, 1))
    theirs = colleague(other, "lead").client
    page = html_of(theirs, f"/p/other/difficulty/?authors=a&authors=b&threshold=1&run=judge-{a_judge(other).pk}")
    theirs.post("/p/other/difficulty/apply/", form_of(page))
    lead.post(f"{PAGE}restore/", {"item": item.pk})
    assert Item.objects.get(pk=item.pk).state == "dropped"


def test_a_viewer_sees_and_cannot_act(project: Project) -> None:
    easy_items(project)
    viewer = colleague(project, "viewer").client
    html = shown(project, viewer)
    assert 'id="found"' in html
    assert 'id="apply"' not in html
    assert viewer.post(f"{PAGE}restore/", {"all": "yes"}).status_code == 403


def test_an_annotator_and_a_stranger_see_nothing(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404
