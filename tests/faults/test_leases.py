"""Leases that run out, answers that get lost, clicks that come twice: nothing is taken twice, and no word is lost."""

import asyncio
from typing import Any

import pytest

from tests.faults.people import do, expire_leases, open_next, visitors
from tests.support.installation import Installation
from tests.support.samples import written
from tests.support.visitors import Answer, Visitor

pytestmark = pytest.mark.slow


def handed_in(installation: Installation) -> list[str]:
    return installation.python(HANDED_IN)


async def submitted(visitor: Visitor, slot: str, page: Answer, text: str) -> Answer:
    return await visitor.post(f"{slot}submit/", **written(text, page))


@pytest.mark.quick
def test_a_late_submission_is_refused_and_its_text_is_a_draft(live_installation: Installation) -> None:
    late, other = visitors(live_installation, people=2, items=1)

    async def story() -> tuple[Answer, Answer, Answer]:
        slot, page = await open_next(late)
        expire_leases(live_installation)
        same, others_page = await open_next(other)
        assert same == slot
        refused = await submitted(late, slot, page, "Written too late.")
        accepted = await submitted(other, slot, others_page, "Written in time.")
        return refused, accepted, await late.get("/p/race/drafts/")

    refused, accepted, drafts = do(story())
    assert (refused.status, accepted.status) == (409, 302)
    assert handed_in(live_installation) == ["Written in time."]
    assert "Written too late." in drafts.body.decode()


def test_a_text_of_an_expired_lease_is_accepted_while_nobody_else_has_the_item_again(
    live_installation: Installation,
) -> None:
    """The late one is told, takes the item up again, and goes on with the text as it was."""
    (late,) = visitors(live_installation, people=1, items=1)

    async def story() -> Answer:
        slot, page = await open_next(late)
        expire_leases(live_installation)
        refused = await submitted(late, slot, page, "Written too late.")
        assert refused.status == 409
        slot, page = await open_next(late)
        assert "Written too late." in page.body.decode()
        return await submitted(late, slot, page, "Written too late.")

    assert do(story()).status == 302
    assert handed_in(live_installation) == ["Written too late."]


def test_a_double_click_hands_in_once_and_both_clicks_go_on(live_installation: Installation) -> None:
    (one,) = visitors(live_installation, people=1, items=3)
    tab = Visitor(one.host, one.port, dict(one.cookies))

    async def story() -> list[Answer]:
        slot, page = await open_next(one)
        return await asyncio.gather(*(submitted(each, slot, page, "Clicked twice.") for each in (one, tab)))

    answers = do(story())
    assert handed_in(live_installation) == ["Clicked twice."]
    assert {answer.status for answer in answers} <= {302, 409}
    assert 302 in {answer.status for answer in answers}


def test_a_request_that_is_sent_again_after_a_lost_answer_goes_on(live_installation: Installation) -> None:
    (one,) = visitors(live_installation, people=1, items=3)

    async def story() -> list[Answer]:
        slot, page = await open_next(one)
        return [await submitted(one, slot, page, "Sent again.") for _attempt in range(3)]

    assert [answer.status for answer in do(story())] == [302, 302, 302]
    assert handed_in(live_installation) == ["Sent again."]


def test_pressing_next_twice_never_costs_somebody_else_an_item(live_installation: Installation) -> None:
    """Two tabs that ask at once may both get an item; both are handed out again to the same person, one by one."""
    (one,) = visitors(live_installation, people=1, items=2)
    tab = Visitor(one.host, one.port, dict(one.cookies))

    async def story() -> None:
        await asyncio.gather(*(open_next(each) for each in (one, tab)))
        for _item in range(2):
            slot, page = await open_next(one)
            assert (await submitted(one, slot, page, f"About {slot}.")).status == 302

    do(story())
    assert len(handed_in(live_installation)) == 2


def test_clients_that_are_gone_leave_nothing_behind(live_installation: Installation) -> None:
    everybody = visitors(live_installation, people=8, items=8)

    async def leave() -> list[str]:
        opened = [await open_next(each) for each in everybody]
        for each in everybody:
            await each.leave()
        return [slot for slot, _page in opened]

    assert len(set(do(leave()))) == 8
    assert live_installation.python("result = Slot.objects.filter(state='open').count()") == 0
    assert expire_leases(live_installation) == 8

    async def take_over() -> set[str]:
        taken = set()
        for _item in range(8):
            slot, page = await open_next(everybody[0])
            assert (await submitted(everybody[0], slot, page, "Taken over.")).status == 302
            taken.add(slot)
        return taken

    assert len(do(take_over())) == 8


def test_a_heartbeat_keeps_a_lease_and_says_when_it_is_lost(live_installation: Installation) -> None:
    (one,) = visitors(live_installation, people=1, items=1)

    async def beat(slot: str, page: Answer) -> Answer:
        return await one.post(f"{slot}heartbeat/", token=page.hidden("token"))

    async def story() -> tuple[int, Any, int]:
        slot, page = await open_next(one)
        live_installation.python(NEARLY_OVER)
        kept = await beat(slot, page)
        left = live_installation.python(LASTS)
        expire_leases(live_installation)
        return kept.status, left, (await beat(slot, page)).status

    assert do(story()) == (200, True, 409)


HANDED_IN = """
texts = Annotation.objects.filter(author__isnull=False, submitted_at__isnull=False).values_list("draft", flat=True)
result = [draft["feedback"] for draft in texts]
"""
NEARLY_OVER = """
from datetime import timedelta
from django.utils import timezone
Slot.objects.filter(state="held").update(lease_until=timezone.now() + timedelta(minutes=1))
"""
LASTS = """
from datetime import timedelta
from django.utils import timezone
result = Slot.objects.get(state="held").lease_until > timezone.now() + timedelta(minutes=20)
"""
