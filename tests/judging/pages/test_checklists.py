import csv
import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.items import actions
from annotate.models import Item, Project
from tests.support.desks import PARTS, Worker, colleague, posted
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.pages import following, html_of, said
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/checklists/"
SIX = [(1, 0), (1, 0), (1, 0), (0, 1), (0, 1), (0, 1)]  # two questions, each met where the other is not


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def judged_item(project: Project, draft: object = CORRECTION, met: object = SIX) -> Item:
    item = decided_item(project, draft)  # type: ignore[arg-type]
    for place, each in enumerate(met):  # type: ignore[arg-type, var-annotated]
        verdict_on(answer_of(item, f"secret-author-{place}"), a_judge(project), each)
    return item


# --- the list ---------------------------------------------------------------------------------------------------------
def test_without_verdicts_the_page_says_what_comes_first(lead: Client) -> None:
    assert "Nothing has been judged yet" in html_of(lead, PAGE)


def test_questions_stand_with_their_figures_each_leading_to_its_verdicts(project: Project, lead: Client) -> None:
    item = judged_item(project)
    html = html_of(lead, PAGE)
    assert "Contradicts the others" in html
    assert "50 % 3 of 6" in said(html)
    for which in ("met", ""):
        address = f"/p/fb/items/{item.pk}/questions/?judge={a_judge(project).pk}&amp;no=1"
        assert f'href="{address}{f"&amp;which={which}" if which else ""}"' in html


@pytest.mark.parametrize(
    ("query", "questions"),
    [
        ("sign=contradicts", 2),
        ("sign=always", 1),
        ("sign=nonsense", 4),
        ("scenario=response_maintenance", 2),
        ("task=Coding", 4),
        ("task=Reasoning", 0),
        ("q=phobos", 1),
    ],
)
def test_filters_narrow_the_list(project: Project, lead: Client, query: str, questions: int) -> None:
    judged_item(project)
    judged_item(project, MAINTENANCE, [(1, place % 2) for place in range(6)])
    assert html_of(lead, f"{PAGE}?{query}").count('class="question-text"') == questions


def test_the_files_hold_the_questions_of_the_filters(project: Project, lead: Client) -> None:
    assert lead.get(f"{PAGE}checklists.json").status_code == 404  # nobody has judged
    judged_item(project)
    value = lead.get(f"{PAGE}checklists.json?sign=contradicts").json()
    assert value["judge"] == str(a_judge(project))
    assert [(row["no"], row["status"], row["met"], row["answers"]) for row in value["rows"]] == [
        (1, "contradicts", 3, 6),
        (2, "contradicts", 3, 6),
    ]
    rows = list(csv.DictReader(
        lead.get(f"{PAGE}checklists.csv?sign=contradicts").content.decode("utf-8-sig").splitlines()
    ))  # fmt: skip
    assert (list(rows[0])[:4], len(rows)) == (["item", "no", "question", "status"], 2)
    assert lead.get(f"{PAGE}checklists.csv?sign=always").content.decode("utf-8-sig").count("\n") == 1  # the header
    judge = a_judge(project).pk
    assert f'href="{PAGE}checklists.csv?judge={judge}&amp;sign=always"' in html_of(lead, f"{PAGE}?sign=always")


