from typing import Any

import pytest

from annotate.items import queue
from annotate.models import Member
from annotate.people.members import save_member
from annotate.people.pages import effects
from tests.support.checks import asking
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


def told(member: Member, **values: Any) -> list[str]:
    member = Member.objects.select_related("project", "user").get(pk=member.pk)
    return [f"{effect.text} {effect.listed}".strip() for effect in effects(member, values)]


def test_limits_say_how_many_items_are_left() -> None:
    project = make_project()
    ada = make_member(project)
    make_item(project, language="en")
    make_item(project, language="zh")
    assert told(ada, languages=["zh"]) == ["Items in the queue that can go to them: 1 (instead of: 2)."]
    assert told(ada, groups=["Codign"]) == [
        "No item has one of these groups: Codign",
        "Items in the queue that can go to them: 0 (instead of: 2).",
    ]
    assert told(ada, languages=[]) == []


def test_work_that_a_new_role_does_not_include_goes_back() -> None:
    project = make_project()
    ada = make_member(project)
    item = make_item(project)
    queue.claim(item.slots.get().pk, Member.objects.select_related("project", "user").get(pk=ada.pk))
    assert told(ada, role="viewer") == ["1 item goes back into the queue; the draft stays theirs."]
    assert told(ada, role="reviewer") == ["Nothing changes for what this person has in hand or has submitted."]


def test_a_limit_that_is_reached_is_said() -> None:
    ada = make_member(make_project())
    assert told(ada, daily_limit=0)[0].startswith("They have reached this limit already")
    assert told(ada, daily_limit=5) == ["Nothing changes for what this person has in hand or has submitted."]


def test_two_leads_change_different_limits() -> None:
    project = make_project()
    ada, lead = make_member(project), make_member(project, "lead")
    opened = {"role": "annotator", "daily_limit": None}
    save_member(ada, by=lead.user, opened=opened, entered=opened | {"role": "reviewer"})
    kept = save_member(ada, by=lead.user, opened=opened, entered=opened | {"daily_limit": 3})
    assert kept == ["role"]
    stored = Member.objects.get(pk=ada.pk)
    assert (stored.role, stored.daily_limit) == ("reviewer", 3)


def test_a_lead_who_becomes_an_annotator_has_to_pass_the_calibration_first() -> None:
    project = asking(calibration_each=1)
    make_member(project, "lead")
    words = "This person will be paused until they pass the calibration."
    lead = make_member(project, "lead")
    assert words in told(lead, role="annotator")
    assert words not in told(lead, role="viewer")
    assert words not in told(make_member(project), daily_limit=5)
    assert words in told(make_member(project, "viewer"), role="annotator")
    assert words not in told(make_member(project, "reviewer"), role="annotator")
