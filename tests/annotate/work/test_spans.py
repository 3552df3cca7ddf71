"""The page on which spans are marked: the stored text, the answer in one field, and rows where no script runs."""

import html
import json
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.items import queue
from annotate.items.compare import Version, VersionStep
from annotate.kinds import find_kind
from annotate.kinds.questions.lanes import lane_pieces, span_groups
from annotate.kinds.questions.span_rows import rows_of
from annotate.kinds.shapes import LenientOptions
from annotate.models import Slot
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.people import make_item, make_member, written

pytestmark = pytest.mark.django_db

DEFINITION = """
show: [{field: source, title: Source}, {field: target, as: code}, {field: topic}]
questions:
  - name: errors
    type: spans
    on: [target, source]
    labels: {Accuracy: [Mistranslation, Addition], Fluency: [Grammar]}
    attributes: {severity: [Minor, Major]}
    none: No error
"""
FACTS = {"source": "周六👩‍👩‍👧开放", "target": 'Open\r\n<b>until</b> nine, until "ten"', "topic": "a library"}


@pytest.fixture
def work_page(client: Client) -> str:
    """The work page of such an item."""
    project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=0)
    make_item(project, facts=FACTS)
    client.force_login(make_member(project).user)
    return client.post(reverse("work_next", args=["own"]), follow=True).content.decode()


def test_a_marked_text_is_the_stored_one(work_page: str) -> None:
    texts = dict(re.findall(r'data-marks="(\w+)" data-text="([^"]*)"', work_page))
    assert {column: json.loads(html.unescape(text)) for column, text in texts.items()} == {
        "source": FACTS["source"],
        "target": FACTS["target"],
    }


def test_the_script_is_there_only_where_spans_are_marked(work_page: str) -> None:
    assert "js/spans.js" in work_page


def test_a_list_of_spans_names_columns_by_their_titles() -> None:
    kind = find_kind("form").by_definition([DEFINITION])
    (field,) = kind.fields(kind.read_facts(FACTS))
    places = {"source": (0, 2, "周六"), "target": (0, 4, "Open")}
    spans = [
        {"field": column, "start": start, "end": end, "text": text, "label": "Accuracy/Addition", "severity": "Minor"}
        for column, (start, end, text) in places.items()
    ]
    step = VersionStep(field, Version({"errors": spans}, "Ann"), None, kind)
    shown = render_to_string("questions/_span_list.html", {"step": step})
    assert "Source 0–2" in shown
    assert "target 0–4" in shown


def posted(rows: list[dict[str, str]], **more: str) -> list[dict[str, Any]] | None:
    """What a page without a script posts, as the answer that is kept."""
    kind = find_kind("form").by_definition([DEFINITION])
    data = QueryDict(mutable=True)
    data.update({"q-errors": "[]", "q-errors-rows": str(len(rows)), **more})
    for number, row in enumerate(rows, start=1):
        data.update({f"q-errors-{number}-{name}": value for name, value in row.items()})
    answer: list[dict[str, Any]] | None = kind.read_form(data, kind.read_facts(FACTS))["errors"]
    return answer


def test_rows_are_found_in_the_text() -> None:
    until = {"field": "target", "quote": "until", "label": "Fluency/Grammar", "severity": "Minor"}
    assert posted(
        [{**until, "occurrence": "2"}, {"quote": " "}, {"field": "source", "quote": "开放", "note": "why"}]
    ) == [
        {"field": "target", "start": 25, "end": 30, "text": "until", "label": "Fluency/Grammar", "severity": "Minor"},
        {"field": "source", "start": 7, "end": 9, "text": "开放", "note": "why"},
    ]


def test_words_that_are_not_there_are_kept_and_refused() -> None:
    kind = find_kind("form").by_definition([DEFINITION])
    answer = posted([{"field": "target", "quote": "never", "label": "Fluency/Grammar", "severity": "Minor"}])
    draft = kind.read_draft({"errors": answer})
    (problem,) = kind.problems(kind.read_facts(FACTS), draft, LenientOptions())
    assert "“never” is not at 0 to 5" in problem.message


def test_nothing_marked_and_no_answer_differ() -> None:
    assert posted([], **{"q-errors-none": "1"}) == []
    assert posted([{"quote": ""}]) is None


def test_rows_show_an_answer_that_comes_back_the_same(work_page: str) -> None:
    spans = [
        {"field": "target", "start": 25, "end": 30, "text": "until", "label": "Fluency/Grammar", "severity": "Major"}
    ]
    (filled, *blank) = rows_of(spans, {"target": FACTS["target"]}, ["severity"])
    assert (filled["occurrence"], filled["values"], len(blank)) == ("2", [("severity", "Major")], 3)
    assert 'name="q-errors-1-quote"' in work_page


def test_spans_that_overlap_are_one_group_with_a_lane_for_each_person() -> None:
    def span(start: int, end: int, label: str = "a") -> dict[str, Any]:
        return {"field": "t", "start": start, "end": end, "text": "x" * (end - start), "label": label}

    first, second = span_groups([[span(0, 2), span(6, 8)], [span(1, 4, "b")], []], ["t"])
    assert [(group.start, group.end, group.raters) for group in (first, second)] == [(0, 4, 2), (6, 8, 1)]
    assert first.differs_in(["edges", "label", "severity"]) == ["edges", "label"]
    pieces = [(piece.text, sorted(piece.lanes), piece.group) for piece in lane_pieces("xxxxxxxxx", [first, second])]
    assert pieces == [
        ("", [], 0),
        ("x", [1], 1),
        ("x", [1, 2], 0),
        ("xx", [2], 0),
        ("xx", [], 0),
        ("xx", [1], 2),
        ("x", [], 0),
    ]


