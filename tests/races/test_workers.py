"""Several workers at one run."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.slow
JOBS, WORKERS, WINDOW = 2000, 4, 16
PLAN = """
from tests.support.small_purpose import make_endpoint
project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
endpoint = make_endpoint("http://127.0.0.1:9/v1")
run = Run.objects.create(project=project, endpoint=endpoint, purpose="preannotate", state="running")
Job.objects.bulk_create(Job(run=run, subject=str(number)) for number in range(jobs))
result = run.pk
"""
CLAIM = """
from uuid import uuid4
from annotate.engine import jobs
run, worker, mine = Run.objects.get(pk=pk), uuid4(), []
while claimed := jobs.claim(run, worker, most=window, in_hand=mine):
    mine += [each.job.pk for each in claimed]
result = {"mine": mine, "left": Job.objects.filter(run=run, state="pending").count()}
"""


def test_workers_take_up_jobs_past_each_other(installation: Installation) -> None:
    """None finds nothing while jobs wait that nobody is just about to take, and none takes what another has."""
    run = installation.python(PLAN, jobs=JOBS)
    with ExitStack() as stack, ThreadPoolExecutor(WORKERS) as threads:
        workers = [Installation(installation.folder, installation.database_url) for _worker in range(WORKERS)]
        for worker in workers:
            stack.callback(worker.close)
            worker.python("result = Run.objects.count()")  # they begin together, when all have been started

        def claim(worker: Installation) -> dict[str, Any]:
            return worker.python(CLAIM, pk=run, window=WINDOW)

        found = list(threads.map(claim, workers))
    taken = [pk for each in found for pk in each["mine"]]
    assert len(taken) == len(set(taken)) == JOBS
    assert max(each["left"] for each in found) <= (WORKERS - 1) * WINDOW
