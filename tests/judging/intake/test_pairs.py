from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.answers.cases import case_of
from judging.intake.judgement_store import JudgementReport
from judging.models import Answer, Verdict
from tests.support.perturbed import (
    brought,
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


def counts(report: JudgementReport) -> list[int]:
    return [report.read, report.kept, report.duplicates, report.rejected]


def test_two_scores_are_two_verdicts_on_the_items_own_texts(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    report = brought(project, tmp_path, [single(item, 9, 7, found_in_explanation=False)])
    assert (counts(report), report.problems) == ([1, 1, 0, 0], [])
    gold, perturbed = Verdict.objects.select_related("first__author", "judge").order_by("first__author__name")
    assert (gold.score_first, perturbed.score_first) == (9.0, 7.0)
    assert (gold.first.author.sort, perturbed.first.author.sort) == ("gold", "perturbed")
    assert (gold.first.text, perturbed.first.text) == (item.facts["gold_answer"], item.base.draft["perturbed_answer"])
    assert (perturbed.judge.name, perturbed.judge.strategy, perturbed.source) == (
        "judge-m",
        "Vanilla",
        "judgements.jsonl",
    )
    assert (gold.found_in_explanation, perturbed.found_in_explanation) == (None, False)
    assert perturbed.case_sha == case_of(item).judged.sha256  # type: ignore[union-attr]


def test_choices_are_a_verdict_an_order_with_the_gold_answer_first(project: Project, tmp_path: Path) -> None:
    brought(project, tmp_path, [pairwise(perturbation(project), "inconsistent", found_in_explanation=True)])
    straight, turned = Verdict.objects.select_related("first__author", "second__author").order_by("swapped")
    assert [straight.swapped, turned.swapped] == [False, True]
    assert [straight.choice, turned.choice] == ["first", "second"]  # A both times: whatever stood first
    assert (turned.first.author.sort, turned.second.author.sort) == ("gold", "perturbed")  # type: ignore[union-attr]
    assert straight.found_in_explanation
    assert turned.found_in_explanation


def test_beside_a_reference_there_is_one_verdict_with_its_top(project: Project, tmp_path: Path) -> None:
    brought(project, tmp_path, [reference(perturbation(project), 4, top=5)])
    verdict = Verdict.objects.select_related("first__author", "reference__author").get()
    assert (verdict.first.author.sort, verdict.reference.author.sort) == ("perturbed", "gold")  # type: ignore[union-attr]
    assert (verdict.score_first, verdict.top) == (4.0, 5.0)


def test_null_is_kept_as_unreadable(project: Project, tmp_path: Path) -> None:
    first, second, third = perturbations(project, 3)
    report = brought(project, tmp_path, [single(first, 9, None), pairwise(second, None), reference(third, None)])
    assert counts(report) == [3, 3, 0, 0]
    assert Verdict.objects.filter(reading="unparsed", score_first=None, choice="").count() == 3
    assert Verdict.objects.filter(reading="ok").count() == 2


def test_a_second_import_makes_only_duplicates(project: Project, tmp_path: Path) -> None:
    first, second, third = perturbations(project, 3)
    rows = [single(first, 9, 7), pairwise(second, "gold"), reference(third, 10)]
    brought(project, tmp_path, rows)
    before = list(Verdict.objects.order_by("pk").values())
    report = brought(project, tmp_path, rows)
    assert (counts(report), report.problems) == ([3, 0, 3, 0], [])
    assert list(Verdict.objects.order_by("pk").values()) == before
    assert Answer.objects.count() == 6


def test_another_verdict_on_the_same_is_told_and_stays_out(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    report = brought(project, tmp_path, [single(item, 9, 7), single(item, 9, 8), single(item, 9, 7)])
    assert counts(report) == [3, 1, 2, 0]
    assert [(problem["line"], problem["level"]) for problem in report.problems] == [(2, "warning")]
    assert Verdict.objects.get(first__author__sort="perturbed").score_first == 7.0


def test_one_judge_may_have_been_asked_in_every_way_under_one_name(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    rows = [
        each(item, *said, strategy="s") for each, said in ((single, (9, 7)), (pairwise, ("gold",)), (reference, (9,)))
    ]
    assert counts(brought(project, tmp_path, rows)) == [3, 3, 0, 0]
    assert counts(brought(project, tmp_path, rows)) == [3, 0, 3, 0]
    assert Verdict.objects.count() == 5


def test_what_is_about_no_decided_item_is_rejected_by_its_line(project: Project, tmp_path: Path) -> None:
    known, undecided = perturbations(project, 2)
    undecided.state, undecided.base = "review", None
    undecided.save(update_fields=["state", "base"])
    rows = [single(known, 9, 7), single(known, 9, 7, id="factual-9"), single(undecided, 9, 7)]
    report = brought(project, tmp_path, rows)
    assert counts(report) == [3, 1, 0, 2]
    assert [(problem["line"], problem["path"]) for problem in report.problems] == [(2, "id"), (3, "id")]
    assert "entity-errors/factual-9" in report.problems[0]["message"]


def test_the_same_number_in_two_categories_is_two_items(project: Project, tmp_path: Path) -> None:
    one, other = perturbation(project, 1), perturbation(project, 1, "remove-fact")
    assert counts(brought(project, tmp_path, [single(one, 9, 7), single(other, 9, 9)])) == [2, 2, 0, 0]
    assert Verdict.objects.filter(item=other, first__author__sort="perturbed").get().score_first == 9.0


def test_a_text_that_was_corrected_meanwhile_is_another_version_to_judge(project: Project, tmp_path: Path) -> None:
    item = perturbation(project)
    brought(project, tmp_path, [single(item, 9, 7)])
    assert item.base is not None
    item.base.draft = {**item.base.draft, "perturbed_answer": "Planet 1 has no moons."}
    item.base.save(update_fields=["draft"])
    assert counts(brought(project, tmp_path, [single(item, 9, 3)])) == [1, 1, 0, 0]
    assert Answer.objects.filter(author__sort="perturbed").count() == 2
    assert Answer.objects.filter(author__sort="gold").count() == 1


def test_queries_do_not_grow_with_rows(project: Project, tmp_path: Path) -> None:
    items = perturbations(project, 30)

    def queries(some: slice) -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            brought(project, tmp_path, [single(item, 9, 7) for item in items[some]])
        return len(captured)

    queries(slice(0, 2))  # makes authors and judge
    assert queries(slice(2, 4)) == queries(slice(4, 30))
