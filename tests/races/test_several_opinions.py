"""Several people about one item at once: all who are to decide do, nobody twice, and nobody about their own work."""

from typing import Any

import pytest

from tests.races.racers import Run, everybody, race
from tests.races.scenes import people_and_work
from tests.support.installation import Installation

pytestmark = pytest.mark.slow


def worked_off(installation: Installation, people: list[str]) -> list[dict[str, Any]]:
    """What everybody received until every item was decided."""
    received: list[dict[str, Any]] = []
    while True:
        installation.python(
            "from django.utils import timezone\nSlot.objects.update(opens_at=timezone.now())\nresult = 0"
        )
        more = race(installation, everybody(people, "decide_everything"))
        received += more
        if not more:
            return received


@pytest.mark.parametrize("project", [{"overlap": 3, "reviews": 0}, {"reviews": 2}], ids=["overlap", "double review"])
def test_nobody_has_two_parts_in_an_item_and_all_is_decided(
    installation: Installation, project: dict[str, int]
) -> None:
    people = people_and_work(installation, people=8, items=60, role="reviewer", **project)
    received = worked_off(installation, people)
    assert installation.python(UNDECIDED) == []
    assert any(step["stage"] == "adjudicate" for step in received), "nobody disagreed: the race shows nothing"
    assert len({step["slot"] for step in received}) == len(received)
    assert own_parts(received) == []
    assert installation.python(MOVED_EARLY) == []


def own_parts(received: list[dict[str, Any]]) -> list[Any]:
    """Whoever decided about an item on which they had written, or adjudicated what they had decided in that round."""
    by_person: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for step in received:
        by_person.setdefault((step["person"], step["item"]), []).append(step)
    wrong = []
    for who, steps in by_person.items():
        rounds = [step["round"] for step in steps]
        wrote = [step["round"] for step in steps if step["stage"] == "annotate"]
        decided = [step["round"] for step in steps if step["stage"] != "annotate"]
        if len(set(rounds)) < len(rounds) or any(one <= other for one in wrote for other in decided):
            wrong.append((who, steps))
    return wrong


def test_the_last_two_hand_in_at_once_and_the_item_moves_once(installation: Installation) -> None:
    people_and_work(installation, people=2, items=30, overlap=2, reviews=0)
    held = installation.python(BOTH_HOLD_ALL)
    runs = [Run(each["person"], "hand_in", {"annotation": each["annotation"], "token": each["token"]}) for each in held]
    received = race(installation, runs)
    assert [step["did"] for step in received] == ["submitted"] * 60
    assert installation.python("result = Item.objects.exclude(state='accepted').count()") == 0
    assert installation.python("result = Event.objects.filter(verb='accepted').count()") == 30


def test_one_takes_back_while_the_other_decides_and_nothing_is_settled_by_half(installation: Installation) -> None:
    people_and_work(installation, people=3, items=20, role="reviewer", reviews=2)
    pairs = installation.python(ONE_HAS_DECIDED)
    back = [Run(each["first"], "take_decision_back", {"review": each["taken_back"]}) for each in pairs]
    other = [Run(each["second"], "accept_review", {"review": each["review"], "token": each["token"]}) for each in pairs]
    received = race(installation, [run for pair in zip(back, other, strict=True) for run in pair])
    assert [step["did"] for step in received].count("accepted") == 20
    assert installation.python(SETTLED_BY_HALF) == []


def test_of_many_adjudicators_one_decides_and_once(installation: Installation) -> None:
    people_and_work(installation, people=10, items=12, role="reviewer", overlap=2, reviews=0)
    disputes = installation.python(DISPUTED)
    runs = [Run(person, "adjudicate_at_once", {"slot": slot}) for slot, people in disputes for person in people]
    received = race(installation, runs)
    assert [step["did"] for step in received].count("decided") == 12
    assert [step["did"] for step in received].count("refused") == 12
    assert installation.python("result = Item.objects.exclude(state='accepted').count()") == 0
    assert installation.python("result = Event.objects.filter(verb='accepted').count()") == 12
    assert installation.python(ADJUDICATED_BY_A_WRITER) == []


def test_of_many_second_reviewers_one_reviews(installation: Installation) -> None:
    people_and_work(installation, people=8, items=20, role="reviewer", reviews=2)
    seconds = installation.python(SECONDS)
    runs = [Run(person, "review_at_once", {"slot": slot}) for slot, people in seconds for person in people]
    received = race(installation, runs)
    assert [step["did"] for step in received].count("decided") == 20
    assert installation.python("result = Item.objects.exclude(state='accepted').count()") == 0
    assert installation.python(REVIEWED_TWICE) == []


