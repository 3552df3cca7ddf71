"""Judging by criteria under faults: sixty queries, two answers, five criteria, both orders; killed, taken up, drawn."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.workers import is_over, kill, simple_worker, wait_for
from tests.support.installations import Installations
from tests.support.model_server import ModelServer
from tests.support.trees import branch, tree

pytestmark = pytest.mark.slow

QUERIES, CRITERIA = 60, 5
# Of every hundred requests; whatever is answered late is left out, so that nobody has to wait.
FAULTS = {"server_error": 0.03, "unavailable": 0.01, "resets": 0.02, "html": 0.02, "prose": 0.02, "truncates": 0.01}


def rows() -> Iterator[str]:
    draft = tree(branch(1, 2, 5))
    for number in range(QUERIES):
        facts = {
            "key": f"q-{number}",
            "query": f"Why has a spider of the kind {number} eight legs, and how many eyes has it?",
            "first": f"It has six legs and {number} eyes, as all insects",
            "second": f"Spiders are arachnids: eight legs, mostly eight eyes. Kind {number} is no exception.",
            "human_label": ("second", "second", "first", "tie")[number % 4],
            "author_first": "model-a",
            "author_second": "model-b",
        }
        yield json.dumps(facts | draft) + "\n"


def requests(model_server: ModelServer) -> int:
    """Received so far; without the bodies, which would keep the model busy."""
    return int(model_server.client.get("/control/calls").json()["requests"])


def test_a_run_by_criteria_is_killed_and_taken_up_and_its_curves_cost_no_call(
    installations: Installations, model_server: ModelServer, tmp_path: Path
) -> None:
    with installations.migrated("sqlite") as installation:
        file, log = tmp_path / "rows.jsonl", installation.folder / "worker.log"
        file.write_text("".join(rows()))
        pk = installation.python(PLAN, url=model_server.base_url, file=str(file), criteria=CRITERIA)
        model_server.turn(faults=FAULTS)
        with simple_worker(installation) as worker:
            wait_for("a quarter is asked", lambda: requests(model_server) >= 300, log=log)
            kill(worker)
        assert not is_over(installation, pk)
        with simple_worker(installation):
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = installation.python(FOUND, pk=pk)
        before = requests(model_server)
        curves = installation.python(REPORT)
        assert requests(model_server) == before
    done, failed = found["states"].get("done", 0), found["states"].get("failed", 0)
    assert done + failed == QUERIES
    assert done >= QUERIES * 0.9
    assert found["causes"] <= failed, "every failure has its cause"
    assert found["verdicts"] == 2 * done
    assert found["parts"] == CRITERIA * found["read"]
    assert found["twice"] == 0, "what was answered is not asked again"
    assert found["unread"] > 20, "faults were met"
    assert [row["branches"] for row in curves["rows"]] == [1, 2, 3, 4, 5]
    assert curves["rows"][-1]["n"] + sum(curves["left_out"][0]["pairs"].values() if curves["left_out"] else ()) == done
    assert all(row["agreement"] <= row["consistency"] for row in curves["rows"])


PLAN = """
import json
from io import StringIO
from django.core.management import call_command
from tests.support.runs import make_endpoint
make_endpoint(name="sim", base_url=url, model="simulated-judge-noisy", simulated=True, max_in_flight=60)
call_command("create_project", "trees", kind="branching", stdout=StringIO())
call_command("import_items", "trees", file, "--accept", "--strict", stdout=StringIO())
out = StringIO()
asked = ("--strategy", "branching", "--endpoint", "sim", "--share-replies", "--option", f"branches={criteria}")
call_command("judge", "trees", *asked, "--json", stdout=out)
result = json.loads(out.getvalue())["run"]
"""
REPORT = """
import json
from io import StringIO
from django.core.management import call_command
out = StringIO()
call_command("report", "trees", "curves", "--json", stdout=out)
result = json.loads(out.getvalue())
"""
FOUND = """
from collections import Counter
from judging.models import Part, Verdict
jobs, calls = Job.objects.filter(run=pk), Call.objects.filter(job__run=pk)
verdicts = Verdict.objects.filter(job__run=pk)
answered = Counter(calls.filter(cause="").values_list("job", "step"))
result = {
    "states": Counter(jobs.values_list("state", flat=True)),
    "causes": jobs.filter(state="failed").exclude(cause="").count(),
    "verdicts": verdicts.count(),
    "read": verdicts.filter(reading="ok").count(),
    "parts": Part.objects.filter(verdict__job__run=pk).count(),
    "twice": sum(times > 1 for times in answered.values()),
    "unread": calls.exclude(cause="").count(),
}
"""
