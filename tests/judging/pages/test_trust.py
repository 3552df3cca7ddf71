import re
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Member, Project
from judging.models import Judge, Study
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.pages import html_of, said
from tests.support.people import make_project
from tests.support.trusted import checklists_with_votes, pairs_with_votes

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/trust/"
MOST_QUERIES = 20


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def judged() -> tuple[Project, Judge]:
    return checklists_with_votes()


@pytest.fixture
def project(judged: tuple[Project, Judge]) -> Project:
    return judged[0]


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def section(html: str, name: str) -> str:
    start = html.index(f'id="{name}"')
    return html[start : html.index("</section>", start)]


def test_the_page_has_every_part(lead: Client) -> None:
    html = html_of(lead, PAGE)
    assert "shown" in said(section(html, "stand-in"))
    assert {"anna", "bo", "cy"} <= set(re.findall(r'<th scope="row">(\w+)</th>', section(html, "stand-in")))
    assert "Alpha-7B" in section(html, "corrected")
    assert "Gap" in section(html, "calibration")
    assert "Own family" in section(html, "biases")
    assert "anna" in section(html, "erring")


def test_every_link_opens_as_many_answers_as_it_says(lead: Client) -> None:
    """Lists are of questions, two an answer; own family counts items, of two answers."""
    html = html_of(lead, PAGE)
    links = re.findall(r'href="(/p/fb/trust/units/[^"]+)">(\d+)<', html)
    assert len(links) > 10
    for link, count in links:
        shown = html_of(lead, link.replace("&amp;", "&"))
        (total,) = re.findall(r'role="status">(\d+) unit', shown)
        assert int(total) in (int(count), 2 * int(count)) or ("own_family" in link and int(total) == 4 * int(count)), (
            link
        )


def test_units_show_both_sides_with_their_reasons(lead: Client, judged: tuple[Project, Judge]) -> None:
    shown = said(html_of(lead, f"{PAGE}units/?of=test-j{judged[1].pk}-p1"))
    assert "I see it." in shown
    assert "As I read it." in shown
    assert "judge-m" in shown


def test_a_number_or_a_judge_that_is_not_there_is_404(lead: Client) -> None:
    assert lead.get(f"{PAGE}units/?of=nothing").status_code == 404
    assert lead.get(f"{PAGE}?judge=999999").status_code == 404
    assert lead.get(f"{PAGE}?epsilon=none&about=none").status_code == 200


def test_only_leads_read_names(project: Project) -> None:
    viewer = colleague(project, "viewer").client
    for path in (PAGE, f"{PAGE}units/?of=calibration"):
        html = html_of(viewer, path)
        assert "anna" not in html
        assert "Person 1" in html


def test_annotators_never_see_it_nor_who_votes_in_a_study_that_runs(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    voter = colleague(project, "reviewer")
    votes = Project.objects.get(slug="fb-votes")
    Member.objects.create(project=votes, user=voter.member.user, role="annotator")
    study = Study.objects.create(source=project, project=votes, name="First", seed=1)
    assert [voter.client.get(path).status_code for path in (PAGE, f"{PAGE}units/?of=calibration")] == [403, 403]
    study.closed_at = study.created_at
    study.save()
    assert voter.client.get(PAGE).status_code == 200


def test_queries_do_not_grow_with_units() -> None:
    few, many = (queries_of(slug, items) for slug, items in (("few", 10), ("many", 40)))
    assert few == many
    assert max(few) <= MOST_QUERIES


def queries_of(slug: str, items: int) -> tuple[int, int]:
    """Of the first look at the page, and of the second."""
    project, _judge = checklists_with_votes(items, slug=slug, labelled=items // 2)
    answer_of(decided_item(project, CORRECTION), "Alpha-7B")  # that nobody has judged: was it tried in vain?
    lead = colleague(project, "lead").client
    lead.get(f"/p/{slug}/overview/")
    looks = []
    for _look in range(2):
        with CaptureQueriesContext(connection) as asked:
            assert lead.get(f"/p/{slug}/trust/").status_code == 200
        looks.append(len(asked))
    return looks[0], looks[1]


def test_a_project_of_preferences_has_the_page_too(tmp_path: Path) -> None:
    project = pairs_with_votes(tmp_path, 12)
    html = html_of(colleague(project, "lead").client, f"/p/{project.slug}/trust/")
    assert "Position" in section(html, "biases")
    assert "Some votes come from files" in said(section(html, "corrected"))
    assert "no value" not in html


def test_without_votes_and_verdicts_the_page_says_what_it_takes(lead: Client, project: Project) -> None:
    Judge.objects.all().delete()
    assert "No judge to compare with people yet" in said(html_of(lead, PAGE))


@pytest.mark.parametrize("board", ["trust", "intents", "ranking"])
def test_what_a_lead_can_do_stands_in_the_card_of_the_empty_board(board: str) -> None:
    kind = "use_case" if board == "intents" else "feedback"
    html = html_of(colleague(make_project(slug="empty", kind_slug=kind), "lead").client, f"/p/empty/{board}/")
    card = html[html.index('id="empty"') :].partition("</section>")[0]
    assert "/p/empty/runs/new/?run-purpose=judge" in card
    assert html.count("?run-purpose=judge") == 1