# Two write differently about each item; then all others, and the two, come to decide.
DISPUTED = """
from django.utils import timezone
from annotate.items import drafts, queue
from annotate.work import submit

members = list(Member.objects.select_related("project", "user").order_by("id"))
for slot in Slot.objects.filter(stage="annotate").select_related("item").order_by("id"):
    member = members[slot.no - 1]
    held = queue.claim(slot.pk, member)
    text = drafts.open_draft(held, author=member.user, item=slot.item, project=member.project)
    said = {**text.draft, "error_type": [["Logical Error"], ["Factual Error"]][slot.no - 1]}
    drafts.save(text, said, revision=text.revision, decided=[])
    text.refresh_from_db()
    submit.submit(annotation=text, token=held.token, by=member.user)
Slot.objects.filter(stage="adjudicate").update(opens_at=timezone.now())
names = [member.user.username for member in members]
result = [[pk, names] for pk in Slot.objects.filter(stage="adjudicate").order_by("id").values_list("pk", flat=True)]
"""
ADJUDICATED_BY_A_WRITER = """
from django.db.models import F

decided = Slot.objects.filter(stage="adjudicate", holder=F("item__slots__holder"), item__slots__stage="annotate")
result = list(decided.values_list("item", flat=True))
"""
# One has written, one has reviewed; then everybody, these two among them, comes for the second review.
SECONDS = """
from django.utils import timezone
from annotate.items import drafts, queue
from annotate.review import decisions
from annotate.work import submit

members = list(Member.objects.select_related("project", "user").order_by("id"))

def begun(member, slot):
    held = queue.claim(slot.pk, member)
    return drafts.open_draft(held, author=member.user, item=slot.item, project=member.project), held.token

result = []
for slot in Slot.objects.filter(stage="annotate").select_related("item").order_by("id"):
    text, token = begun(members[0], slot)
    submit.submit(annotation=text, token=token, by=members[0].user)
    Slot.objects.filter(item=slot.item).update(opens_at=timezone.now())
    one, two = Slot.objects.filter(item=slot.item, stage="review").select_related("item", "about").order_by("no")
    review, token = begun(members[1], one)
    decisions.accept(review=review, token=token, by=members[1].user)
    result.append([two.pk, [member.user.username for member in members]])
"""
REVIEWED_TWICE = """
from django.db.models import Count

twice = Slot.objects.values("item", "round", "holder").annotate(n=Count("id")).filter(n__gt=1)
result = list(twice.values_list("item", flat=True))
"""
ONE_HAS_DECIDED = """
from django.utils import timezone
from annotate.items import drafts, queue
from annotate.review import decisions
from annotate.work import submit

writer, first, second = Member.objects.select_related("project", "user").order_by("id")

def begun(member, slot):
    held = queue.claim(slot.pk, member)
    return drafts.open_draft(held, author=member.user, item=slot.item, project=member.project), held.token

result = []
for slot in Slot.objects.filter(stage="annotate").select_related("item").order_by("id"):
    text, token = begun(writer, slot)
    submit.submit(annotation=text, token=token, by=writer.user)
    Slot.objects.filter(item=slot.item).update(opens_at=timezone.now())
    one, two = Slot.objects.filter(item=slot.item, stage="review").select_related("item", "about").order_by("no")
    mine, token = begun(first, one)
    decisions.accept(review=mine, token=token, by=first.user)
    review, token = begun(second, two)
    result.append({"first": first.user.username, "second": second.user.username, "taken_back": mine.pk,
                   "review": review.pk, "token": token})
"""
SETTLED_BY_HALF = """
wrong = Slot.objects.filter(stage="review", state="held").exclude(item__state="reviewing")
done = Item.objects.filter(state="reviewing").exclude(slots__stage="review", slots__state="held")
result = [*wrong.values_list("item", flat=True), *done.values_list("pk", flat=True)]
"""
UNDECIDED = "result = list(Item.objects.exclude(state__in=['accepted', 'dropped']).values_list('key', 'state'))"
MOVED_EARLY = """
from django.db.models import F

late = Slot.objects.filter(state__in=["open", "held"], item__state__in=["accepted", "adjudicating"])
result = list(late.exclude(stage="adjudicate").filter(round=F("item__round")).values_list("pk", flat=True))
"""
BOTH_HOLD_ALL = """
from annotate.items import drafts, queue

result = []
members = list(Member.objects.select_related("project", "user").order_by("id"))
for item in Item.objects.order_by("id"):
    for member, slot in zip(members, Slot.objects.filter(item=item).order_by("no"), strict=True):
        held = queue.claim(slot.pk, member)
        mine = drafts.open_draft(held, author=member.user, item=item, project=member.project)
        result.append({"person": member.user.username, "annotation": mine.pk, "token": held.token})
"""
