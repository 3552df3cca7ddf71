"""Own questions asked of a model one by one, and the worker killed in the middle of it."""

import json
from pathlib import Path

import pytest

from tests.faults.workers import free_the_places, is_over, kill, simple_worker, wait_for
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow

ITEMS, QUESTIONS, IN_FLIGHT, ANSWERED = 20, 5, 2, 33


def test_a_run_of_one_call_per_question_goes_on_with_the_questions_that_have_no_reply(
    installations: Installations, model_server: ModelServer, tmp_path: Path
) -> None:
    with installations.migrated("sqlite") as installation:
        file, log = tmp_path / "rows.jsonl", installation.folder / "worker.log"
        file.write_text("".join(json.dumps({"key": f"k-{n}", "text": f"Text {n}"}) + "\n" for n in range(ITEMS)))
        pk = installation.python(
            PLAN, url=model_server.base_url, file=str(file), questions=QUESTIONS, in_flight=IN_FLIGHT
        )
        model_server.misbehave("never_answers", times=None, after=ANSWERED)
        with simple_worker(installation) as worker:
            wait_for("a third is answered", lambda: model_server.calls.requests > ANSWERED, log=log)
            kill(worker)
        assert not is_over(installation, pk)
        model_server.reset()
        free_the_places(installation)
        installation.python(FREE_THE_JOBS)
        with simple_worker(installation):
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = installation.python(FOUND, pk=pk)
    assert found == {"done": ITEMS, "answers": ITEMS * QUESTIONS, "twice": 0}
    left = ITEMS * QUESTIONS - ANSWERED
    assert left <= model_server.calls.requests <= left + IN_FLIGHT, "what was answered is not asked again"


PLAN = """
import json
from io import StringIO
from django.core.management import call_command
from annotate.project.actions import create_project
from tests.support.runs import make_endpoint
make_endpoint(name="sim", base_url=url, model="simulated-1", simulated=True, max_in_flight=in_flight)
asked = "".join(f"  - {{name: q{n}, type: choice, options: [good, bad]}}\\n" for n in range(questions))
create_project(slug="own", kind="form", definition="show: [{field: text}]\\nquestions:\\n" + asked)
call_command("import_items", "own", file, "--strict", stdout=StringIO())
out = StringIO()
call_command("preannotate", "own", "--endpoint", "sim", "--one-by-one", "--json", stdout=out)
result = json.loads(out.getvalue())["run"]
"""
FREE_THE_JOBS = """
from django.utils.timezone import now
result = Job.objects.filter(state="leased").update(lease_until=now())
"""
FOUND = """
from collections import Counter
drafts = Annotation.objects.filter(run=pk).values_list("draft", flat=True)
answered = Counter(Call.objects.filter(job__run=pk, cause="").values_list("job", "step"))
result = {
    "done": Job.objects.filter(run=pk, state="done").count(),
    "answers": sum(len(draft) for draft in drafts),
    "twice": sum(times > 1 for times in answered.values()),
}
"""
