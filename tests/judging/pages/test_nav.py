import pytest
from django.urls import reverse

from annotate.doors.table import pages_for
from annotate.kinds import all_kinds
from annotate.models import Project
from judging.boards.navigation import door_pages, placed_boards
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of, nav_of, said
from tests.support.people import make_project

IN_A_ROW = 10  # more do not fit beside each other without a second line
ELSEWHERE = {"branches", "arithmetic"}  # what a judge or an endpoint did is told in projects of any kind
pytestmark = pytest.mark.django_db


def results_of(project: Project, role: str = "lead") -> str:
    return html_of(colleague(project, role).client, reverse("results", args=[project.slug]))


@pytest.mark.parametrize("kind", [kind.slug for kind in all_kinds().values() if kind.can_be_judged])
def test_every_board_of_a_kind_is_listed_and_stands_in_the_row_when_open(kind: str) -> None:
    project = make_project(slug="p", kind_slug=kind)
    lead = colleague(project, "lead")
    boards = [page for page in pages_for(lead.member) if page.door == "results"]
    listed = html_of(lead.client, reverse("results", args=["p"]))
    for page in boards:
        address = page.address("p")
        assert f'href="{address}"' in listed
        row = nav_of(html_of(lead.client, address), "door-row")
        assert row.count("<a ") <= IN_A_ROW
        assert row.count("aria-current") == 1


@pytest.mark.parametrize("kind", [kind.slug for kind in all_kinds().values() if kind.judges_answers])
def test_a_page_that_says_nothing_about_a_kind_is_neither_linked_nor_there(kind: str) -> None:
    lead = colleague(make_project(slug="p", kind_slug=kind), "lead")
    html = html_of(lead.client, reverse("results", args=["p"]))
    for page in door_pages():
        if not page.is_for(lead.member):
            assert f'href="{page.address("p")}"' not in html
            assert lead.client.get(page.address("p")).status_code == (200 if page.name in ELSEWHERE else 404), page.name


def test_only_leads_are_led_to_studies() -> None:
    project = make_project(slug="p")
    studies = reverse("studies", args=["p"])
    assert studies in results_of(project)
    assert studies not in results_of(project, "viewer")


def test_whoever_votes_blind_is_led_to_no_results() -> None:
    project = make_project(slug="p", kind_slug="score_vote")
    for role in ("reviewer", "annotator"):
        voter = colleague(project, role)
        assert not any(page.door == "results" for page in pages_for(voter.member))
        assert voter.client.get(reverse("results", args=["p"])).status_code == 403
    assert "Agreement" in results_of(project, "viewer")


def part(html: str, name: str) -> str:
    """The words of a section of the page of all results."""
    start = html.find(f'id="{name}"')
    return said(html[start : html.index("</section>", start)]) if start >= 0 else ""


def test_boards_without_data_say_what_they_need() -> None:
    html = results_of(make_project(slug="p"), "viewer")
    assert part(html, "with-data") == ""
    lacks = "Needs answers of models to the accepted items. Needs a judge's verdicts."
    assert f"Leaderboard {lacks}" in part(html, "without-data").replace("&#x27;", "'")
    assert f"Trust {lacks}" in part(html, "without-data").replace("&#x27;", "'")


def test_a_board_with_data_says_what_it_answers() -> None:
    project = make_project(slug="p")
    verdict_on(answer_of(decided_item(project, CORRECTION), "alpha"), a_judge(project), [1, 1])
    html = results_of(project)
    assert "Leaderboard Which model answers best" in part(html, "with-data")
    assert "Trust Needs votes or ratings of people." in part(html, "without-data")


def test_all_needs_are_looked_for_in_one_statement(django_assert_max_num_queries: object) -> None:
    lead = colleague(make_project(slug="p"), "lead").client
    html_of(lead, reverse("results", args=["p"]))
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        html_of(lead, reverse("results", args=["p"]))


def test_every_board_says_what_it_answers() -> None:
    asked = [str(board.place.asks) for board in placed_boards() if board.place]
    assert all(question.endswith("?") for question in asked)
    assert len(set(asked)) == len(asked)
