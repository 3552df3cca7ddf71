import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.answers.cases import case_of
from judging.models import Verdict
from tests.support.desks import colleague
from tests.support.judged import answer_of
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.use_cases import decided_case, intent_judge, use_case_project

pytestmark = pytest.mark.django_db
PAGE = "/p/urs/rating-bias/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def judged(project: Project, author: str, *scores: float, judge: str = "judge-m") -> None:
    """Second answers beside first ones, a case each."""
    for score in scores:
        item = decided_case(project)
        case = case_of(item)
        assert case is not None
        first, second = answer_of(item, author), answer_of(item, author, sample=2)
        who = intent_judge(project, judge, variant="scale=1-10 reference=own")
        columns = {"item": item, "first": second, "reference": first, "case_sha": case.judged.sha256}
        Verdict.objects.create(judge=who, score_first=score, **columns)


def test_before_anybody_was_asked_the_page_says_how(lead: Client) -> None:
    assert "No judge has run this test yet" in html_of(lead, PAGE)


def test_a_bias_stands_with_its_interval_over_those_of_the_authors(project: Project, lead: Client) -> None:
    judged(project, "one", 9, 8, 10)
    judged(project, "two", 8, 7)
    part = said(html_of(lead, PAGE).split('id="biases"')[1])
    assert "+0.25" in part  # ((27 / 3 − 8) + (15 / 2 − 8)) / 2
    assert "−0.50" in part
    assert "−1.48 to +3.48" in part  # 1 ± 4.30265 / √3
    assert "too few" in part


def test_a_number_opens_its_answers(project: Project, lead: Client) -> None:
    judged(project, "one", 9, 8, 10)
    html = html_of(lead, PAGE)
    at = html.index("author=one")
    address = html[html.rindex('href="', 0, at) + 6 : html.index('"', at)].replace("&amp;", "&")
    assert html_of(lead, address).count('class="row-link') == 3


def test_as_many_queries_for_many_judges(project: Project, lead: Client) -> None:
    counts = []
    for name in ("m", "n", "o"):
        judged(project, "one", 9, 8, judge=name)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[1] == counts[2] <= 20


def test_it_is_there_only_for_readers_of_projects_whose_cases_have_intents(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(slug="fb"), "lead").client.get("/p/fb/rating-bias/").status_code == 404
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404