def test_spans_of_a_column_that_is_no_longer_asked_about_have_no_lane() -> None:
    span = {"field": "source", "start": 0, "end": 1, "text": "E", "label": "Missing"}
    assert span_groups([[span], []], ["target"]) == []


def span(quote: str, label: str, severity: str) -> dict[str, Any]:
    start = FACTS["target"].index(quote)
    place = {"field": "target", "start": start, "end": start + len(quote), "text": quote}
    return {**place, "label": label, "severity": severity}


def adjudication(
    client: Client, facts: dict[str, str], answers: list[dict[str, Any]], definition: str = DEFINITION
) -> str:
    """The page on which these spans of two people are settled, of each question that the definition has."""
    project = create_project(slug="own", kind="form", definition=definition, reviews=0, overlap=2)
    make_item(project, facts=facts)
    for answer in answers:
        member = make_member(project)
        slot = queue.claim_next(member, "annotate")
        assert slot is not None
        annotation = written(slot, member, {name: [answer] for name in project.kind.questions()})
        submit.submit(annotation=annotation, token=slot.token, by=member.user)
    Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
    client.force_login(make_member(project, "reviewer").user)
    return client.post(reverse("review_next", args=["own"]), follow=True).content.decode()


def test_an_adjudication_shows_everybody_on_one_text_and_the_groups(client: Client) -> None:
    answers = [span("until", "Fluency/Grammar", "Major"), span("until</b> nine", "Accuracy/Addition", "Major")]
    page = adjudication(client, FACTS, answers)
    assert '<mark class="count-2" data-no="1" id="group-errors-1"><span class="lane lane--2 lane--major">' in page
    assert "differ in edges, label" in " ".join(page.split())
    assert page.count("data-adopt") == 2
    assert "Accuracy / Addition" in page
    assert 'id="groups-errors-1" tabindex="0"' in page  # the focus comes back to it
    assert page.count('data-whose="Annotator 2"') == 1


OTHER = """
  - name: praise
    type: spans
    on: [target]
    labels: {Fluency: [Grammar], Accuracy: [Addition]}
    attributes: {severity: [Minor, Major]}
"""


def test_each_question_about_spans_has_groups_with_ids_of_its_own(client: Client) -> None:
    answers = [span("until", "Fluency/Grammar", "Major"), span("until</b> nine", "Accuracy/Addition", "Major")]
    page = adjudication(client, FACTS, answers, DEFINITION.rstrip() + OTHER)
    ids = re.findall(r'(?<![\w-])id="([^"]*)"', page)
    assert sorted(name for name in set(ids) if ids.count(name) > 1) == []
    for name in ("errors", "praise"):
        assert f'href="#group-{name}-1"' in page
        assert f"group-{name}-1" in ids


MARKDOWN = "See **the *page*** at [home](http://a.example), $x$ &amp; more"


def in_markdown(quote: str, severity: str = "Minor") -> dict[str, Any]:
    start = MARKDOWN.index(quote)
    place = {"field": "source", "start": start, "end": start + len(quote), "text": quote}
    return {**place, "label": "Fluency/Grammar", "severity": severity}


def test_an_adjudication_has_lanes_on_the_rendered_text_and_on_the_stored_one(client: Client) -> None:
    facts = FACTS | {"source": MARKDOWN}
    page = adjudication(
        client, facts, [in_markdown("page*** at [home](http"), in_markdown("(http://a.example), $x$ &")]
    )
    lanes = page[page.index("turn__rendered lanes") : page.index("turn__raw lanes")]
    first, second = '<span class="lane lane--1">{}</span>', '<span class="lane lane--2">{}</span>'
    assert (
        f'<em><span><mark class="count-1" data-no="1" id="group-errors-1">{first.format("page")}</mark></span>' in lanes
    )
    assert first.format("home") in lanes
    assert second.format('<span class="math" data-math="inline">x</span>') in lanes
    assert second.format("<span>&amp;</span>") in lanes
    assert page.count('id="group-errors-1"') == 1
    raw = page[page.index("turn__raw lanes") :]
    assert '<mark class="count-1" data-no="1"><span class="lane lane--1">page*** at [home]</span>' in raw


def test_a_text_with_markdown_is_there_rendered_and_as_it_is_stored(client: Client) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=0)
    make_item(project, facts=FACTS | {"source": MARKDOWN})
    client.force_login(make_member(project).user)
    page = client.post(reverse("work_next", args=["own"]), follow=True).content.decode()
    assert '<strong><span data-at="6">the </span>' in page
    assert page.count('data-marks="source"') == 2
    assert page.count('data-marks="target"') == 1  # code
    assert json.dumps(MARKDOWN) == html.unescape(re.findall(r'data-marks="source"\s+data-text="([^"]*)"', page)[0])
