from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import Annotation, Item, Project
from annotate.project.overview import CoverageRow, coverage
from tests.support.canals import DRAFT, FACTS
from tests.support.pages import html_of, said
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    own = {"wanted": 2, "categories": {"entity-errors": {"wanted": 0}, "remove-fact": None}}
    return make_project(kind_slug="perturbation", options=own)


def accepted(project: Project, category: str, verdict: str, **columns: Any) -> None:
    item = make_item(project, facts=FACTS | {"category": category}, group=category, **columns)
    base = Annotation.objects.create(item=item, rater="somebody", draft=DRAFT | {"verdict": verdict})
    Item.objects.filter(pk=item.pk).update(state="accepted", base=base)


def row(project: Project, group: str) -> CoverageRow:
    return next(row for part in coverage(project) for row in part.rows if row.wanted.group == group)


def test_only_accepted_work_items_with_the_wanted_verdict_count(project: Project) -> None:
    accepted(project, "number-errors", "valid")
    accepted(project, "number-errors", "score_invariant")
    accepted(project, "number-errors", "valid", purpose="calibration")
    make_item(project, facts=FACTS, group="number-errors")
    accepted(make_project(kind_slug="perturbation"), "number-errors", "valid")
    found = row(project, "number-errors")
    assert (found.found, found.wanted.count, found.is_met) == (1, 2, False)


def test_a_category_says_itself_what_counts(project: Project) -> None:
    for verdict in ("score_invariant", "score_invariant", "valid"):
        accepted(project, "score_invariant", verdict)
    assert row(project, "score_invariant").found == 2
    assert row(project, "score_invariant").is_met


def test_a_project_says_how_many_it_wants_and_of_what(project: Project) -> None:
    assert row(project, "entity-errors").is_met  # none are wanted
    factual = next(part for part in coverage(project) if part.name == "Factual")
    assert "remove-fact" not in [one.wanted.group for one in factual.rows]


def test_other_kinds_have_no_such_goal() -> None:
    assert coverage(make_project()) == []


def test_the_overview_shows_a_meter_for_each_category(project: Project, client: Client) -> None:
    accepted(project, "number-errors", "valid")
    client.force_login(make_member(project, "lead").user)
    shown = html_of(client, reverse("overview", args=[project.slug]))
    assert "Number errors 1 / 2" in said(shown)
    assert 'aria-label="Number errors: 1 of 2"' in shown
    assert "group=number-errors" in shown
