"""Two sets of texts that judges are told: runs keep which one, and verdicts by the two are those of two judges."""

from typing import Any

import pytest

from annotate.engine.purposes import purposes
from annotate.kinds.protocol import Prompts
from annotate.models import Job, Project, Run
from judging.models import Judge, Verdict
from judging.strategies.criteria import GENERIC, TASK_SPECIFIC, text_of
from tests.support.judge_rows import make_judge
from tests.support.judges import messages, saying, shipped
from tests.support.perturbations import perturbation_project, perturbed_item, spoiled_pairs
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
JUDGE = purposes()["judge"]
SAID = '{"explanation": "fine", "score": 2}'


@pytest.fixture
def project() -> Project:
    made = perturbation_project()
    perturbed_item(made, next(spoiled_pairs()))
    return made


def planned(project: Project, **options: Any) -> Run:
    return make_run(project, purpose="judge", options={"strategy": "axis-rubric"} | options, endpoint=make_endpoint())


def told(made: Run) -> str:
    """What the judge of the run is told, worked from its stored options alone."""
    jobs = [Job.objects.create(run=made, subject=one.subject, item_id=one.item_id) for one in JUDGE.plan(made)]
    ask, prompts = saying(SAID), Prompts(shipped("single").texts)
    for case in JUDGE.load(Run.objects.get(pk=made.pk), jobs, prompts):
        JUDGE.store(case, run(JUDGE.work(case, ask)))
    return "\n".join(messages(ask.asked))


def axis(texts: str) -> str:
    return text_of("reasoning", "axis", "en", texts)


def test_generic_texts_are_the_default_and_stand_in_the_run_and_in_the_judge(project: Project) -> None:
    made = planned(project)
    said = told(made)
    assert axis(GENERIC) in said
    assert axis(TASK_SPECIFIC) not in said
    assert Run.objects.get(pk=made.pk).options["texts"] == "generic"
    judge = Verdict.objects.first().judge  # type: ignore[union-attr]  # there is one
    assert str(judge).endswith("· axis-rubric · scale=1-3 texts=generic")


def test_both_sets_make_two_judges_beside_each_other(project: Project) -> None:
    assert axis(GENERIC) in told(planned(project))
    assert axis(TASK_SPECIFIC) in told(planned(project, texts="task-specific"))
    assert sorted(Judge.objects.values_list("variant", flat=True)) == [
        "scale=1-3 texts=generic",
        "scale=1-3 texts=task-specific",
    ]


def test_a_judge_from_before_the_sets_goes_on_under_its_name(project: Project) -> None:
    told(planned(project, texts="task-specific"))
    Judge.objects.update(variant="scale=1-3")  # as it was called before there were two sets
    older = Judge.objects.get()
    told(planned(project))
    assert Judge.objects.exclude(pk=older.pk).get().variant == "scale=1-3 texts=generic"
    told(again := planned(project, texts="task-specific"))  # the same words as then: the same judge
    assert again.judge_run.judge == older
    assert set(Verdict.objects.filter(job__run=again).values_list("judge", flat=True)) == {older.pk}
    assert JUDGE.tried_with(project, "single", "axis-rubric") == {
        "strategy": "axis-rubric",
        "texts": "task-specific",
    }


def test_a_judge_that_only_came_from_a_file_is_not_taken_for_an_older_one(project: Project) -> None:
    name = make_endpoint().model
    imported = make_judge(project, name, "axis-rubric", "scale=1-3 texts=task-specific")
    told(made := planned(project, texts="task-specific"))
    assert made.judge_run.judge != imported
    assert str(made.judge_run.judge) == f"{imported} · v2"
