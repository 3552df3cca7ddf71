"""Pairs that a judge is shown, with a strategy of the test's own."""

import pytest

from annotate.engine.purposes import Case
from annotate.models import Item, Job, Run
from judging.models import Answer, Author, Part, Verdict
from lib.simulated.candidate import MET, PUT_OFF
from tests.judging.purposes.test_judge import JUDGE, cases, planned, subjects, worked
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.judges import saying, shipped, simulated
from tests.support.pairs import FAIR, with_pairs
from tests.support.people import make_project
from tests.support.running import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_pairs(monkeypatch)


def pair_cases(made: Run) -> list[Case]:
    jobs = [
        Job.objects.get_or_create(run=made, subject=one.subject, item_id=one.item_id)[0] for one in JUDGE.plan(made)
    ]
    return JUDGE.load(made, jobs, FAIR)


@pytest.mark.usefixtures("pairs")
def test_all_pairs_of_different_authors_are_jobs() -> None:
    project = make_project()
    item = decided_item(project, CORRECTION)
    a, b, c = (answer_of(item, name) for name in "ABC")
    answer_of(item, "A", sample=2)
    found = subjects(planned(project, strategy="longer"))
    assert found == [f"pair/{a.pk}/{b.pk}", f"pair/{a.pk}/{c.pk}", f"pair/{b.pk}/{c.pk}"]


@pytest.mark.usefixtures("pairs")
def test_gold_answers_are_paired_with_perturbed_ones() -> None:
    project = make_project()
    item = decided_item(project, CORRECTION)
    perturbed, gold, _model = (answer_of(item, name) for name in ("a perturbed", "gold", "model"))
    for name, sort in (("gold", "gold"), ("a perturbed", "perturbed")):
        Author.objects.filter(name=name).update(sort=sort)
    assert subjects(planned(project, strategy="longer", pairs="gold-perturbed")) == [f"pair/{gold.pk}/{perturbed.pk}"]


@pytest.mark.usefixtures("pairs")
def test_both_orders_are_asked_and_turned_back() -> None:
    project = make_project()
    item = decided_item(project, CORRECTION)
    answer_of(item, "A", text="short")
    answer_of(item, "B", text="much longer")
    made = planned(project, strategy="longer", both_orders=True)
    (case,) = pair_cases(made)
    ask = saying("first is 1")
    JUDGE.store(case, run(JUDGE.work(case, ask)))
    assert ask.steps == ["judge/1/compare", "judge/1/swapped/compare"]
    assert list(
        Verdict.objects.order_by("swapped").values_list("swapped", "choice", "score_first", "score_second")
    ) == [
        (False, "second", 5.0, 11.0),
        (True, "second", 5.0, 11.0),
    ]
    assert set(Part.objects.values_list("score_first", "score_second")) == {(5.0, 11.0)}
    assert "A – B, swapped" in JUDGE.outcomes(made, [item.pk])[item.pk]


def test_an_answer_that_is_gone_leaves_its_job_without_a_case() -> None:
    project = make_project()
    answer_of(decided_item(project, CORRECTION), "A")
    made = planned(project)
    jobs = [Job.objects.create(run=made, subject=one.subject, item_id=one.item_id) for one in JUDGE.plan(made)]
    Answer.objects.all().delete()
    assert JUDGE.load(made, jobs, shipped("checklist")) == []


def test_a_strategy_that_was_taken_away_leaves_its_jobs_without_a_case() -> None:
    project = make_project()
    answer_of(decided_item(project, CORRECTION), "A")
    made = planned(project)
    (case,) = cases(made)
    made.options["strategy"] = "gone"
    assert JUDGE.load(made, [case.job], shipped("checklist")) == []
    assert JUDGE.told_options(made) == {}


def test_a_strong_author_scores_above_a_weak_one() -> None:
    project = make_project()
    for _ in range(5):
        item = decided_item(project, CORRECTION)
        answer_of(item, "strong", text=MET[0][0].format(part="it"))
        answer_of(item, "weak", text=PUT_OFF[0][0].format(part="it"))
    worked(planned(project), simulated())
    scores = dict(Verdict.objects.values_list("first__author__name", "score_first"))
    assert scores == {"strong": 1.0, "weak": 0.0}
    assert Item.objects.count() == 5
