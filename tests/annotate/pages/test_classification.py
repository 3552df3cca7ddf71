import re

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotate.models import Run
from tests.annotate.purposes.test_preannotate import make_run
from tests.annotate.quality.test_classifying import ALGEBRA, CODE, GEOMETRY, classified
from tests.support.desks import Worker, colleague
from tests.support.pages import text_of
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    run = make_run(make_project(), "classify")
    for people, model in ((ALGEBRA, ALGEBRA), (CODE, CODE), (ALGEBRA, GEOMETRY), (CODE, ALGEBRA), (None, CODE)):
        classified(run, people, model, title=f"{people} as {model}")
    classified(run, CODE, "<b>Poetry</b>", listed=False, title="odd")
    return run


@pytest.fixture
def lead(run: Run) -> Worker:
    return colleague(run.project, "lead")


def get(lead: Worker, name: str, *args: object, query: str = "") -> object:
    return lead.client.get(reverse(name, args=[lead.project.slug, *args]) + query)


def test_the_list_shows_each_run_with_its_accuracy(lead: Worker, run: Run) -> None:
    text = text_of(get(lead, "classification"))
    assert "drafter-b simulated" in text
    assert "2 of 5, too few 3 of 5, too few 5" in text


def test_without_a_run_the_list_says_what_to_do() -> None:
    lead = colleague(make_project(), "lead")
    assert "Nothing has been classified yet" in text_of(get(lead, "classification"))


def test_every_link_of_the_figures_opens_as_many_items_as_it_says(lead: Worker, run: Run) -> None:
    page = get(lead, "classification_run", run.pk).content.decode()  # type: ignore[attr-defined]
    links = re.findall(r'href="([^"]*items/[^"]*)">([\d.]+)</a>', page)
    assert len(links) >= 8
    for address, figure in links:
        answer = lead.client.get(address.replace("&amp;", "&"))
        assert answer.status_code == 200
        shown = answer.content.decode().count('class="row-link num"')
        expected = {"40.0": 2, "60.0": 3}.get(figure) or int(figure)
        assert shown == expected, address


def test_the_figures_name_what_was_left_out(lead: Worker, run: Run) -> None:
    text = text_of(get(lead, "classification_run", run.pk))
    assert "1 not accepted yet" in text
    assert "n = 5, too few" in text
    assert "outside the taxonomy" in text


def test_items_stand_with_both_labels_and_nothing_is_taken_for_markup(lead: Worker, run: Run) -> None:
    answer = get(lead, "classification_items", run.pk, query="?people=Coding&model=")
    page = answer.content.decode()  # type: ignore[attr-defined]
    assert "<b>Poetry" not in page
    assert "Coding / Code Debugging &lt;b&gt;Poetry&lt;/b&gt; outside the taxonomy" in text_of(answer)


@pytest.mark.parametrize("query", ["?right=maybe", "?left=us", "?after=x", "?people=" + "x" * 200])
def test_an_address_that_makes_no_sense_is_told_so(lead: Worker, run: Run, query: str) -> None:
    answer = get(lead, "classification_items", run.pk, query=query)
    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert "Open a number of the classification instead" in text_of(answer)


def test_a_run_of_another_project_is_not_there(lead: Worker) -> None:
    other = make_run(make_project(), "classify")
    classified(other, ALGEBRA, ALGEBRA)
    assert get(lead, "classification_run", other.pk).status_code == 404  # type: ignore[attr-defined]
    assert get(lead, "classification_items", other.pk).status_code == 404  # type: ignore[attr-defined]


@pytest.mark.parametrize("role", ["viewer", "annotator", "reviewer"])
def test_it_is_for_leads(run: Run, role: str) -> None:
    other = colleague(run.project, role)
    for name in ("classification", "classification_run", "classification_items"):
        args = [] if name == "classification" else [run.pk]
        assert get(other, name, *args).status_code == 403  # type: ignore[attr-defined]


def test_a_page_of_items_takes_few_queries(
    lead: Worker, run: Run, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    get(lead, "classification_items", run.pk)
    with django_assert_max_num_queries(7):
        get(lead, "classification_items", run.pk)
