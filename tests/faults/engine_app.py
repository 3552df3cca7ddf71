"""The worker as `make run` starts it, knowing the small purpose, with leases so short that a test can wait for them.

celery -A tests.faults.engine_app worker     ·     celery -A tests.faults.engine_app beat
python -m tests.faults.engine_app            works at what is to be done, without Celery, until it is ended
"""

import os
import time
from datetime import timedelta
from typing import Any

import django

from config.celery import app

django.setup()

from django.db import connection  # noqa: E402

from annotate.engine import concurrency, jobs, ledger, limits, purposes  # noqa: E402
from annotate.models import Pass, Run  # noqa: E402
from annotate.runs import execution, plan  # noqa: E402
from tests.support.small_purpose import Words  # noqa: E402

known = {**purposes.purposes(), Words.slug: Words()}
purposes.purposes = lambda: known  # type: ignore[assignment]
limits.LEASE, limits.RENEWED = timedelta(seconds=3), 0.5
ledger.LEASE = jobs.LEASE = timedelta(seconds=8)
ledger.EXTENDED = 1.0
execution.SLICE = 10.0
concurrency.GRACE = float(os.environ.get("GRACE", concurrency.GRACE))
plan.leases.length, plan.CHUNK = timedelta(seconds=3), 50
if connection.vendor == "postgresql":
    # Seconds until a worker notices that PostgreSQL has been stopped; an installation waits four times as long.
    connection.settings_dict["OPTIONS"]["pool"]["timeout"] = 5
keep = plan.leases.keep


def keep_slowly(one: Pass, **columns: Any) -> None:
    """A planner takes so long that a test can kill it."""
    time.sleep(0.05)
    keep(one, **columns)


plan.leases.keep = keep_slowly  # type: ignore[method-assign]
app.conf.beat_schedule = {"reconcile": {"task": "annotate.tasks.reconcile", "schedule": 1.0}}

if __name__ == "__main__":
    with concurrency.on_sigterm():
        while not concurrency.has_begun():
            execution.tidy_up()
            for pk in Run.objects.running().values_list("pk", flat=True):
                execution.drain(pk)
            time.sleep(0.05)
