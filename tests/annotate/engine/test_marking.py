"""An endpoint that nobody called simulated, at the simulated model: it says so itself, and all is marked."""

import pytest

from annotate.engine.pages import tried
from annotate.models import Annotation, Endpoint, Run
from annotate.runs import actions
from annotate.runs.execution import progress, work
from annotate.runs.plan import plan_run
from lib.simulated import SIMULATED
from tests.annotate.engine.asked import request
from tests.support.faulty_model import FaultyModel
from tests.support.model_server import ModelServer
from tests.support.people import make_item, make_project
from tests.support.small_purpose import Words, make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def drafted(server: ModelServer, **columns: object) -> Run:
    """Four items, drafted at an endpoint that nobody has called simulated."""
    project = make_project()
    for _number in range(4):
        make_item(project)
    endpoint = make_endpoint(server.base_url, simulated=False, **columns)
    run = plan_run(project=project, purpose="preannotate", endpoint=endpoint, by=None)
    actions.start(run, None, ring=False)
    work(run)
    return run


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/v1/nonsense"])
def test_the_server_says_in_every_answer_that_it_is_no_model(model_server: ModelServer, path: str) -> None:
    answer = model_server.client.post(path, json=request()) if "chat" in path else model_server.client.get(path)
    assert answer.headers[SIMULATED] == "1"


def test_everything_made_by_it_is_marked(model_server: ModelServer) -> None:
    run = drafted(model_server, max_in_flight=2)
    assert Endpoint.objects.get(pk=run.endpoint_id).simulated
    assert list(Annotation.objects.filter(run=run).values_list("simulated", flat=True)) == [True] * 4


def test_it_is_marked_by_a_refusal_too(model_server: ModelServer) -> None:
    model_server.turn(key="another")
    run = drafted(model_server)
    assert progress(run).causes == {"unauthorised": 4}
    assert Endpoint.objects.get(pk=run.endpoint_id).simulated


def test_the_test_button_marks_it(model_server: ModelServer) -> None:
    endpoint = make_endpoint(model_server.base_url, simulated=False)
    assert tried(endpoint).ok
    assert Endpoint.objects.get(pk=endpoint.pk).simulated


def test_others_are_not_marked(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url, simulated=False), items=3)
    actions.start(run, None, ring=False)
    work(run)
    assert tried(run.endpoint).ok
    assert not Endpoint.objects.get(pk=run.endpoint_id).simulated
