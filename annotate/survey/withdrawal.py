"""Withdrawal: a participant takes everything back; their cases are dropped, and every text about them is erased.

Other apps have a `KEEPER` in their `hooks.py`. It finds and erases what they store about items; annotate knows none of
these apps.
"""

import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.durable import replacing
from annotate.engine.chores import Leases, Parts
from annotate.engine.discovery import hooks
from annotate.errors import WrongState
from annotate.items import actions, flow, search_index
from annotate.items.actions import NotApplicable
from annotate.kinds.contract import ERASED
from annotate.kinds.protocol import Cause
from annotate.media.actions import remove_files_of
from annotate.models import (
    Annotation,
    Call,
    Classification,
    Comment,
    Dispute,
    Erasure,
    Event,
    Item,
    Job,
    Notification,
    Participant,
    Precedent,
    PrecedentEvent,
    Release,
    ReportedCase,
    SetAside,
    Skip,
    Withdrawal,
)
from annotate.releases.files import discard, indexed, path_of, random_name


@dataclass(frozen=True)
class Keeper:
    """items: ids of further items that hold texts of these ones. erase: takes the texts of one item, in the caller's
    transaction; doing it twice changes nothing more.
    """

    items: Callable[[Collection[int]], Collection[int]]
    erase: Callable[[int], None]


@cache
def keepers() -> list[Keeper]:
    return hooks("KEEPER")


# Erasing: every text about one item is removed from its table; the rows, their ids, hashes and times stay.
#
# tests/annotate/survey/test_tables.py walks over all tables: a new table that can hold words of an item has to be added
# here, or the test has to state why it holds none.


NO_TURNS: dict[str, Any] = {"turns": [], "intent": "", "service": ""}


def erase_texts(item: Item) -> None:
    """Erase in the caller's transaction, with the item locked and dropped. It is idempotent."""
    kind = item.project.kind
    facts = kind.erased(item.facts)
    search_index.erase(item.pk)
    changes = {"facts": facts, "metadata": None, "title": ERASED, "changed_at": timezone.now()}
    Item.objects.filter(pk=item.pk).update(**changes)
    ReportedCase.objects.filter(item=item).update(**NO_TURNS)
    _work(item, kind.empty_draft(kind.read_facts(facts)))
    _talk(item)
    _models(item)


def _work(item: Item, draft: dict[str, Any]) -> None:
    """Blank the texts, and raise the revision, so that a page that is still open can no longer save."""
    annotations = Annotation.objects.filter(item=item)
    annotations.update(
        draft=draft, doubts=[], candidates=[], picked=None, decided=[], note="", said={}, revision=F("revision") + 1
    )
    SetAside.objects.filter(annotation__item=item).delete()
    Skip.objects.filter(item=item).update(note="")


def _talk(item: Item) -> None:
    Comment.objects.filter(item=item).update(text=ERASED, span={})
    Event.objects.filter(item=item).update(note="")
    Notification.objects.filter(item=item).update(note="")
    disputes = Dispute.objects.filter(annotation__item=item)
    disputes.update(reason=ERASED)
    disputes.exclude(answer="").update(answer=ERASED)
    precedents = Precedent.objects.filter(item=item)
    PrecedentEvent.objects.filter(precedent__in=precedents).update(text=ERASED)
    precedents.exclude(ruling="").update(ruling=ERASED)
    precedents.update(question=ERASED)


def _models(item: Item) -> None:
    """Stop all calls about the item. A call in flight counts as finished: its reply is not stored."""
    jobs = Job.objects.filter(item=item)
    jobs.open().update(state=Job.State.CANCELLED, token=None, lease_until=None, ended_at=timezone.now())
    jobs.update(detail="")
    calls = Call.objects.filter(job__item=item)
    calls.filter(cause=None).update(cause=Cause.UNSUITABLE)
    calls.update(request={"messages": []}, reply="", reasoning="", detail="", sent=None)
    Classification.objects.filter(item=item).update(label="", group="")


# Releases that hold a withdrawn item: its row is blanked in the file, and they can no longer be downloaded.


def restart_unfinished(item: Item) -> None:
    """Restart a release that is being written, without the item and under another name."""
    for release in Release.objects.filter(project_id=item.project_id, state=Release.State.WAITING):
        waiting_release = Release.objects.filter(pk=release.pk, state=Release.State.WAITING)
        if waiting_release.update(lease_until=None, rows=0, stored_as=random_name()):
            transaction.on_commit(partial(discard, release.stored_as))


