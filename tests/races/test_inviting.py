"""A lead is demoted at the moment in which their invitation is opened."""

import pytest

from tests.races.racers import Run, race
from tests.races.scenes import people_and_work
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = pytest.mark.slow
GUESTS = 12
INVITE = """
from annotate.people import accounts
giver, other = Member.objects.order_by("id")
made = [accounts.invite(project=giver.project, role="lead", by=giver.user) for _number in range(guests)]
result = [invitation.pk for invitation in made]
"""
HELD = """
from django.db import OperationalError, connection, transaction
from threading import Thread
from annotate.people import accounts

giver = Member.objects.order_by("id").first()
invitation = accounts.invite(project=giver.project, role="lead", by=giver.user)
refused = []

def change(model, pk):
    try:
        with transaction.atomic():
            list(model.objects.select_for_update(nowait=True, no_key=True).filter(pk=pk))
    except OperationalError:
        refused.append(model.__name__)
    finally:
        connection.close()

with transaction.atomic():
    accounts.accept(invitation, user=User.objects.create(username="guest"))
    for model, pk in ((Member, giver.pk), (User, giver.user_id)):
        thread = Thread(target=change, args=(model, pk))
        thread.start()
        thread.join()
result = refused
"""


def test_nobody_joins_by_somebody_who_does_not_lead_any_more(installation: Installation) -> None:
    giver, other = people_and_work(installation, people=2, items=0, role="lead")
    ids = installation.python(INVITE, guests=GUESTS)
    joins = [Run(other, "join_as_guest", {"invitation": pk, "guest": f"guest-{pk}"}) for pk in ids]
    demotion = Run(other, "demote", {"username": giver})
    received = race(installation, [*joins[: GUESTS // 2], demotion, *joins[GUESTS // 2 :]])
    joined = [each for each in received if each["did"] == "joined"]
    assert {each["giver"] for each in joined} <= {"lead"}
    assert len(received) == GUESTS + 1
    assert installation.python("result = Member.objects.filter(user__username__startswith='guest').count()") == len(
        joined
    )


def test_who_gives_is_held_until_the_guest_is_in(installations: Installations) -> None:
    """On SQLite there is one writer at a time anyway."""
    with installations.migrated("postgres") as installation:
        people_and_work(installation, people=2, items=0, role="lead")
        assert installation.python(HELD) == ["Member", "User"]
