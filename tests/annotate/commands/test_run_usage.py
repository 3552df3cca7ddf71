"""How commands that let a model work refuse what they are not asked rightly, and what they plan; in this process."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from annotate.models import Endpoint, Project, Run
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_item(project, key="item-1")
    make_endpoint(name="sim", simulated=True, base_url="http://127.0.0.1:9/v1")
    return project


def refusal(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments)
    return refused.value


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--endpoint", "sim", "--retry-failed"], "--retry-failed needs --run N"),
        ([], "Give --endpoint NAME, or --run N"),
        (["--run", "1", "--max-tokens", "10"], "--max-tokens is for planning only"),
        (["--run", "1", "--limit", "2"], "--limit is for planning only"),
        (["--endpoint", "sim", "--option", "colour=red"], "--option colour: unknown option"),
        (["--run", "0"], "'0' is not a whole number above zero"),
        (["--endpoint", "sim", "--budget", "much"], "'much' is not an amount of USD"),
        (["--endpoint", "sim", "--budget", "-1"], "'-1' is not an amount of USD"),
    ],
)
def test_wrong_usage_names_the_option(project: Project, arguments: list[str], said: str) -> None:
    refused = refusal("preannotate", project.slug, *arguments)
    assert said in str(refused)
    assert not Run.objects.exists()


def test_an_unknown_endpoint_is_named_beside_those_there_are(project: Project) -> None:
    refused = refusal("preannotate", project.slug, "--endpoint", "sum")
    assert str(refused) == "There is no endpoint 'sum'. Endpoints: sim."
    assert refused.returncode == 1


def test_a_run_is_continued_only_as_what_it_is(project: Project) -> None:
    endpoint = make_endpoint(name="other")
    run = make_run(project, endpoint=endpoint, purpose="preannotate", state=Run.State.PAUSED)
    assert "has no run 99" in str(refusal("preannotate", project.slug, "--run", "99"))
    assert "is for 'preannotate', not for 'answer'" in str(refusal("answer", project.slug, "--run", str(run.pk)))
    taken = refusal("preannotate", project.slug, "--run", str(run.pk), "--endpoint", "sim")
    assert "uses the endpoint 'other'" in str(taken)
    Run.objects.update(state=Run.State.CANCELLED)
    assert "it cannot be continued now" in str(refusal("preannotate", project.slug, "--run", str(run.pk)))


def test_a_started_run_says_where_to_watch_it(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("preannotate", project.slug, "--endpoint", "sim", "--budget", "2.50", "--limit", "1")
    run = Run.objects.get()
    assert (run.state, float(run.budget or 0)) == (Run.State.RUNNING, 2.5)
    assert f"Watch: /p/{project.slug}/runs/{run.pk}/" in capsys.readouterr().out


def test_without_items_nothing_is_started_and_the_report_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    project = make_project(slug="empty")
    make_endpoint(name="sim")
    refused = refusal("preannotate", "empty", "--endpoint", "sim", "--json")
    assert "was planned but not started" in str(refused)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["jobs"], told["run"]) == (0, project.runs.get().pk)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give --author NAME, the author of the answers."),
        (["--author", "A", "--temperature", "hot"], "--temperature 'hot': write project, service or a number"),
        (["--author", "A", "--option", "number=warm"], "--option number:"),
    ],
)
def test_answers_need_an_author_and_a_readable_temperature(project: Project, arguments: list[str], said: str) -> None:
    assert said in str(refusal("answer", project.slug, "--endpoint", "sim", *arguments))


@pytest.mark.parametrize("temperature", ["project", "service", "0.7"])
def test_answers_without_an_accepted_item_are_planned_but_not_started(project: Project, temperature: str) -> None:
    options = ["--author", "A", "--samples", "2", "--family", "f", "--temperature", temperature]
    assert "was planned but not started" in str(refusal("answer", project.slug, "--endpoint", "sim", *options))
    assert Run.objects.get().options["author"] == "A"


def test_kinds_without_answers_take_none() -> None:
    project = make_project(slug="pairs", kind_slug="preference")
    make_endpoint(name="sim")
    refused = refusal("answer", project.slug, "--endpoint", "sim", "--author", "A")
    assert "Items of the kind preference take no answers." in str(refused)


@pytest.mark.parametrize("text", ["{", "[1]", "7", '"top_k"'])
def test_an_extra_body_is_a_json_object(project: Project, text: str) -> None:
    assert "is not a JSON object" in str(
        refusal("preannotate", project.slug, "--endpoint", "sim", "--extra-body", text)
    )
    assert not Run.objects.exists()


def test_an_extra_body_that_the_endpoint_allows_is_kept_with_the_run(project: Project) -> None:
    Endpoint.objects.update(extra_allowed=["top_k"])
    call_command("preannotate", project.slug, "--endpoint", "sim", "--extra-body", '{"top_k": 20}')
    assert Run.objects.get().parameters["extra_body"] == {"top_k": 20}


def test_a_database_that_is_not_migrated_is_told_with_the_remedy(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_table(*_arguments: object) -> None:
        raise OperationalError("no such table: annotate_project")

    monkeypatch.setattr("annotate.management.command.ContractCommand.project", no_table)
    refused = refusal("preannotate", project.slug, "--endpoint", "sim")
    assert str(refused).startswith(
        "The database is not ready: no such table: annotate_project. Run `manage.py migrate`"
    )
    assert refused.returncode == 1
