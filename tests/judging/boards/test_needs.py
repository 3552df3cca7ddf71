"""The needs of boards, in one statement on both databases."""

import pytest
from django.urls import reverse

from annotate.kinds import all_kinds
from judging.boards.navigation import place_of, placed_boards
from judging.boards.needs import TWO_RATINGS, VERDICTS, met_in
from tests.support.desks import colleague
from tests.support.installations import Installations
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import html_of
from tests.support.people import make_project

ASKED = """
from judging.boards.needs import met_in
from judging.boards.navigation import place_of, placed_boards
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
needs = [need for board in placed_boards() for need in place_of(board).needs]
empty, judged = make_project(), make_project()
verdict_on(answer_of(decided_item(judged, CORRECTION), "alpha"), a_judge(judged), [1, 1])
result = [sorted(need.word for need in met_in(project, needs)) for project in (empty, judged)]
"""


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_both_databases_find_the_same(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        assert installation.python(ASKED) == [[], ["answers", "items", "judged_or_rated", "two_ratings", "verdicts"]]


@pytest.mark.django_db
def test_needs_are_told_apart_and_cost_one_statement(django_assert_num_queries: object) -> None:
    needs = {need for board in placed_boards() for need in place_of(board).needs}
    assert len({need.word for need in needs}) == len(needs)
    project = make_project()
    verdict_on(answer_of(decided_item(project, CORRECTION), "alpha"), a_judge(project), [1, 1])
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert {VERDICTS, TWO_RATINGS} <= met_in(project, needs)
    assert met_in(project, ()) == set()


@pytest.mark.django_db
@pytest.mark.parametrize("kind", list(all_kinds()))
def test_what_is_missing_leads_to_where_a_lead_makes_it(kind: str) -> None:
    project = make_project(slug="p", kind_slug=kind)
    lead, viewer = colleague(project, "lead"), colleague(project, "viewer")
    listed, read = (html_of(person.client, reverse("results", args=["p"])) for person in (lead, viewer))
    missing = [need for board in placed_boards() for need in place_of(board).needs if str(need.missing) in listed]
    assert missing
    for need in missing:
        links = need.remedies_in(project)
        assert links, need.word
        for text, address in links:
            assert f'href="{address.replace("&", "&amp;")}">{text}</a>' in listed
            assert f'href="{address.replace("&", "&amp;")}">{text}</a>' not in read
            assert lead.client.get(address).status_code == 200, address
