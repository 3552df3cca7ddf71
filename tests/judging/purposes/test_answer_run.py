"""Answering through the engine: what was stored is read again without a call."""

from statistics import mean

import pytest

from annotate.models import Project, Run
from annotate.runs import actions, plan
from annotate.runs.execution import progress, work
from annotate.runs.plan import plan_run
from annotate.runs.reparse import reread
from judging.models import Answer
from lib.simulated.candidate import merit
from tests.annotate.engine.conftest import at_once
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.model_server import ModelServer
from tests.support.people import make_project
from tests.support.runs import make_endpoint

__all__ = ["at_once"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def answered(project: Project, base_url: str, model: str) -> Run:
    endpoint = make_endpoint(base_url=base_url, model=model, simulated=True)
    run = plan_run(project=project, purpose="answer", endpoint=endpoint, by=None, options={"author": model})
    actions.start(run, None, ring=False)
    work(run)
    return run


def test_reading_a_run_again_sends_and_changes_nothing(model_server: ModelServer) -> None:
    project = make_project()
    items = [decided_item(project, CORRECTION) for _ in range(4)]
    run = answered(project, model_server.base_url, "simulated-strong")
    assert progress(run).done == Answer.objects.filter(job__run=run).count() == 4
    answer_of(items[0], "simulated-strong", version=2, text="Imported later.")
    sent = model_server.calls.requests
    found = reread(run, None)
    assert (found.jobs, found.read, found.changed) == (4, 4, 0)
    assert (model_server.calls.requests, Answer.objects.count()) == (sent, 5)


def test_the_estimate_of_a_plan_is_made_of_the_conversations(model_server: ModelServer) -> None:
    project = make_project()
    decided_item(project, CORRECTION)
    endpoint = make_endpoint(base_url=model_server.base_url)
    run = plan_run(project=project, purpose="answer", endpoint=endpoint, by=None, options={"author": "A"})
    estimate = plan.estimate(run)
    assert (estimate.jobs, estimate.calls) == (1, 1)
    assert estimate.tokens_in > 20
    assert model_server.calls.requests == 0


def test_the_better_model_gives_the_better_answers(model_server: ModelServer) -> None:
    project = make_project()
    for number in range(12):
        decided_item(project, CORRECTION, feedback=f"Name both moons of Mars. Say who found them in {number}.")
    merits = {}
    for model in ("simulated-strong", "simulated-weak"):
        run = answered(project, model_server.base_url, model)
        texts = Answer.objects.filter(job__run=run, simulated=True).values_list("text", flat=True)
        merits[model] = mean(merit(text) or 0.0 for text in texts)
    assert merits["simulated-strong"] > merits["simulated-weak"] + 0.3
