from collections import Counter

import pytest

from annotate.models import Comment, Item, Member, Project
from annotate.project.overview import coverage
from annotate.upkeep import demo_projects
from annotate.work import field_states
from tests.support.checks import taken
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    lead = make_member(make_project(), "lead")
    return demo_projects.seed_perturbations({lead.user.username: "lead"})


def test_every_row_is_kept_and_a_second_call_makes_nothing(project: Project) -> None:
    lines = demo_projects.FILE.read_text(encoding="utf-8").splitlines()
    assert Item.objects.counted().filter(project=project).count() == len(lines)
    assert [member.role for member in Member.objects.filter(project=project)] == ["lead"]
    assert demo_projects.seed_perturbations({}) == project
    assert Item.objects.counted().filter(project=project).count() == len(lines)


def test_some_are_validated_and_more_wait_in_both_languages(project: Project) -> None:
    states = Counter(Item.objects.filter(project=project).values_list("state", "language"))
    assert {state for state, _language in states} == {"accepted", "ready"}
    assert all(states["ready", language] >= 3 for language in ("en", "zh"))
    assert any(row.found for part in coverage(project) for row in part.rows)
    assert {item.group for item in Item.objects.filter(project=project)} <= set(
        project.kind_options.taxonomy.categories
    )


def test_there_is_something_to_look_at_for_every_sort_of_doubt(project: Project) -> None:
    said = set()
    for item in Item.objects.filter(project=project, state="ready"):
        draft = item.annotations.get().draft
        facts = project.kind.read_facts(item.facts)
        said |= {doubt.message for doubt in field_states.checks(project.kind, facts, draft, project.kind_options)[1]}
    for expected in (
        "it is the gold answer, character for character.",
        "no number changed.",
        "the explanation mentions nothing that changed.",
    ):
        assert expected in said
    assert any("of the text changed, which is a lot" in one for one in said)


def test_the_newcomer_finds_a_calibration_and_everybody_else_an_open_queue() -> None:
    lead, ana, bo = (make_member(make_project(), role) for role in ("lead", "annotator", "annotator"))
    bo.user.username = demo_projects.NEWCOMER
    bo.user.save()
    project = demo_projects.seed_perturbations(
        {lead.user.username: "lead", ana.user.username: "annotator", "bo": "annotator"}
    )
    of_bo, of_ana = (Member.objects.get(project=project, user=one.user) for one in (bo, ana))
    assert taken(of_bo).item.purpose == "calibration"
    assert taken(of_ana).item.purpose == "work"
    items = Item.objects.filter(project=project, purpose="calibration").select_related("base")
    assert len({item.group for item in items}) == len(items) == 3
    assert all(Comment.objects.filter(item=item, field="verdict").exists() for item in items)
