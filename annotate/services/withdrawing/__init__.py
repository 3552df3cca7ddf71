"""A participant takes everything back: their cases are dropped at once, and every text about them is erased in parts.

The list of what has to be erased is written down before anything is (Erasure); whoever goes on after a worker's death
takes up what is left. Erasing the same twice changes nothing. When all is through it is done once more, SETTLES
seconds after the beginning: what was being written while the cases were dropped is found then.
"""

from collections.abc import Collection
from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.models import Erasure, Item, Participant, Withdrawal
from annotate.services import flow, leading
from annotate.services.errors import LeaseLost, WrongState
from annotate.services.leading import LeftOut
from annotate.services.withdrawing import releases, texts, traces
from annotate.services.withdrawing.hooks import keepers

TOGETHER = 5  # items in one transaction: each can have hundreds of calls
LEASE = timedelta(seconds=60)
SETTLES = timedelta(seconds=60)


def begin(participant: Participant) -> Withdrawal:
    """Take everything back, for ever. Raises WrongState if that was done already.

    From here on nobody can work on the cases, release them or ask a model about them; a worker erases the texts.
    """
    with transaction.atomic():
        standing = Participant.objects.filter(pk=participant.pk).exclude(state=Participant.State.WITHDRAWN)
        if not standing.update(state=Participant.State.WITHDRAWN, answers={}):
            raise WrongState(_("Everything was taken back already."))
        withdrawal = Withdrawal.objects.create(participant=participant)
        cases = list(participant.cases.exclude(item=None).values_list("item", flat=True))
        participant.cases.update(**texts.NO_TURNS)
        for item in family(cases):
            Erasure.objects.get_or_create(item_id=item, defaults={"withdrawal": withdrawal})
            _drop(item)
        bell.ring("erase_withdrawn", withdrawal.pk)
    participant.state = Participant.State.WITHDRAWN
    return withdrawal


def family(items: Collection[int]) -> list[int]:
    """These items, what was made of them in whatever project, and what others keep copies in; in the order of ids."""
    family_ids, new = set(items), set(items)
    while new:
        relatives = set(Item.objects.filter(parent__in=new).values_list("pk", flat=True))
        relatives |= {item_id for keeper in keepers() for item_id in keeper.items(new)}
        new = relatives - family_ids
        family_ids |= new
    return sorted(family_ids)


def claimable() -> list[int]:
    """Those that nobody works at and that have something to do now."""
    return list(Withdrawal.objects.filter(_free()).order_by("pk").values_list("pk", flat=True))


def work(pk: int) -> None:
    """Go on with it as far as is to be done now; nothing where somebody else is at it."""
    token = uuid4()
    if not Withdrawal.objects.filter(_free(), pk=pk).update(token=token, lease_until=timezone.now() + LEASE):
        return
    withdrawal = Withdrawal.objects.get(pk=pk)
    try:
        while _part(withdrawal):
            pass
        if timezone.now() >= withdrawal.created_at + SETTLES:
            _once_more(withdrawal)
        _keep(withdrawal, token=None, lease_until=None)
    except LeaseLost:
        return


def _once_more(withdrawal: Withdrawal) -> None:
    """What was made or written while the cases were dropped; then it is over."""
    item_ids = list(withdrawal.erasures.values_list("item", flat=True))
    for item in set(family(item_ids)) - set(item_ids):
        with transaction.atomic():
            Erasure.objects.get_or_create(item_id=item, defaults={"withdrawal": withdrawal})
            _drop(item)
    withdrawal.erasures.update(done_at=None)
    while _part(withdrawal):
        pass
    traces.empty_log()
    _keep(withdrawal, ended_at=timezone.now())


def _part(withdrawal: Withdrawal) -> int:
    """The next items; how many they were. Files first: a row that is blanked twice does no harm."""
    erasures = list(
        withdrawal.erasures.filter(done_at=None).select_related("item__project").order_by("item")[:TOGETHER]
    )
    for erasure in erasures:
        releases.erase(erasure.item)
    with transaction.atomic():
        _keep(withdrawal, lease_until=timezone.now() + LEASE)
        for erasure in erasures:
            flow.lock(erasure.item_id)
            texts.erase(erasure.item)
            for keeper in keepers():
                keeper.erase(erasure.item_id)
        Erasure.objects.filter(pk__in=[erasure.pk for erasure in erasures]).update(done_at=timezone.now())
    return len(erasures)


def _drop(item_id: int) -> None:
    """Inside the caller's transaction. An item that was dropped for another reason stays so."""
    flow.lock(item_id)
    item = Item.objects.select_related("project").get(pk=item_id)
    try:
        leading.drop(item, by=None, reason="withdrawn")
    except LeftOut:
        Item.objects.filter(pk=item_id).update(drop_reason="withdrawn")
    releases.restart_unfinished(item)


def _keep(withdrawal: Withdrawal, **columns: object) -> None:
    """Raises LeaseLost where somebody else has taken it over."""
    if not Withdrawal.objects.filter(pk=withdrawal.pk, token=withdrawal.token).update(**columns):
        raise LeaseLost


def _free() -> Q:
    now = timezone.now()
    idle = Q(lease_until=None) | Q(lease_until__lt=now)
    has_open_erasures = Q(Exists(Erasure.objects.filter(withdrawal=OuterRef("pk"), done_at=None)))
    return Q(ended_at=None) & idle & (has_open_erasures | Q(created_at__lte=now - SETTLES))
