"""Calibrations and checks with several windows a person, several workers, on both databases."""

from collections import Counter
from typing import Any

import pytest

from tests.races.racers import everybody, race
from tests.races.scenes import people_and_work
from tests.support.installation import Installation
from tests.support.reviews import FACTS, SUGGESTED

pytestmark = pytest.mark.slow

ASK = """
from decimal import Decimal
from django.utils import timezone

project = Project.objects.get(slug="race")
Readiness.objects.create(project=project, **{name: Decimal(value) for name, value in asked.items()})
for purpose, count in counts.items():
    for number in range(count):
        item = Item.objects.create(project=project, key=f"{purpose}-{number}", title="t", facts=facts, purpose=purpose,
                                   state="accepted", content_hash=f"{purpose}-{number}", group=f"g{number % 2}")
        Annotation.objects.create(item=item, model="drafter", draft=suggestion, submitted_at=timezone.now())
        item.base = Annotation.objects.create(item=item, rater="import", draft=suggestion, outcome="accepted",
                                              submitted_at=timezone.now())
        item.save()
"""
PLACES = """
places = Slot.objects.filter(own=True).order_by("id")
result = [[one.reserved_for.username, one.item.purpose, one.item_id, one.round, one.state]
          for one in places.select_related("reserved_for", "item")]
"""
WORK = """
slots = Slot.objects.filter(item__purpose="work", stage="annotate")
result = {"slots": slots.count(), "done": slots.filter(state="submitted").count(),
          "states": list(Item.objects.exclude(purpose="work").values_list("state", flat=True).distinct())}
"""


def asked(installation: Installation, counts: dict[str, int], **of_people: Any) -> None:
    installation.python(ASK, asked=of_people, counts=counts, facts=FACTS, suggestion=SUGGESTED)


def test_two_windows_open_one_attempt_and_everybody_gets_in(installation: Installation) -> None:
    people = people_and_work(installation, people=8, items=8)
    asked(installation, {"calibration": 6}, calibration_each="2")
    received = race(installation, everybody(people * 2, "take_and_hand_in"))
    places = installation.python(PLACES)
    # two items of each of two groups for each of eight people, each handed in once, in one attempt
    assert len(places) == 8 * 4
    assert {(round_, state) for _who, _purpose, _item, round_, state in places} == {(1, "submitted")}
    assert max(Counter((who, item) for who, _purpose, item, _round, _state in places).values()) == 1
    assert installation.python("result = Member.objects.filter(calibrated_at=None).count()") == 0
    done = [(step["person"], step["item"]) for step in received if step["did"] == "submitted"]
    assert len(done) == len(set(done))


def test_checks_take_the_place_of_no_work_for_good(installation: Installation) -> None:
    people = people_and_work(installation, people=8, items=80)
    asked(installation, {"gold": 4, "attention": 2}, check_share="0.5")
    received = race(installation, everybody(people * 2, "take_and_hand_in"))
    found = installation.python(WORK)
    assert found == {"slots": 80, "done": 80, "states": ["accepted"]}
    places = installation.python(PLACES)
    assert len(places) > 8
    assert {state for *_rest, state in places} == {"submitted"}
    assert max(Counter((who, item) for who, _purpose, item, _round, _state in places).values()) == 1
    done = [(step["person"], step["item"]) for step in received if step["did"] == "submitted"]
    assert len(done) == len(set(done)) == 80 + len(places)


def test_checks_stay_right_while_a_lead_empties_the_project(installation: Installation) -> None:
    people = people_and_work(installation, people=6, items=120)
    asked(installation, {"gold": 6}, check_share="0.5")
    lead = "result = Member.objects.filter(user__username='p0').update(role='lead')"
    installation.python(lead)
    race(installation, [*everybody(people[1:] * 2, "take_and_hand_in"), *everybody(people[:1], "drop_everything")])
    left = "result = Slot.objects.filter(state__in=['open', 'held'], item__state='dropped').count()"
    assert installation.python(left) == 0


def test_somebody_far_below_the_floor_is_paused_once(installation: Installation) -> None:
    people = people_and_work(installation, people=2, items=60)
    asked(installation, {"gold": 12}, check_share="1", window="2", floor="1")
    installation.python("Member.objects.filter(user__username='p0').update(role='lead')")
    race(installation, everybody(people[1:] * 4, "take_and_hand_in", error=1))
    assert installation.python("result = Member.objects.exclude(paused_at=None).count()") == 1
    assert installation.python("result = Notification.objects.filter(verb='paused', user__username='p0').count()") == 1
