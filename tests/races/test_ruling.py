"""Two leads rule on one question at the same moment: one ruling stands, the others are told what it is."""

import pytest

from tests.races.racers import Run, race
from tests.races.scenes import people_and_work
from tests.support.installation import Installation

pytestmark = pytest.mark.slow
LEADS, QUESTIONS = 8, 6


def test_one_of_two_rulings_stands_and_the_other_is_told(installation: Installation) -> None:
    people = people_and_work(installation, people=LEADS, items=QUESTIONS, role="lead")
    questions = installation.python(ASK)
    received = race(installation, [Run(person, "rule_on_all", {"questions": questions}) for person in people])
    won = [each for each in received if each["did"] == "ruled"]
    assert sorted(each["question"] for each in won) == sorted(pk for pk, _last in questions)
    assert len(received) == LEADS * QUESTIONS
    stored = installation.python("result = dict(Precedent.objects.values_list('pk', 'ruling'))")
    assert {int(pk): ruling for pk, ruling in stored.items()} == {each["question"]: each["ruling"] for each in won}
    assert installation.python("result = PrecedentEvent.objects.filter(verb='ruled').count()") == QUESTIONS


def test_two_who_reopen_the_same_items_reopen_each_once(installation: Installation) -> None:
    people = people_and_work(installation, people=4, items=30, role="lead")
    installation.python(STALE)
    received = race(installation, [Run(person, "reopen_stale", {}) for person in people])
    assert sum(each["reopened"] for each in received) == 30
    assert installation.python("result = Event.objects.filter(verb='reopened').count()") == 30
    assert installation.python("result = Slot.objects.filter(state='open', round=2).count()") == 30
    assert installation.python("result = sorted(set(Item.objects.values_list('round', flat=True)))") == [2]


ASK = """
from annotate.guidelines.rulings import ask, last_event

asker = User.objects.first()
result = []
for item in Item.objects.select_related("project").order_by("id"):
    one = ask(item=item, field="feedback", by=asker, question=f"About {item.key}?")
    result.append([one.pk, last_event(one)])
"""
STALE = """
from django.utils import timezone

project = Project.objects.get()
Guideline.objects.create(project=project, version=1, text="Be kind.")
for item in Item.objects.order_by("id"):
    rater = Annotation.objects.create(
        item=item, rater="nina", draft={}, guideline_version=1, submitted_at=timezone.now()
    )
    Slot.objects.filter(item=item).update(state="void")
    Item.objects.filter(pk=item.pk).update(state="accepted", base=rater)
Guideline.objects.create(project=project, version=2, text="Be kinder.")
"""
