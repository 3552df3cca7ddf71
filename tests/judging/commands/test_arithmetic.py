import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Call, Project, Run
from annotate.runs.reparse import reread
from judging.boards.arithmetic.board import probe_runs
from lib.simulated.knobs import Knobs
from lib.simulated.requests import read
from lib.simulated.service import answer
from tests.support.model_server import ModelServer
from tests.support.people import make_project
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command(*words, "--json")
    return dict(json.loads(capsys.readouterr().out))


def run_of(capsys: pytest.CaptureFixture[str], server: ModelServer, model: str, *options: str) -> dict[str, Any]:
    make_endpoint(name=model, model=model, base_url=server.base_url, simulated=True)
    words = [word for option in options for word in ("--option", option)]
    return told(capsys, "arithmetic", "fb", "--endpoint", model, "--wait", *words)


def test_the_probe_goes_through_the_engine_and_is_scored_exactly(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.turn(skill=1.0)
    made = run_of(capsys, model_server, "simulated-1")
    assert (made["jobs"], made["done"], made["failed"], made["calls"]) == (190, 190, 0, 190)
    (row,) = told(capsys, "report", "fb", "arithmetic")["rows"]
    assert [(one["length"], one["n"], one["right"]) for one in row["lengths"]] == [(n, 10, 10) for n in range(2, 21)]
    assert (row["model"], row["longest"], row["unparsed"], row["seed"]) == ("simulated-1", 20, 0, 1)
    assert (row["short"]["n"], row["short"]["accuracy"], row["short"]["lengths"]) == (90, 1.0, [2, 10])
    # the cases are the same whoever is asked and whenever
    asked = Call.objects.filter(job__run=made["run"], job__subject="sum/2/1").get().request["messages"][0]["content"]
    assert asked.endswith("\n\n" + asked.splitlines()[-1])
    assert asked.splitlines()[-1].count("+") == 1


def test_a_weak_model_errs_more_often_the_longer_the_chain(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for model in ("simulated-strong", "simulated-weak"):
        run_of(capsys, model_server, model, "language=zh" if model.endswith("weak") else "language=en")
    weak, strong = told(capsys, "report", "fb", "arithmetic")["rows"]
    assert (weak["model"], strong["model"]) == ("simulated-weak", "simulated-strong")
    assert strong["short"]["accuracy"] > 0.85 > 0.6 > weak["short"]["accuracy"]
    assert strong["longest"] > (weak["longest"] or 0)
    first, last = weak["lengths"][0]["right"], weak["lengths"][-1]["right"]
    assert first > last
    assert weak["lengths"][0]["interval"][0] < weak["lengths"][0]["accuracy"] < weak["lengths"][0]["interval"][1]


def test_the_options_say_how_many_chains_there_are(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run_of(capsys, model_server, "simulated-1", "seed=5", "longest=4", "each=3")
    assert made["jobs"] == 9
    (row,) = told(capsys, "report", "fb", "arithmetic", "--runs", str(made["run"]))["rows"]
    assert [(one["length"], one["n"]) for one in row["lengths"]] == [(2, 3), (3, 3), (4, 3)]
    with pytest.raises(CommandError, match="unknown option"):
        call_command("arithmetic", "fb", "--endpoint", "simulated-1", "--option", "most=3")


def test_what_cannot_be_read_counts_as_wrong_and_no_reply_is_no_trial(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.turn(skill=1.0)
    made = run_of(capsys, model_server, "simulated-1", "longest=2", "each=4")
    calls = Call.objects.filter(job__run=made["run"]).order_by("pk")
    Call.objects.filter(pk=calls[0].pk).update(reply="Either 46 or 47.")
    lost = calls[1].job
    lost.calls.all().delete()
    type(lost).objects.filter(pk=lost.pk).update(state="failed", cause="timeout")
    found = told(capsys, "report", "fb", "arithmetic")
    (row,) = found["rows"]
    assert (row["lengths"][0]["n"], row["lengths"][0]["right"], row["lengths"][0]["unparsed"]) == (3, 2, 1)
    assert row["failed"] == 1
    assert "count as wrong" in " ".join(found["notes"])
    assert "are left out" in " ".join(found["notes"])


def test_a_run_is_read_again_without_asking(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run_of(capsys, model_server, "simulated-1", "longest=3", "each=2")
    before = model_server.calls.requests
    found = reread(Run.objects.get(pk=made["run"]), None)
    assert (found.read, found.failed, found.changed) == (4, 0, 0)
    assert model_server.calls.requests == before


def test_without_a_probe_it_says_what_to_do(project: Project) -> None:
    with pytest.raises(CommandError, match="arithmetic SLUG --endpoint NAME"):
        call_command("report", "fb", "arithmetic", "--json")
    with pytest.raises(CommandError, match="not an arithmetic probe"):
        call_command("report", "fb", "arithmetic", "--json", "--runs", "77")


def test_as_many_queries_for_many_runs(project: Project) -> None:
    counts = []
    for _time in range(2):
        run = Run.objects.create(project=project, purpose="arithmetic", endpoint=make_endpoint(), state="finished")
        for number in range(3):
            job = run.jobs.create(subject=f"sum/2/{number}", state="done")
            job.calls.create(step="sum", attempt=1, digest="0" * 64, request={}, cause="", reply="46")
        with CaptureQueriesContext(connection) as queries:
            probe_runs(project)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 3


def test_a_conversation_that_only_mentions_a_sum_is_answered_as_ever() -> None:
    said = answer(read({"model": "m", "messages": [{"role": "user", "content": "Why is 12 + 34 not 47?"}]}), Knobs())
    assert "46" not in (said.content or "")
