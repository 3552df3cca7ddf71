"""The background jobs of judging; see annotate/engine/chores.py."""

from annotate.engine.chores import Parts, chore
from judging.boards import computations
from judging.models import BoardComputation


def _fail(computation: BoardComputation, _error: Exception) -> None:
    """Any error would recur at every attempt; a reader can let the figures be computed again."""
    computations.fail(computation)


@chore(computations.leases, key="boards", label="Boards computed", fail=_fail, turn=7)
def compute_board(computation: BoardComputation) -> Parts:
    """Compute the figures of a board that are too slow for a page."""
    yield from computations.parts(computation)
