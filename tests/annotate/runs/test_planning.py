import tracemalloc
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError

from annotate.engine.purposes import JobPlan
from annotate.models import Job, Project, Run, User
from annotate.runs import actions
from annotate.runs.execution import work
from annotate.runs.plan import estimate
from tests.annotate.runs.conftest import NOWHERE
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, make_items, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_a_planned_run_has_its_jobs_and_has_sent_nothing(words: Words, model: FaultyModel) -> None:
    person = User.objects.create_user("lea")
    run = planned(make_endpoint(model.base_url), items=7, options={"steps": 2}, budget=Decimal(5), by=person)
    assert (run.state, run.budget, run.options, run.created_by) == (Run.State.PLANNED, Decimal(5), {"steps": 2}, person)
    assert states(run) == {"pending": 7}
    assert model.calls == 0


def test_a_limit_plans_fewer_jobs(words: Words) -> None:
    assert states(planned(make_endpoint(NOWHERE), items=9, limit=4)) == {"pending": 4}


def test_a_purpose_that_does_not_exist_is_no_run(words: Words) -> None:
    with pytest.raises(KeyError):
        planned(make_endpoint(NOWHERE), items=1, purpose="nonsense")
    assert not Run.objects.exists()


@pytest.mark.parametrize("fault", [ZeroDivisionError, IntegrityError])
def test_planning_that_fails_leaves_nothing(
    words: Words, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def broken(run: Run) -> Any:
        for number in range(600):
            yield JobPlan(f"item/{number}")
        if fault is IntegrityError:
            yield JobPlan("item/1")
        raise fault

    monkeypatch.setattr(words, "plan", broken)
    with pytest.raises(fault):
        planned(make_endpoint(NOWHERE), items=1)
    assert (Run.objects.count(), Job.objects.count()) == (0, 0)


def test_planning_needs_little_memory_however_many_jobs(words: Words) -> None:
    project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
    make_items(project, 20_000)
    endpoint = make_endpoint(NOWHERE)
    tracemalloc.start()
    run = planned(endpoint, items=0, project=project)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.jobs.count() == 20_000
    assert peak < 15_000_000


def test_an_estimate_is_guessed_from_the_first_questions(words: Words, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url, price_in=Decimal(1), price_out=Decimal(10))
    found = estimate(planned(endpoint, items=8, options={"steps": 3}))
    assert (found.jobs, found.calls) == (8, 24)
    assert 24 * 20 < found.tokens_in < 24 * 200
    assert found.tokens_out == 24 * 300
    assert found.cost == (found.tokens_in + Decimal(10) * found.tokens_out) / 1_000_000
    assert "5 sample prompts" in found.note
    assert model.calls == 0


def test_an_estimate_is_measured_where_there_was_a_run(words: Words, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url)
    first = planned(endpoint, items=4)
    actions.start(first, None, ring=False)
    work(first)
    found = estimate(planned(endpoint, items=6, project=first.project))
    assert (found.jobs, found.tokens_in, found.tokens_out, found.cost) == (10, 1000, 100, None)
    assert "4 calls" in found.note


def test_an_estimate_of_nothing_is_nothing(words: Words) -> None:
    found = estimate(planned(make_endpoint(NOWHERE), items=0))
    assert (found.jobs, found.calls, found.tokens_in) == (0, 0, 0)
