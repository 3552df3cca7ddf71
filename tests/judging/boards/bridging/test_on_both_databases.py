"""Stages are told by the database from JSON: SQLite and PostgreSQL say the same."""

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.slow
STAGES = """
from tests.support.bridged import approved, branching_project, judged, judgement, judges
from judging.boards.bridging.numbers import compare_bridging
from judging.boards.bridging.stages import listed
from judging.boards.bridging.stages import progress
project = branching_project()
judgement(project)
judgement(project, proposed=True)
judgement(project, swapped="tie")
judgement(project, reference="Eight.")
judgement(project, verdict=None, swapped=None)
item = approved(judgement(project, proposed=True, judge="other"))
for judge, choice in zip(judges(project), ("first", "second")):
    judged(item, judge, choice, choice)
result = {
    "counts": {stage: count for stage, count in progress(project).counts.items() if count},
    "listed": [len(listed(project, stage=stage).rows) for stage in ("orders", "reference", "approved")],
    "others": len(listed(project, judge="other").rows),
    "gained": [len(row.items("gained")) for row in compare_bridging(project, by_set=True).rows],
}
"""


def test_stages_lists_and_gains_are_the_same(live_installation: Installation) -> None:
    told = live_installation.python(STAGES)
    counts = {"waiting": 1, "proposed": 1, "orders": 1, "reference": 1, "nothing": 1, "approved": 1}
    assert told == {"counts": counts, "listed": [1, 1, 1], "others": 1, "gained": [1]}