def blank_in_releases(item: Item) -> None:
    """Blank the item's row in every release of its project that has one, and mark those releases. Idempotent."""
    for release in Release.objects.filter(project_id=item.project_id, state=Release.State.DONE):
        if _blanked(release, item.key):
            Release.objects.filter(pk=release.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
            Release.objects.filter(pk=release.pk).update(erased=F("erased") + 1)


def _blanked(release: Release, key: str) -> bool:
    """Blank its row, or its rows by several raters; returns whether one had content. The other rows keep their offsets
    in the index.
    """
    path = path_of(release.stored_as)
    if not path.exists():
        return False
    offsets = [entry.offset for entry in indexed(release.stored_as) if entry.key == key]
    blanked = [_row_blanked(path, offset, key) for offset in offsets]
    return any(blanked)


def _row_blanked(path: Path, offset: int, key: str) -> bool:
    with path.open("rb") as file:
        file.seek(offset)
        line = file.readline()
    blank = json.dumps({"key": key, "withdrawn": True}, ensure_ascii=False).encode()
    blank = blank[: len(line) - 1].ljust(len(line) - 1) + b"\n"
    if line == blank:
        return False
    _rewrite(path, offset, blank)
    return True


def _rewrite(path: Path, offset: int, line: bytes) -> None:
    """Replace the file atomically; a reader of the old file can read it to its end."""
    with path.open("rb") as source, replacing(path) as written:
        bytes_left = offset
        while bytes_left and (piece := source.read(min(bytes_left, 1024 * 1024))):
            written.write(piece)
            bytes_left -= len(piece)
        written.write(line)
        source.seek(offset + len(line))
        while piece := source.read(1024 * 1024):
            written.write(piece)


# Texts that a database keeps outside its tables: SQLite's write-ahead log.


LOOKS = 40
BETWEEN = 0.05  # seconds


def empty_log() -> bool:
    """Empty SQLite's write-ahead log, which holds old pages; returns whether that succeeded.

    It succeeds as soon as nobody reads or writes for a moment; nobody has to wait for it. It gives up after LOOKS
    attempts: later writes then overwrite the file from its beginning. Other databases have no such file.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return False
    for look in range(LOOKS):
        if look:
            time.sleep(BETWEEN)
        if _emptied():
            return True
    return False


def _emptied() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, _pages, _moved = cursor.fetchone()
    return not busy


# The withdrawal itself: cases are dropped at once, and texts are erased in parts.
#
# The list of items to erase is stored before anything is erased (Erasure), so a worker that continues after another
# one's death does the rest. Erasing is idempotent. When all is done it is repeated once, SETTLES seconds after the
# beginning, to find what was being written while the cases were dropped.


TOGETHER = 5  # items in one transaction: each can have hundreds of calls
SETTLES = timedelta(seconds=60)


def _due() -> Q:
    has_open_erasures = Q(Exists(Erasure.objects.filter(withdrawal=OuterRef("pk"), done_at=None)))
    return has_open_erasures | Q(created_at__lte=timezone.now() - SETTLES)


leases = Leases(Withdrawal, Q(ended_at=None), timedelta(seconds=60), due=_due)


def correct_times(now: datetime) -> int:
    """Withdrawals that a clock ahead of its time has dated into the future count as made now; returns how many.

    Otherwise their last step would wait until that time comes again.
    """
    ahead = Withdrawal.objects.filter(ended_at=None, created_at__gt=now + SETTLES)
    return ahead.update(created_at=now) if ahead.exists() else 0


def begin(participant: Participant) -> Withdrawal:
    """Withdraw everything, for ever. Raises WrongState if that was done already.

    From here on nobody can work on the cases, release them or ask a model about them; a worker erases the texts.
    """
    with transaction.atomic():
        standing = Participant.objects.filter(pk=participant.pk).exclude(state=Participant.State.WITHDRAWN)
        if not standing.update(state=Participant.State.WITHDRAWN, answers={}):
            raise WrongState(_("Everything was already withdrawn."))
        withdrawal = Withdrawal.objects.create(participant=participant)
        cases = list(participant.cases.exclude(item=None).values_list("item", flat=True))
        participant.cases.update(**NO_TURNS)
        for item in family(cases):
            Erasure.objects.get_or_create(item_id=item, defaults={"withdrawal": withdrawal})
            _drop(item)
        bell.ring("erase_withdrawn", withdrawal.pk)
    participant.state = Participant.State.WITHDRAWN
    return withdrawal


def family(items: Collection[int]) -> list[int]:
    """These items, the items made from them in any project, and the items with copies in other apps; ordered by id."""
    family_ids, new = set(items), set(items)
    while new:
        relatives = set(Item.objects.filter(parent__in=new).values_list("pk", flat=True))
        relatives |= {item_id for keeper in keepers() for item_id in keeper.items(new)}
        new = relatives - family_ids
        family_ids |= new
    return sorted(family_ids)


def parts(withdrawal: Withdrawal) -> Parts:
    """Erase what is due now."""
    yield from _erased(withdrawal)
    if timezone.now() >= withdrawal.created_at + SETTLES:
        yield from _once_more(withdrawal)


def _once_more(withdrawal: Withdrawal) -> Parts:
    """Erase what was made or written while the cases were dropped, and finish."""
    item_ids = list(withdrawal.erasures.values_list("item", flat=True))
    for item in set(family(item_ids)) - set(item_ids):
        with transaction.atomic():
            Erasure.objects.get_or_create(item_id=item, defaults={"withdrawal": withdrawal})
            _drop(item)
    withdrawal.erasures.update(done_at=None)
    yield from _erased(withdrawal)
    empty_log()
    leases.keep(withdrawal, ended_at=timezone.now())


def _erased(withdrawal: Withdrawal) -> Parts:
    while count := _part(withdrawal):
        yield count


def _part(withdrawal: Withdrawal) -> int:
    """Erase the next items; returns how many. Files come first: a row that is blanked twice does no harm."""
    erasures = list(
        withdrawal.erasures.filter(done_at=None).select_related("item__project").order_by("item")[:TOGETHER]
    )
    for erasure in erasures:
        blank_in_releases(erasure.item)
        remove_files_of(erasure.item)
    with transaction.atomic():
        leases.keep(withdrawal)
        for erasure in erasures:
            flow.lock(erasure.item_id)
            erase_texts(erasure.item)
            for keeper in keepers():
                keeper.erase(erasure.item_id)
        Erasure.objects.filter(pk__in=[erasure.pk for erasure in erasures]).update(done_at=timezone.now())
    return len(erasures)


def _drop(item_id: int) -> None:
    """Drop the item in the caller's transaction. A dropped one becomes withdrawn, whatever the reason was."""
    flow.lock(item_id)
    item = Item.objects.select_related("project").get(pk=item_id)
    try:
        actions.drop(item, by=None, reason="withdrawn")
    except NotApplicable:
        Item.objects.filter(pk=item_id).update(drop_reason="withdrawn")
    restart_unfinished(item)
