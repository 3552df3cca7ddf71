from pathlib import Path

import pytest

from annotate.models import Project, User
from judging.boards.blindspots.sighting_pages import (
    WHICH,
    LabelledExplanation,
    explanations_behind,
    labelled_explanations,
    reader_agreements,
)
from judging.models import ExplanationLabel, Verdict
from tests.support.perturbed import brought, judge_called, perturbation_project, perturbations, single

pytestmark = pytest.mark.django_db
# What the reader found, and what people say, of ten explanations of one judge; the last two are left out.
READER = [True, True, True, True, False, False, False, False, True, False]
PEOPLE: list[list[bool | None]] = [
    [True],
    [True, True, False],
    [True, None],
    [False],
    [True],
    [False],
    [False],
    [False],
    [None],
    [True, False],
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = perturbation_project()
    items = perturbations(made, len(READER))
    brought(made, tmp_path, [single(item, 9, 9) for item in items])
    brought(made, tmp_path, [single(items[0], 9, 9, strategy="Rubric")])
    people = [User.objects.create_user(f"labeller-{n}") for n in range(3)]
    verdicts = Verdict.objects.filter(first__author__sort="perturbed").order_by("pk")
    for verdict, reader, labels in zip(verdicts, [*READER, True], [*PEOPLE, [True]], strict=True):
        Verdict.objects.filter(pk=verdict.pk).update(reason="Said.", found_in_explanation=reader)
        for person, found in zip(people, labels, strict=False):
            ExplanationLabel.objects.create(verdict=verdict, person=person, found=found)
    return made


def test_counts_agreement_and_kappa_of_one_judge(project: Project) -> None:
    """Of 8 compared: both yes 3, both no 3, reader only 1, people only 1: 6/8; by chance 1/2; κ = (3/4 - 1/2)/(1/2)."""
    one = next(one for one in reader_agreements(project) if one.judge == judge_called(project, "Vanilla"))
    assert dict(one.counts) == {
        "compared": 8,
        "agree": 6,
        "reader_only": 1,
        "people_only": 1,
        "people_no": 4,
        "people_yes": 4,
        "cannot_tell": 1,
        "split": 1,
    }
    assert one.percent.value == pytest.approx(0.75)
    assert one.kappa.value == pytest.approx(0.5)
    assert one.kappa.low is not None
    assert one.kappa.high is not None
    assert one.kappa.low < 0.5 < one.kappa.high


def test_all_judges_come_first_and_one_verdict_has_no_kappa_but_says_why(project: Project) -> None:
    rows = reader_agreements(project)
    assert [row.judge and row.judge.strategy for row in rows] == [None, "Rubric", "Vanilla"]
    assert [row.n for row in rows] == [9, 1, 8]
    assert rows[1].kappa.value is None
    assert rows[1].kappa.note


def test_every_number_opens_as_many_verdicts_as_it_says(project: Project) -> None:
    for row in reader_agreements(project):
        for which in WHICH:
            page = explanations_behind(project, which=which, judge=row.judge.pk if row.judge else 0)
            assert page.total == len(page.opened) == row.counts[which]


def test_pages_go_on_where_they_end(project: Project) -> None:
    pages = [explanations_behind(project, which="", start=start, size=4) for start in (0, 4, 8)]
    assert [(len(page.opened), page.before, page.after) for page in pages] == [(4, None, 4), (4, 0, 8), (3, 4, None)]
    seen = [one.verdict.pk for page in pages for one in page.opened]
    assert seen == [one.verdict for one in labelled_explanations(project)]


def test_a_label_of_what_the_reader_has_not_read_counts_nowhere(project: Project) -> None:
    Verdict.objects.filter(judge__project=project).update(found_in_explanation=None)
    assert reader_agreements(project) == []


def test_another_projects_labels_do_not_count(project: Project) -> None:
    assert reader_agreements(perturbation_project(slug="other")) == []


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (LabelledExplanation(1, 1, True, yes=2, no=1), "both_yes"),
        (LabelledExplanation(1, 1, False, no=1, unsure=5), "both_no"),
        (LabelledExplanation(1, 1, True, no=1), "reader_only"),
        (LabelledExplanation(1, 1, False, yes=1), "people_only"),
        (LabelledExplanation(1, 1, False, yes=1, no=1), "split"),
        (LabelledExplanation(1, 1, False, unsure=2), "cannot_tell"),
    ],
)
def test_outcomes(said: LabelledExplanation, outcome: str) -> None:
    assert said.outcome == outcome
