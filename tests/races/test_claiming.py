"""Nobody gets what somebody else has. Compared is what people received: a count in the rows would lie together with
a lost update."""

from collections import Counter, defaultdict

import pytest

from tests.races.holding import Received, overlapping
from tests.races.racers import everybody, race
from tests.races.scenes import people_and_work
from tests.support.installation import Installation

pytestmark = pytest.mark.slow


def own_work_reviewed(received: Received) -> Received:
    """Reviews by somebody whose text of this item was handed in before: written in this round, or fixed in an older."""
    wrote: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for step in received:
        if step["wrote"]:
            wrote[step["person"], step["item"]].append((step["round"], step["stage"]))
    reviews = [step for step in received if step["stage"] == "review"]
    return [step for step in reviews if any(w < (step["round"], "review") for w in wrote[step["person"], step["item"]])]


def test_every_slot_is_handed_out_once(installation: Installation) -> None:
    people = people_and_work(installation, people=20, items=400)
    received = race(installation, everybody(people, "claim_and_finish", stage="annotate"))
    assert (len(received), len({hold["slot"] for hold in received})) == (400, 400)


def test_a_slot_has_one_holder_at_a_time(installation: Installation) -> None:
    people = people_and_work(installation, people=20, items=24)
    received = race(installation, everybody(people, "claim_and_release", stage="annotate", times=60))
    assert len(received) > 1000
    assert overlapping(received) == []


def test_nobody_gets_two_slots_of_one_item(installation: Installation) -> None:
    people = people_and_work(installation, people=8, items=120, overlap=2, reviews=0)
    received = race(installation, everybody(people, "claim_and_finish", stage="annotate"))
    assert len(received) == 240
    assert max(Counter((hold["person"], hold["item"]) for hold in received).values()) == 1


def test_three_people_for_three_slots_get_one_each(installation: Installation) -> None:
    people = people_and_work(installation, people=3, items=60, overlap=3, reviews=0)
    received = race(installation, everybody(people, "claim_and_finish", stage="annotate"))
    assert Counter(hold["person"] for hold in received) == dict.fromkeys(people, 60)


def test_nobody_reviews_what_they_wrote_and_all_is_decided_in_the_end(installation: Installation) -> None:
    people = people_and_work(installation, people=8, items=120, role="reviewer", reviews=1)
    received = race(installation, everybody(people, "work"))
    while opened := installation.python(OPEN_REVIEWS_NOW):
        more = race(installation, everybody(people, "work"))
        assert len(more) >= opened, "there is work that nobody gets"
        received += more
    assert len([step for step in received if step["stage"] == "review"]) > 120
    assert own_work_reviewed(received) == []
    assert installation.python("result = Item.objects.exclude(state='accepted').count()") == 0


DOCUMENTS = """
from tests.support.people import make_member
from tests.support.units import documents, sentences

made = documents(overlap=2)
sentences(made, *[f"d{n % 20}" for n in range(100)], *[""] * 20)
result = [[make_member(made).user.username for _person in range(10)],
          {str(slot.pk): [slot.item.metadata["doc"], slot.no] for slot in Slot.objects.select_related("item")}]
"""


def test_items_that_belong_together_go_to_one_person_in_order(installation: Installation) -> None:
    """Twenty documents of five sentences whose rows are mixed, each for two people."""
    people, places = installation.python(DOCUMENTS)
    received = race(installation, everybody(people, "claim_and_finish", stage="annotate"))
    assert len({hold["slot"] for hold in received}) == len(received) == 240
    parts: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
    for hold in received:
        if places[str(hold["slot"])][0]:
            parts[tuple(places[str(hold["slot"])])].append((hold["person"], hold["item"]))
    assert [len(part) for part in parts.values()] == [5] * 40
    assert {len({person for person, _item in part}) for part in parts.values()} == {1}
    assert all(part == sorted(part) for part in parts.values())
    assert max(Counter((hold["person"], hold["item"]) for hold in received).values()) == 1


OPEN_REVIEWS_NOW = """
from django.utils import timezone
waiting = Slot.objects.filter(stage="review", state="open")
waiting.update(opens_at=timezone.now())
result = waiting.count()
"""
