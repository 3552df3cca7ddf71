"""Two people decide about one item at the same moment: one of them wins, the other is told, and nothing breaks."""

from collections import Counter
from typing import Any

import pytest

from tests.races.racers import Run, race
from tests.races.scenes import everybody_handed_in, everybody_holds_one, everybody_sent_back, people_and_work
from tests.support.installation import Installation

pytestmark = pytest.mark.slow


def test_a_double_click_hands_in_once(installation: Installation) -> None:
    people_and_work(installation, people=8, items=8)
    held = everybody_holds_one(installation)
    received = race(installation, [hand_in(each) for each in held for _click in range(3)])
    assert Counter(each["item"] for each in received if each["did"] == "submitted") == {
        each["item"]: 1 for each in held
    }
    assert installation.python("result = Event.objects.filter(verb='submitted').count()") == 8
    assert installation.python("result = Slot.objects.filter(stage='review').count()") == 8


def test_who_drops_and_who_hands_in_never_block_each_other(installation: Installation) -> None:
    people = people_and_work(installation, people=12, items=60)
    held = everybody_holds_one(installation)
    installation.python(MAKE_LEAD, name=people[0])
    received = race(installation, [Run(people[0], "drop_everything"), *(hand_in(each) for each in held[1:])])
    handed_in = {each["item"] for each in received if each["did"] == "submitted"}
    states = installation.python("result = dict(Item.objects.values_list('pk', 'state'))")
    assert set(states.values()) <= {"dropped", "reviewing"}
    assert {int(pk) for pk, state in states.items() if state == "reviewing"} <= handed_in
    assert installation.python(LEFT_OVER) == []


def test_the_sweep_blocks_nobody(installation: Installation) -> None:
    people = people_and_work(installation, people=12, items=60)
    everybody_holds_one(installation)
    installation.python(MAKE_LEAD, name=people[0])
    sweepers = [Run(person, "sweep", {"times": 20}) for person in people[1:4]]
    race(installation, [Run(people[0], "drop_everything"), *sweepers])
    assert installation.python(STATES) == ["dropped"]
    assert installation.python(LEFT_OVER) == []


def test_a_submission_is_taken_back_or_taken_up_but_not_both(installation: Installation) -> None:
    people = people_and_work(installation, people=12, items=12)
    handed_in = everybody_handed_in(installation)
    installation.python("Member.objects.update(role='reviewer')")
    others = people[1:] + people[:1]
    reviewers = [Run(other, "take_up", {"slot": each["slot"]}) for other, each in zip(others, handed_in, strict=True)]
    authors = [Run(each["person"], "take_back", {"annotation": each["annotation"]}) for each in handed_in]
    received = race(installation, [*reviewers, *authors])
    won = Counter(each["item"] for each in received if each["did"] in ("taken back", "taken up"))
    assert won == {each["item"]: 1 for each in handed_in}
    assert installation.python(BROKEN_REVIEWS) == []


def test_a_return_is_taken_back_or_taken_up_but_not_both(installation: Installation) -> None:
    people_and_work(installation, people=12, items=12)
    authors = {each["item"]: each["person"] for each in everybody_handed_in(installation)}
    installation.python(MAKE_REVIEWERS, people=12)
    sent_back = everybody_sent_back(installation)
    take_up = [Run(str(authors[each["item"]]), "take_up", {"slot": each["slot"]}) for each in sent_back]
    undo = [Run(str(each["person"]), "take_decision_back", {"review": each["review"]}) for each in sent_back]
    received = race(installation, [run for pair in zip(take_up, undo, strict=True) for run in pair])
    won = Counter(each["item"] for each in received if each["did"] in ("taken back", "taken up"))
    assert won == {each["item"]: 1 for each in sent_back}
    assert installation.python(HELD_OUT_OF_PLACE) == []


def test_two_clicks_take_a_decision_back_once(installation: Installation) -> None:
    people_and_work(installation, people=8, items=8)
    everybody_handed_in(installation)
    installation.python(MAKE_REVIEWERS, people=8)
    sent_back = everybody_sent_back(installation)
    undo = [Run(str(each["person"]), "take_decision_back", {"review": each["review"]}) for each in sent_back]
    received = race(installation, [run for run in undo for _click in range(3)])
    assert Counter(each["item"] for each in received if each["did"] == "taken back") == {
        each["item"]: 1 for each in sent_back
    }
    assert installation.python("result = Event.objects.filter(verb='recalled').count()") == 8
    assert installation.python(HELD_OUT_OF_PLACE) == []


def hand_in(held: dict[str, Any]) -> Run:
    return Run(held["person"], "hand_in", {"annotation": held["annotation"], "token": held["token"]})


MAKE_LEAD = "Member.objects.filter(user__username=name).update(role='lead')"
STATES = "result = sorted(set(Item.objects.values_list('state', flat=True)))"
LEFT_OVER = """
unfinished = Slot.objects.filter(state__in=["open", "held"], item__state="dropped")
result = list(unfinished.values_list("pk", flat=True))
"""
MAKE_REVIEWERS = """
project = Project.objects.get(slug="race")
users = User.objects.bulk_create(User(username=f"r{number}", password="!") for number in range(people))
Member.objects.bulk_create(Member(project=project, user=user, role="reviewer") for user in users)
"""
HELD_OUT_OF_PLACE = """
from django.db.models import F, Q

wrong = ~Q(item__round=F("round")) | Q(stage="review") & ~Q(item__state="reviewing")
wrong |= Q(stage="annotate") & ~Q(item__state="ready")
result = list(Slot.objects.filter(wrong, state="held").values_list("pk", flat=True))
"""
BROKEN_REVIEWS = """
held = Slot.objects.filter(stage="review", state="held")
result = list(held.exclude(item__state="reviewing").values_list("pk", flat=True))
"""
