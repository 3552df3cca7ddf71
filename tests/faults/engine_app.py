"""The worker as `make run` starts it, knowing the small purpose, with leases so short that a test can wait for them.

celery -A tests.faults.engine_app worker     ·     celery -A tests.faults.engine_app beat
python -m tests.faults.engine_app            works at what is to be done, without Celery, until it is ended
"""

import time
from datetime import timedelta
from typing import Any

import django

from config.celery import app

django.setup()

from annotate import purposes  # noqa: E402
from annotate.llm import claims, ledger, limits, stopping  # noqa: E402
from annotate.models import Pass  # noqa: E402
from annotate.services import runs  # noqa: E402
from annotate.services.runs import passes, planning, working  # noqa: E402
from tests.support.small_purpose import Words  # noqa: E402

known = {**purposes.purposes(), Words.slug: Words()}
purposes.purposes = lambda: known  # type: ignore[assignment]
limits.LEASE, limits.RENEWED = timedelta(seconds=3), 0.5
ledger.LEASE = claims.LEASE = timedelta(seconds=8)
ledger.EXTENDED = 1.0
working.SLICE = 10.0
passes.LEASE, planning.CHUNK = timedelta(seconds=3), 50
keep = passes.keep


def keep_slowly(one: Pass, **columns: Any) -> None:
    """A planner takes so long that a test can kill it."""
    time.sleep(0.05)
    keep(one, **columns)


passes.keep = keep_slowly
app.conf.beat_schedule = {"reconcile": {"task": "annotate.tasks.reconcile", "schedule": 1.0}}

if __name__ == "__main__":
    with stopping.on_sigterm():
        while not stopping.has_begun():
            runs.tidy_up()
            for pk in runs.Run.objects.running().values_list("pk", flat=True):  # type: ignore[attr-defined]
                runs.drain(pk)
            time.sleep(0.05)
