from pathlib import Path

import pytest

from annotate.models import Member, Project
from judging.boards.blindspots.sighting_pages import examined_verdicts, label, next_for
from judging.models import ExplanationLabel, Verdict
from judging.verdicts.verdict_store import _replace
from tests.support.people import make_member
from tests.support.perturbed import brought, pairwise, perturbation_project, perturbations, single

pytestmark = pytest.mark.django_db
MANY = 12


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Twelve explanations that a model has read, by turns naming the mistake and not."""
    made = perturbation_project()
    brought(made, tmp_path, [single(item, 9, 9) for item in perturbations(made, MANY)])
    for place, verdict in enumerate(read_of(made)):
        Verdict.objects.filter(pk=verdict.pk).update(reason=f"Said {place}.", found_in_explanation=place % 2 == 0)
    return made


def read_of(project: Project) -> list[Verdict]:
    return list(Verdict.objects.filter(judge__project=project, first__author__sort="perturbed").order_by("pk"))


def order(project: Project, member: Member, size: int = 50) -> list[int]:
    """Labels until nothing is left."""
    seen = []
    while (turn := next_for(project, member.user, size=size)).shown:
        seen.append(turn.shown.verdict)
        label(verdict=Verdict.objects.get(pk=turn.shown.verdict), person=member.user, found=True)
    return seen


def test_everybody_gets_the_same_random_order(project: Project) -> None:
    lead, reviewer = make_member(project, "lead"), make_member(project, "reviewer")
    first = order(project, lead)
    assert order(project, reviewer) == first
    assert sorted(first) == [one.pk for one in read_of(project)]
    assert first != sorted(first)


def test_a_smaller_sample_is_the_beginning_and_progress_counts_in_it(project: Project) -> None:
    whole, few = make_member(project, "lead"), make_member(project, "lead")
    assert order(project, few, size=5) == order(project, whole)[:5]
    assert (next_for(project, few.user, size=5).done, next_for(project, few.user, size=5).of) == (5, 5)
    assert (next_for(project, few.user).done, next_for(project, few.user).of) == (5, MANY)


def test_nothing_that_was_found_decides_the_order_or_is_shown(project: Project) -> None:
    lead = make_member(project, "lead")
    before = next_for(project, lead.user)
    Verdict.objects.filter(judge__project=project).exclude(reason="").update(found_in_explanation=True)
    ExplanationLabel.objects.create(verdict_id=before.shown.verdict, person=make_member(project).user, found=False)
    assert next_for(project, lead.user) == before


def test_what_nobody_read_or_has_no_words_or_is_outdated_is_not_asked_about(project: Project) -> None:
    unread, wordless, outdated, *left = read_of(project)
    Verdict.objects.filter(pk=unread.pk).update(found_in_explanation=None)
    Verdict.objects.filter(pk=wordless.pk).update(reason="")
    Verdict.objects.filter(pk=outdated.pk).update(case_sha="0" * 64)
    assert sorted(order(project, make_member(project, "lead"))) == [one.pk for one in left]


def test_of_a_pair_the_letter_is_that_of_the_perturbed_answer(tmp_path: Path) -> None:
    project = perturbation_project()
    brought(project, tmp_path, [pairwise(item, "inconsistent") for item in perturbations(project, 1)])
    Verdict.objects.update(reason="A is worse.", found_in_explanation=False)
    lead, called = make_member(project, "lead"), {}
    while (turn := next_for(project, lead.user)).shown:
        verdict = Verdict.objects.get(pk=turn.shown.verdict)
        called[verdict.swapped] = turn.shown.called
        assert turn.shown.perturbed.endswith("Phobos and Titan.")
        assert turn.shown.gold.endswith("Phobos and Deimos.")
        label(verdict=verdict, person=lead.user, found=None)
    assert called == {False: "B", True: "A"}


def test_the_same_person_replaces_their_label(project: Project) -> None:
    verdict, person = read_of(project)[0], make_member(project, "lead").user
    for found in (True, None, False):
        label(verdict=verdict, person=person, found=found)
    assert [one.found for one in ExplanationLabel.objects.filter(person=person)] == [False]


def test_labels_go_with_the_words_that_they_are_about(project: Project) -> None:
    verdict = read_of(project)[0]
    label(verdict=verdict, person=make_member(project, "lead").user, found=True)
    _replace(verdict, {"reason": "Said anew."}, [])
    assert not ExplanationLabel.objects.exists()
    assert not examined_verdicts(project).filter(pk=verdict.pk).exists()
