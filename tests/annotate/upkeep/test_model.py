"""The demo's model: its endpoint, the project that it drafts by real runs, what doctor says of it."""

import json
import socket
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from annotate.errors import Refused
from annotate.models import Annotation, Call, Classification, Endpoint, Item, Project, PromptVersion, Run
from annotate.runs.plan import plan_run
from annotate.upkeep import demo
from annotate.upkeep import demo_projects as demo_model
from annotate.upkeep import diagnosis as doctor_models
from lib.simulated.server import base_url
from tests.support.model_server import ModelServer
from tests.support.programs import free_port


@pytest.fixture
def data_folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.mark.django_db
class TestTheEndpoint:
    def test_it_is_simulated_priced_and_on_this_machine(self) -> None:
        endpoint = demo_model.keep_endpoint()
        assert (endpoint.simulated, endpoint.is_priced, endpoint.key_env) == (True, True, "")
        assert endpoint.base_url == "simulated"

    def test_one_of_an_older_demo_loses_its_port_and_keeps_what_people_changed(self) -> None:
        demo_model.keep_endpoint()
        Endpoint.objects.update(max_in_flight=3, base_url="http://127.0.0.1:4321/v1")
        demo_model.keep_endpoint()
        assert Endpoint.objects.values_list("base_url", "max_in_flight").get() == ("simulated", 3)

    def test_an_endpoint_of_somebody_with_this_name_is_left_alone(self) -> None:
        Endpoint.objects.create(name="simulated", base_url="https://models.example.org/v1", model="m")
        with pytest.raises(Refused, match="somebody's own"):
            demo_model.keep_endpoint()
        assert Endpoint.objects.get().base_url == "https://models.example.org/v1"

    def test_without_a_server_the_demo_is_seeded_all_the_same(self, data_folder: Path) -> None:
        call_command("seed_demo", "--live", stdout=StringIO())
        assert set(Endpoint.objects.values_list("base_url", "simulated")) == {("simulated", True)}
        assert not Project.objects.filter(slug=demo_model.PREANNOTATED_SLUG).exists()


@pytest.mark.django_db
class TestDoctor:
    def test_without_an_endpoint_nothing_is_asked(self) -> None:
        assert doctor_models.simulated_model().state == "ok"

    def test_a_model_that_answers_is_found(self, model_server: ModelServer) -> None:
        Endpoint.objects.create(name="s", base_url=model_server.base_url, model="m", simulated=True)
        finding = doctor_models.simulated_model()
        assert (finding.state, model_server.base_url in finding.found) == ("ok", True)
        assert model_server.calls.requests == 1

    def test_a_model_that_is_not_there_is_a_note_with_a_remedy(self) -> None:
        Endpoint.objects.create(name="s", base_url=base_url(free_port()), model="m", simulated=True)
        finding = doctor_models.simulated_model()
        assert (finding.state, "make run" in finding.remedy) == ("note", True)

    def test_a_real_service_is_never_asked(self, model_server: ModelServer) -> None:
        Endpoint.objects.create(name="real", base_url=model_server.base_url, model="m")
        assert doctor_models.simulated_model().state == "ok"
        assert model_server.calls.requests == 0


@pytest.fixture
def seeded(data_folder: Path, transactional_db: None) -> Project:
    demo.seed()
    return demo_model.seed_preannotated(free_port())


def test_every_item_of_the_project_gets_a_simulated_suggestion_with_a_task(seeded: Project) -> None:
    suggestions = Annotation.objects.filter(item__project=seeded)
    assert Item.objects.filter(project=seeded, state="ready").count() == 40
    assert suggestions.count() == 40 + demo_model.AGAIN
    assert all(one.simulated and one.run and one.draft["task_type"] for one in suggestions)
    maintained = suggestions.filter(item__facts__bench_type="Response Maintenance")
    assert all(len(one.candidates) == 12 for one in maintained)
    assert any(one.doubts for one in suggestions)


def test_the_runs_are_finished_and_show_a_cost(seeded: Project) -> None:
    runs = Run.objects.filter(endpoint__simulated=True)
    assert sorted(runs.values_list("project__slug", "purpose", "state")) == [
        ("demo", "classify", "finished"),
        ("demo-preannotated", "classify", "finished"),
        ("demo-preannotated", "preannotate", "finished"),
        ("demo-preannotated", "preannotate", "finished"),
    ]
    assert all(run.cost > 0 and not run.jobs.exclude(state="done").exists() for run in runs)
    # 24 samples of error correction take five calls, 16 of response maintenance four candidates and a checklist.
    first, again = runs.filter(purpose="preannotate").order_by("pk")
    assert Call.objects.filter(job__run=first).count() == 200
    assert again.jobs.count() == demo_model.AGAIN
    assert Classification.objects.filter(run__project__slug="demo").count() == 39  # one is dropped


def test_another_seeding_sends_nothing(seeded: Project) -> None:
    before = Call.objects.count()
    demo_model.seed_preannotated(free_port())
    assert (Call.objects.count(), Run.objects.count()) == (before, 4)


def test_a_seeding_that_was_interrupted_goes_on(data_folder: Path, transactional_db: None) -> None:
    demo.seed()
    project = demo_model._preannotated_project()
    endpoint = demo_model.keep_endpoint()
    plan_run(project=project, purpose="classify", endpoint=endpoint, by=None)
    demo_model.seed_preannotated(free_port())
    assert set(Run.objects.values_list("state", flat=True)) == {"finished"}
    assert Run.objects.count() == 4


def test_two_versions_of_a_prompt_can_be_compared(seeded: Project) -> None:
    texts = PromptVersion.objects.filter(scope="feedback", step="feedback", language="en", runs__project=seeded)
    assert texts.distinct().count() == 2


def test_the_command_makes_both_and_refuses_a_port_that_is_taken(
    data_folder: Path, settings: Settings, transactional_db: None
) -> None:
    settings.DEMO_RUNS = []
    taken, says = socket.create_server(("127.0.0.1", 0)), "cannot be used for the simulated model"
    with taken, pytest.raises(CommandError, match=says):
        call_command("seed_demo", model_port=taken.getsockname()[1], stdout=StringIO())
    out = StringIO()
    call_command("seed_demo", "--json", model_port=free_port(), stdout=out)
    assert json.loads(out.getvalue())["project"] == "demo"
    assert Annotation.objects.filter(item__project__slug=demo_model.PREANNOTATED_SLUG).count() == 50
