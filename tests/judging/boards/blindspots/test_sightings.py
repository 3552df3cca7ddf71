from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Annotation, Item, Job, Project
from judging.answers.cases import case_of
from judging.boards.blindspots.numbers import blind_spots, judges_of
from judging.models import Answer, Author, Judge, Verdict
from judging.verdicts.sightings import Sighting, known_of, sightings
from lib.stats.blindspots import OutcomeTally
from tests.support.judge_rows import make_judge, make_judge_run
from tests.support.perturbed import (
    brought,
    judge_called,
    pairwise,
    perturbation,
    perturbation_project,
    perturbations,
    reference,
    single,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return perturbation_project()


def seen(project: Project, strategy: str = "Vanilla") -> list[Sighting]:
    return sightings(judge_called(project, strategy), known_of(project))


def outcomes(project: Project, strategy: str = "Vanilla") -> list[str]:
    return [each.outcome for each in seen(project, strategy)]


def overall(project: Project) -> OutcomeTally:
    found = blind_spots(project, judges_of(project)).columns[0].overall
    assert found is not None
    return found


def answers(item: Item) -> tuple[Answer, Answer]:
    """gold and perturbed, as a run of ours finds them."""
    assert item.base is not None
    texts = {"gold": item.facts["gold_answer"], "perturbed": item.base.draft["perturbed_answer"]}
    made = []
    for sort, text in texts.items():
        author, _made = Author.objects.get_or_create(project=item.project, name=sort, defaults={"sort": sort})
        made.append(Answer.objects.create(item=item, author=author, text=text))
    return made[0], made[1]


def said(judge: Judge, answer: Answer, score: float | None, **columns: object) -> Verdict:
    case = case_of(answer.item)
    assert case is not None
    told = {"score_first": score, "reading": "ok" if score is not None else "unparsed", "case_sha": case.judged.sha256}
    return Verdict.objects.create(judge=judge, item=answer.item, first=answer, **told | columns)


def test_each_way_of_asking_is_read_from_its_own_verdicts(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    rows = [single(item, 9, 7), pairwise(item, "both_bad"), reference(item, 4, 5)]
    brought(project, tmp_path, [{**row, "strategy": "s"} for row in rows])
    found = {each.shape.name: each for each in seen(project, "s")}
    assert {shape: each.outcome for shape, each in found.items()} == {
        "single": "detected",
        "pairwise": "both_bad",
        "reference": "top_minus_1",
    }
    assert (found["single"].gold, found["single"].score, len(found["single"].verdicts)) == (9.0, 7.0, 2)
    assert len(found["pairwise"].verdicts) == 2


def test_one_gold_text_may_have_been_judged_once_for_several_perturbations(project: Project) -> None:
    first, second = perturbation(project, 1), perturbation(project, 1, "remove-fact")
    alike, other = answers(first), answers(second)
    judge = make_judge(project, "m", "Vanilla")
    said(judge, alike[0], 9)  # only the first item's gold answer was ever asked about
    said(judge, alike[1], 9)
    said(judge, other[1], 5)
    assert outcomes(project) == ["undetected", "detected"]


def test_another_prompt_or_text_shares_nothing(project: Project) -> None:
    first, second = perturbation(project, 1), perturbation(project, 2)
    alike, other = answers(first), answers(second)
    judge = make_judge(project, "m", "Vanilla")
    said(judge, alike[0], 9)
    said(judge, other[1], 5)  # whose gold answer nobody asked about yet: not counted
    assert outcomes(project) == []


def test_what_a_run_asked_in_vain_cannot_be_read(project: Project) -> None:
    items = perturbations(project, 3)
    pairs = [answers(item) for item in items]
    judge = make_judge(project, "m", "Vanilla")
    run = make_judge_run(judge)
    said(judge, pairs[0][0], 9)
    said(judge, pairs[1][1], 5)
    for subject in (f"answer/{pairs[0][1].pk}", f"answer/{pairs[1][0].pk}", f"pair/{pairs[2][0].pk}/{pairs[2][1].pk}"):
        Job.objects.create(run=run, subject=subject, state="failed", cause="timed_out")
    assert [(each.shape.name, each.outcome) for each in seen(project)] == [
        ("single", "unparsed"),
        ("single", "unparsed"),
        ("pairwise", "unparsed"),
    ]


def test_a_run_beside_a_reference_that_failed_is_of_that_way(project: Project) -> None:
    _gold, perturbed = answers(perturbation(project))
    judge = make_judge(project, "m", "Vanilla")
    run = make_judge_run(judge, options={"reference": "gold"})
    Job.objects.create(run=run, subject=f"answer/{perturbed.pk}", state="failed", cause="timed_out")
    assert [(each.shape.name, each.outcome) for each in seen(project)] == [("reference", "unparsed")]


def test_verdicts_on_older_texts_and_repeats_are_left_out(project: Project, tmp_path: Path) -> None:
    first, second = perturbations(project, 2)
    brought(project, tmp_path, [single(first, 9, 7), single(second, 9, 9)])
    newer = Answer.objects.get(item=first, author__sort="perturbed")
    Answer.objects.create(item=first, author=newer.author, version=2, text="Another text.")
    said(judge_called(project, "Vanilla"), Answer.objects.get(item=second, author__sort="perturbed"), 1, repeat=2)
    assert [(each.item_id, each.outcome) for each in seen(project)] == [(second.pk, "undetected")]


def test_of_two_runs_the_newer_counts(project: Project) -> None:
    gold, perturbed = answers(perturbation(project))
    judge = make_judge(project, "m", "Vanilla")
    for score in (9, 5):
        run = make_judge_run(judge)
        said(judge, gold, 9, job=Job.objects.create(run=run, subject=f"answer/{gold.pk}"))
        said(judge, perturbed, score, job=Job.objects.create(run=run, subject=f"answer/{perturbed.pk}"))
    assert outcomes(project) == ["detected"]


def test_an_explanation_that_names_it_in_either_order_names_it(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    brought(project, tmp_path, [pairwise(item, "both_good", found_in_explanation=False)])
    assert [each.found for each in seen(project, "Pairwise")] == [False]
    Verdict.objects.filter(swapped=True).update(found_in_explanation=True)
    assert [each.found for each in seen(project, "Pairwise")] == [True]


def test_a_tie_of_a_judge_without_two_sorts_of_ties_is_not_noticed(project: Project, tmp_path: Path) -> None:
    """C is FBI's letter for a tie, both good; MT-Bench's C and the Tie of others say no more."""
    brought(project, tmp_path, [pairwise(perturbation(project), "both_good")])
    Verdict.objects.update(choice="tie")
    assert outcomes(project, "Pairwise") == ["both_good"]


def test_a_category_without_verdicts_has_no_cell_and_enters_no_total(project: Project, tmp_path: Path) -> None:
    judged, _other = perturbation(project, 1), perturbation(project, 1, "remove-fact")
    brought(project, tmp_path, [single(judged, 9, 9)])
    [column] = blind_spots(project, judges_of(project)).columns
    assert list(column.cells) == [("factual", "entity-errors")]
    assert column.overall == column.by_ability["factual"]
    assert column.by_ability["factual"].n == 1


def test_numbers_are_remembered_until_something_is_said(project: Project, tmp_path: Path) -> None:
    first, second = perturbations(project, 2)
    brought(project, tmp_path, [single(first, 9, 9)])
    assert overall(project).n == 1
    with CaptureQueriesContext(connection) as again:
        blind_spots(project, judges_of(project))
    assert len(again) <= 8
    brought(project, tmp_path, [single(second, 9, 9)])
    assert overall(project).n == 2
    Verdict.objects.filter(first__author__sort="perturbed").update(found_in_explanation=True)
    assert overall(project).found == 2


def test_the_control_is_what_should_change_nothing(project: Project, tmp_path: Path) -> None:
    plain, invariant = perturbation(project, 1), perturbation(project, 1, "score_invariant", "score-invariant")
    brought(project, tmp_path, [pairwise(plain, "gold"), pairwise(invariant, "both_good")])
    [column] = blind_spots(project, judges_of(project)).columns
    assert column.control is not None
    assert (column.control.n, column.control.counts["both_good"]) == (1, 1)
    assert column.overall is not None
    assert (column.overall.n, column.overall.counts["gold"]) == (1, 1)
    assert column.by_ability["score-invariant"].n == 1


def test_what_people_call_score_invariant_is_a_control_beside_that_of_the_category(
    project: Project, tmp_path: Path
) -> None:
    plain, meant = perturbation(project, 1), perturbation(project, 2, "score_invariant", "score-invariant")
    found = perturbation(project, 3, verdict="score_invariant")
    rows = [pairwise(plain, "gold"), pairwise(meant, "both_good"), pairwise(found, "both_bad")]
    brought(project, tmp_path, rows)
    [column] = blind_spots(project, judges_of(project)).columns
    assert column.overall is not None
    assert column.control is not None
    assert column.control_found is not None
    assert [column.overall.n, column.control.n, column.control_found.n] == [1, 1, 1]
    assert column.control_found.counts["both_bad"] == 1
    assert column.cells["factual", "entity-errors"].n == 2  # a row is a row


def test_a_verdict_that_comes_later_moves_the_item_into_the_control(project: Project, tmp_path: Path) -> None:
    item = perturbation(project, 1)
    brought(project, tmp_path, [pairwise(item, "both_good")])
    [before] = blind_spots(project, judges_of(project)).columns
    later = Annotation.objects.create(item=item, model="writer", draft=item.base.draft | {"verdict": "score_invariant"})
    Item.objects.filter(pk=item.pk).update(base=later, changed_at=timezone.now())
    [after] = blind_spots(project, judges_of(project)).columns
    assert (before.control_found, after.overall) == (None, None)
    assert after.control_found is not None
