"""People at work over HTTP: what they see, and what the installation then holds."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.races.scenes import people_and_work
from tests.support.installation import Installation
from tests.support.visitors import Answer, Visitor, sessions, together

Result = TypeVar("Result")


def visitors(installation: Installation, *, people: int, items: int, **project: object) -> list[Visitor]:
    """Annotators of the project `race` with browsers, signed in."""
    names = people_and_work(installation, people=people, items=items, **project)  # type: ignore[arg-type]
    return [Visitor.of(installation, key) for key in sessions(installation, names).values()]


def do(what: Coroutine[Any, Any, Result]) -> Result:
    return together(what)


async def open_next(visitor: Visitor) -> tuple[str, Answer]:
    """The address of the next item, without what stands behind the question mark, and its page."""
    address = (await visitor.post("/p/race/work/next/")).leads_to.partition("?")[0]
    return address, await visitor.get(address)


def expire_leases(installation: Installation) -> int:
    """Every lease is over, and the clock has ticked; gives how many slots are open then."""
    return installation.python(EXPIRE)


EXPIRE = """
from datetime import timedelta
from django.utils import timezone
from annotate.tasks import reconcile
Slot.objects.filter(state="held").update(lease_until=timezone.now() - timedelta(seconds=1))
reconcile()
result = Slot.objects.filter(state="open").count()
"""
