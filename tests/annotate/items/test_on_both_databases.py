"""What the queue reads in the order of times that may be missing, which SQLite sorts last and PostgreSQL first."""

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow
VOTES = """
from annotate.items import queue
from annotate.models import Slot
from annotate.work import submit
from tests.support.people import make_item, make_member, make_project, written
from tests.support.studies import prefers, vote

pair = {"prompt": "How many legs has a spider?", "first": "Eight.", "second": "Six."}
project = make_project(kind_slug="preference", overlap=1, reviews=0, options={"apart": 2})
member = make_member(project)
items = []
for _number in range(2):
    items.append(make_item(project, facts=pair))
    vote(member, prefers("first"))
make_item(project, facts=pair)
slot = queue.claim_next(member, "annotate")
draft = written(slot, member, prefers("first"))
repetition = Slot.objects.filter(item=make_item(project, facts=pair, parent=items[0]))
result = [queue.within_reach(member, repetition).exists()]
submit.submit(annotation=draft, token=slot.token, by=member.user)
result.append(queue.within_reach(member, repetition).exists())
"""


def test_a_draft_is_no_answer_that_brings_a_repetition_nearer(installations: Installations, database: str) -> None:
    """Two answers must follow the first one; one was handed in, the other is a draft at first."""
    with installations.migrated(database) as installation:
        assert installation.python(VOTES) == [False, True]
