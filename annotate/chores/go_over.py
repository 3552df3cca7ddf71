from django.db import InterfaceError, OperationalError

from annotate.engine.chores import Parts, chore
from annotate.models import Pass
from annotate.runs import actions, plan, reparse

WORK = {Pass.Sort.PLANNING: plan.write_jobs, Pass.Sort.REREADING: reparse.read_jobs}


def _fail(run_pass: Pass, error: Exception) -> None:
    """If the database is away, it stops only for now."""
    if isinstance(error, OperationalError | InterfaceError):
        raise error
    actions.give_up(run_pass, plan.FAULT)


@chore(plan.leases, key="passes", label="Runs planned or read again", fail=_fail, turn=3)
def go_over(run_pass: Pass) -> Parts:
    """Plan a large run, or read its replies again. A pass at which worker after worker died is given up."""
    if run_pass.attempts > plan.DEATHS:
        actions.give_up(run_pass, plan.DIED)
    else:
        yield from WORK[Pass.Sort(run_pass.sort)](run_pass)
