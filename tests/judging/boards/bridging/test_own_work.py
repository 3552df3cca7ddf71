"""Judgements made of accepted work of other projects."""

import pytest

from annotate.errors import Refused
from annotate.models import Item, Project
from judging.boards.bridging.proposals import make_judgements, possible_sources
from tests.support.bridged import approved, branching_project, judgement
from tests.support.files import command
from tests.support.judged import CORRECTION, MAINTENANCE, decided_item
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project()


@pytest.fixture
def feedback() -> Project:
    source = make_project(slug="feedback")
    decided_item(source, CORRECTION)
    decided_item(source, MAINTENANCE)
    return source


def test_feedback_on_wrong_answers_becomes_judgements_that_lead_back(project: Project, feedback: Project) -> None:
    made = make_judgements(project=project, source=feedback, by=None)
    assert (made.report.kept, made.nobody_judged) == (1, 1)
    item = Item.objects.select_related("parent").get(project=project)
    assert item.parent is not None
    assert item.key == f"feedback/{item.parent.key}"
    original = item.facts["original"]
    assert (original["style"], original["judge"], original["source"]) == ("words", "people", item.key)
    assert "That is one moon too many." in original["text"]
    assert "Does it name Phobos and Deimos?" in original["text"]
    assert item.slots.count() == 1


def test_a_second_time_nothing_is_made_twice(project: Project, feedback: Project) -> None:
    make_judgements(project=project, source=feedback, by=None)
    decided_item(feedback, CORRECTION)
    again = make_judgements(project=project, source=feedback, by=None)
    assert (again.report.kept, again.report.duplicates) == (1, 1)
    assert Item.objects.filter(project=project).count() == 2


def test_a_tree_that_people_scored_becomes_one_and_bare_criteria_do_not(project: Project) -> None:
    source = branching_project("others")
    approved(judgement(source, proposed=True))
    with pytest.raises(Refused, match="has no accepted items that judge a response"):
        make_judgements(project=project, source=source, by=None)


def test_one_project_takes_from_one_other(project: Project, feedback: Project) -> None:
    make_judgements(project=project, source=feedback, by=None)
    for source in (make_project(slug="another"), project):
        with pytest.raises(Refused):
            make_judgements(project=project, source=source, by=None)
    with pytest.raises(Refused, match="branching"):
        make_judgements(project=feedback, source=project, by=None)


def test_only_projects_that_one_leads_are_offered(project: Project, feedback: Project) -> None:
    lead = make_member(project, "lead")
    assert list(possible_sources(project, lead.user)) == []
    feedback.members.create(user=lead.user, role="lead")
    assert list(possible_sources(project, lead.user)) == [feedback]


def test_the_command_reports_what_it_made(project: Project, feedback: Project) -> None:
    code, told, _err = command("bridge_items", project.slug, "--source", "feedback")
    assert code == 0
    assert {name: told[name] for name in ("read", "kept", "duplicates", "rejected", "nobody_judged")} == {
        "read": 1,
        "kept": 1,
        "duplicates": 0,
        "rejected": 0,
        "nobody_judged": 1,
    }
    code, _told, said = command("bridge_items", "feedback", "--source", project.slug)
    assert (code, "branching" in said) == (1, True)
