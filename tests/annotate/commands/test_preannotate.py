"""`preannotate` (and through it every command that lets a model work) against the simulated model."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.installation import ROOT, Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow

KEYS = ["run", "jobs", "done", "failed", "causes", "calls", "cost", "paused_for"]


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as made:
        yield made


@pytest.fixture
def slug(installation: Installation, model_server: ModelServer) -> str:
    """A project of its own with six items, and the endpoint `sim`."""
    return installation.python(SET_UP, base_url=model_server.base_url)


SET_UP = """
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint
Endpoint.objects.filter(name="sim").exists() or make_endpoint(
    name="sim", base_url=base_url, simulated=True, attempts=2, price_in=1, price_out=2, max_in_flight=4
)
project = make_project()
for number in range(6):
    make_item(project, key=f"item-{number}")
result = project.slug
"""


def asked(installation: Installation, *arguments: str, code: int = 0) -> dict[str, Any]:
    """What the command prints with --json: one object and nothing else."""
    done = installation.manage(*arguments, "--json", check=False)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_it_waits_until_nothing_is_open_and_reports(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    told = asked(installation, "preannotate", slug, "--endpoint", "sim", "--wait")
    assert list(told) == KEYS
    assert (told["jobs"], told["done"], told["failed"], told["causes"]) == (6, 6, 0, {})
    assert told["calls"] == model_server.calls.requests == 30  # six items, five steps each
    spent = model_server.calls.tokens_in * 1 + model_server.calls.tokens_out * 2
    assert told["cost"] == pytest.approx(spent / 1_000_000)


def test_failures_are_counted_by_cause_and_only_they_are_taken_up_again(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    model_server.misbehave("filters", times=2)
    told = asked(installation, "preannotate", slug, "--endpoint", "sim", "--wait")
    assert (told["jobs"], told["done"], told["failed"], told["causes"]) == (6, 4, 2, {"filtered": 2})
    before = model_server.calls.requests
    again = asked(installation, "preannotate", slug, "--run", str(told["run"]), "--retry-failed", "--wait")
    assert (again["run"], again["jobs"], again["done"], again["failed"]) == (told["run"], 6, 6, 0)
    assert again["calls"] == model_server.calls.requests == before + 10
    nothing_left = asked(installation, "preannotate", slug, "--run", str(told["run"]), "--retry-failed", "--wait")
    assert (nothing_left["done"], nothing_left["calls"]) == (6, again["calls"])


def test_what_a_budget_leaves_waits_and_a_larger_one_goes_on(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    command = ["preannotate", slug, "--endpoint", "sim", "--budget", "0.001", "--wait", "--json"]
    done = installation.manage(*command, check=False)
    told = json.loads(done.stdout)
    assert (done.returncode, told["paused_for"], told["causes"]) == (1, "budget", {})
    assert "was paused automatically: budget used up. The rest of the budget of $0.001 is less" in done.stderr
    assert "Raise the budget, then resume. Continue: manage.py preannotate" in done.stderr
    taken_up = ["preannotate", slug, "--run", str(told["run"]), "--wait"]
    assert "must be higher" in installation.manage(*taken_up, "--budget", "0.001", check=False).stderr
    again = asked(installation, *taken_up, "--budget", "5")
    assert (again["done"], again["causes"]) == (6, {})


def test_a_limit_plans_so_many_jobs(installation: Installation, slug: str) -> None:
    assert asked(installation, "preannotate", slug, "--endpoint", "sim", "--limit", "2", "--wait")["jobs"] == 2


def test_without_waiting_it_starts_the_run_and_says_how_it_stands(installation: Installation, slug: str) -> None:
    told = asked(installation, "preannotate", slug, "--endpoint", "sim")
    assert (told["jobs"], told["done"], told["calls"], told["cost"]) == (6, 0, 0, 0.0)
    state = installation.python("result = Run.objects.get(pk=pk).state", pk=told["run"])
    assert state == "running"
    done = installation.manage("preannotate", slug, "--run", str(told["run"]), "--wait")
    assert f"Run {told['run']} (finished): 6 jobs, 6 done, 0 failed, 30 calls" in done.stdout


def test_an_endpoint_that_does_not_answer_leaves_no_job_open(installation: Installation, slug: str) -> None:
    installation.manage("endpoint", "silent", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--attempts", "1")
    told = asked(installation, "preannotate", slug, "--endpoint", "silent", "--wait")
    assert (told["done"], told["failed"], told["causes"], told["cost"]) == (0, 6, {"connection": 6}, 0.0)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A shell starts what runs in the background with interrupts ignored, and programs hand that on to others."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_pauses_the_run_and_says_how_to_go_on(
    installation: Installation, slug: str, model_server: ModelServer, how: signal.Signals
) -> None:
    model_server.turn(latency=2)  # five steps a job: time enough to be stopped on a busy machine
    command = [sys.executable, "manage.py", "preannotate", slug, "--endpoint", "sim", "--wait", "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, env=installation.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while model_server.calls.requests < 2:  # it is at work
            assert process.poll() is None
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    told = json.loads(out)
    assert told["jobs"] == 6
    assert told["done"] + told["failed"] < 6
    assert f"Paused run {told['run']}; finished jobs are kept." in err
    assert f"manage.py preannotate {slug} --run {told['run']} --wait" in err
    assert "Traceback" not in err
    model_server.turn(latency=0)
    went_on = asked(installation, "preannotate", slug, "--run", str(told["run"]), "--wait")
    assert (went_on["run"], went_on["done"], went_on["failed"]) == (told["run"], 6, 0)


def test_classifying_goes_the_same_way(installation: Installation, slug: str, model_server: ModelServer) -> None:
    told = asked(installation, "classify", slug, "--endpoint", "sim", "--wait")
    assert list(told) == KEYS
    assert (told["done"], told["calls"]) == (6, 6)
    refused = installation.manage("preannotate", slug, "--run", str(told["run"]), check=False)
    assert (refused.returncode, "is for 'classify'" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Give --endpoint NAME"),
        (["--retry-failed", "--endpoint", "sim"], 2, "needs --run"),
        (["--run", "1", "--limit", "3"], 2, "--limit is for planning only"),
        (["--endpoint", "sim", "--limit", "0"], 2, "is not a whole number above zero"),
        (["--endpoint", "sim", "--budget", "NaN"], 2, "is not an amount of USD"),
        (["--endpoint", "sim", "--option", "tone=kind"], 2, "unknown option"),
        (["--endpoint", "nowhere"], 1, "There is no endpoint 'nowhere'."),
        (["--run", "987654"], 1, "has no run 987654"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(
    installation: Installation, slug: str, arguments: list[str], code: int, said: str
) -> None:
    runs = installation.python("result = Run.objects.count()")
    done = installation.manage("preannotate", slug, "--json", *arguments, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert installation.python("result = Run.objects.count()") == runs


def test_a_cancelled_run_is_not_taken_up_again(installation: Installation, slug: str) -> None:
    told = asked(installation, "preannotate", slug, "--endpoint", "sim")
    installation.python("Run.objects.filter(pk=pk).update(state='cancelled')\nresult = 1", pk=told["run"])
    done = installation.manage("preannotate", slug, "--run", str(told["run"]), "--wait", check=False)
    assert (done.returncode, "is cancelled" in done.stderr) == (1, True)
