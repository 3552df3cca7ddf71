import pytest

from annotate.items import leases, queue
from annotate.web.access import worked_on
from tests.support.people import make_item, make_member, make_project, written

pytestmark = pytest.mark.django_db


def test_a_person_has_worked_on_what_they_held_or_wrote_and_on_nothing_else() -> None:
    project = make_project()
    held, freed, untouched = (make_item(project) for _number in range(3))
    member = make_member(project)
    queue.claim(held.slots.get().pk, member)
    slot = queue.claim(freed.slots.get().pk, member)
    written(slot, member)
    leases.release(slot, slot.token)
    assert [worked_on(item, member.user) for item in (held, freed, untouched)] == [True, True, False]
