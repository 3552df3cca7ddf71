from annotate.engine.chores import Parts, chore
from annotate.guidelines import reopen
from annotate.models import Reopening

SECONDS = 25.0  # so that other jobs have their turn


@chore(reopen.leases, key="reopenings", label="Reopenings gone on with", seconds=SECONDS, turn=4)
def reopen_stale(reopening: Reopening) -> Parts:
    """Continue with items that a new version of the guidelines sends back to work."""
    yield from reopen.parts(reopening)
