import pytest

from annotate.models import Annotation, Call, Run
from annotate.services import runs
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_a_run_is_worked_until_every_job_is_done(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=30, options={"steps": 2})
    assert run.state == Run.State.PLANNED
    runs.start(run, None, ring=False)
    runs.work(run)
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 30})
    assert run.ended_at is not None
    assert set(model.received.values()) == {1}
    assert (model.calls, run.calls, Call.objects.filter(cause="").count()) == (60, 60, 60)
    assert (run.tokens_in, run.tokens_out) == (6000, 600)
    assert Annotation.objects.filter(run=run, draft={"words": ["moon", "moon"]}).count() == 30
