"""Who must not know how far people agree, and whose answers a project of votes leads to."""

import pytest
from django.utils import timezone

from annotate.models import Member, Project
from judging.access import is_sealed, sources_of
from judging.models import Study
from tests.support.people import make_member, make_project
from tests.support.studies import answered_project, drawn

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Project:
    return answered_project(items=2)


def joined(member: Member, project: Project, role: str) -> Member:
    """The same person in another project."""
    return Member.objects.create(project=project, user=member.user, role=role)


@pytest.mark.parametrize(("role", "sealed"), [("annotator", True), ("reviewer", True), ("viewer", False)])
def test_whoever_votes_is_sealed_at_the_source_of_the_study_alone(source: Project, role: str, sealed: bool) -> None:
    reader = make_member(source, "reviewer")
    elsewhere = joined(reader, make_project(), "reviewer")
    joined(reader, drawn(source).project, role)
    assert is_sealed(reader) is sealed
    assert not is_sealed(elsewhere)


def test_a_reader_of_the_source_who_does_not_vote_is_not_sealed(source: Project) -> None:
    drawn(source)
    assert not is_sealed(make_member(source, "reviewer"))


def test_a_closed_study_seals_nobody(source: Project) -> None:
    voter = make_member(drawn(source).project, "annotator")
    assert is_sealed(voter)
    Study.objects.update(closed_at=timezone.now())
    assert not is_sealed(voter)


def test_a_lead_is_never_sealed(source: Project) -> None:
    assert not is_sealed(make_member(drawn(source).project, "lead"))


def test_votes_lead_to_their_own_sources_for_those_who_may_read_them(source: Project) -> None:
    votes = drawn(source).project
    other_source = answered_project(items=2)
    other_votes = drawn(other_source, into="other-votes").project
    reviewer, annotator = make_member(source, "reviewer"), make_member(source, "annotator")
    joined(reviewer, other_source, "viewer")
    assert sources_of(votes, reviewer.user) == [source]
    assert sources_of(other_votes, reviewer.user) == [other_source]
    assert sources_of(votes, annotator.user) == []