def test_pages_follow_each_other_without_gap_and_back(
    project: Project, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.boards.checklists.board.PAGE", 3)
    for _number in range(4):
        judged_item(project)
    pages, html = [], html_of(lead, PAGE)
    for _page in range(3):
        pages.append(list(dict.fromkeys(re.findall(r"items/(\d+)/questions/\?judge=\d+&amp;no=(\d)", html))))
        html = html_of(lead, following(html, "next")) if 'rel="next"' in html else html
    assert [len(page) for page in pages] == [3, 3, 2]
    assert len({one for page in pages for one in page}) == 8
    assert html_of(lead, following(html, "prev")).count('class="question-text"') == 3


def test_the_page_takes_as_many_queries_for_many_items(project: Project, lead: Client) -> None:
    counts = []
    for _time in range(2):
        judged_item(project)
        with CaptureQueriesContext(connection) as queries:
            html_of(lead, PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 16 + 3


# --- one question -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("which", "authors"),
    [("", range(6)), ("met", range(3)), ("missed", range(3, 6)), ("unsaid", []), ("disagreed", [0])],
)
def test_a_number_opens_exactly_its_verdicts(project: Project, lead: Client, which: str, authors: list[int]) -> None:
    item = judged_item(project)
    other = a_judge(project, "another")
    for answer in item.answers.filter(author__name__in=["secret-author-0", "secret-author-3"]):
        verdict_on(answer, other, (0, 0))
    html = html_of(lead, f"/p/fb/items/{item.pk}/questions/?judge={a_judge(project).pk}&no=1&which={which}")
    shown = html[html.index('id="said"') : html.index('id="others"')]
    assert re.findall(r"secret-author-(\d)", shown) == [str(number) for number in authors]


@pytest.mark.parametrize("number", ["0", "3", "x", "²", "9" * 40])
def test_a_question_that_is_not_there_is_404(project: Project, lead: Client, number: str) -> None:
    item = judged_item(project)
    assert lead.get(f"/p/fb/items/{item.pk}/questions/", {"no": number}).status_code == 404


@pytest.mark.parametrize(("no", "advice"), [(1, "Check the others first"), (2, "Reverse the question, or remove it.")])
def test_the_first_question_is_not_the_one_to_turn(project: Project, lead: Client, no: int, advice: str) -> None:
    item = judged_item(project)
    html = html_of(lead, f"/p/fb/items/{item.pk}/questions/?no={no}")
    assert "Contradicts the others" in html
    assert [each for each in ("Check the others first", "Reverse the question, or remove it.") if each in html] == [
        advice
    ]


def test_a_judge_that_is_not_there_is_404(project: Project, lead: Client) -> None:
    judged_item(project)
    assert lead.get(f"{PAGE}?judge=99999").status_code == 404


def test_an_annotator_and_a_stranger_see_nothing(project: Project) -> None:
    assert colleague(project, "annotator").client.get(PAGE).status_code == 403
    assert colleague(make_project(), "lead").client.get(PAGE).status_code == 404


# --- the live score ---------------------------------------------------------------------------------------------------
@pytest.fixture
def reopened(project: Project) -> Item:
    item = judged_item(project, met=[(1, 1), (1, 0), (0, 0)])
    actions.reopen(item, by=make_member(project, "lead").user)
    return item


def live_address(item: Item) -> str:
    return f"/p/fb/items/{item.pk}/live-scores/"


def test_an_annotator_sees_scores_of_their_item_without_authors(project: Project, reopened: Item) -> None:
    annotator: Worker = colleague(project, "annotator")
    slot = annotator.opened()
    page = annotator.client.get(f"/p/fb/work/{slot.pk}/").content.decode()
    assert f'hx-post="{live_address(reopened)}"' in page
    form = posted(
        CORRECTION | {"checklist": [[CORRECTION["checklist"][0][0], 0.25], ["Is it kind to children?", 0.75]]}
    )
    answer = annotator.client.post(live_address(reopened), form, headers=PARTS)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "secret-author" not in re.sub(r"secret-author-\d answers", "", text)  # texts say what they say
    assert "1 question is not judged yet" in said(text)
    assert "25–100" in said(text)


def test_an_item_of_others_shows_an_annotator_nothing(project: Project, reopened: Item) -> None:
    assert colleague(project, "annotator").client.post(live_address(reopened), posted(CORRECTION)).status_code == 404


def test_it_writes_nothing_and_needs_a_form(project: Project, lead: Client, reopened: Item) -> None:
    assert lead.get(live_address(reopened)).status_code == 405
    with CaptureQueriesContext(connection) as queries:
        assert lead.post(live_address(reopened), {}).status_code == 200
    assert not [each for each in queries if each["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert len(queries) <= 14


@pytest.mark.parametrize("number", ["x", "-1", "9" * 50, "²"])
def test_a_strange_number_is_the_first_answer(lead: Client, reopened: Item, number: str) -> None:
    answer = lead.post(live_address(reopened), posted(CORRECTION) | {"live_answer": number})
    assert "Answer 1" in said(answer.content.decode())


def test_an_item_that_nobody_judged_shows_nothing(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    assert lead.post(live_address(item), posted(CORRECTION)).content.decode().strip() == ""
