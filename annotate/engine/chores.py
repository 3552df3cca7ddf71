"""Background jobs: one protocol of leases, one loop for workers, and the list of jobs, found in `<app>/chores.py`.

The database is the queue. A row that waits is claimed by a conditional UPDATE, and is then leased to one worker. The
worker does it in parts. Each part is stored in one transaction with the progress, and that extends the lease
(`Leases.keep`). So of two workers on a row one stops, and after a kill another continues where the last part ended,
once the lease has run out. A ring that gets lost is repeated by `annotate.tasks.reconcile`.
"""

import logging
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any, Generic, TypeVar
from uuid import uuid4

from django.db import models
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate import bell
from annotate.engine import concurrency, discovery
from annotate.errors import LeaseLost

Row = TypeVar("Row", bound=models.Model)
Parts = Generator[int, None, None]  # after each part but the last: how many things were done in it
log = logging.getLogger(__name__)


@dataclass
class Leases(Generic[Row]):
    """The leases of one table, which has a column `lease_until`.

    unfinished: rows with work to do, whoever has them. due: what else a row needs before a worker may claim it,
    computed at each claim. fence: a column that has another value once somebody else has taken the row over; `token` is
    drawn at each claim. related: what a claimed row is read with. on_claim, on_put_back: further columns that change
    then. longest: the length of leases that others set on these rows, where it is more than length.
    """

    model: type[Row]
    unfinished: Q
    length: timedelta
    due: Callable[[], Q] = Q
    fence: str = "token"
    related: Sequence[str] = ()
    on_claim: Mapping[str, Any] = field(default_factory=dict)
    on_put_back: Mapping[str, Any] = field(default_factory=dict)
    longest: timedelta | None = None

    def free(self) -> Q:
        """Condition of the rows that a worker may claim now."""
        idle = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
        return self.unfinished & self.due() & idle

    def claimable(self) -> list[int]:
        """The ids of the rows that a worker may claim now, oldest first."""
        rows = self.model._default_manager.filter(self.free())
        return list(rows.order_by("pk").values_list("pk", flat=True))

    def held(self) -> dict[str, Any]:
        """The columns of a new lease. A row that is created with them is held by its creator."""
        lease: dict[str, Any] = {"lease_until": timezone.now() + self.length}
        return lease | ({"token": uuid4()} if self.fence == "token" else {})

    def claim(self, pk: int) -> Row | None:
        """The row, now leased to this worker; None if somebody else has it or nothing is to be done."""
        lease = self.held()
        # After it has waited for the row, PostgreSQL checks its columns again, and so the lease, but no subquery.
        if not self.model._default_manager.filter(self.free(), pk=pk).update(**lease, **self.on_claim):
            return None
        row = self.model._default_manager.select_related(*self.related).filter(pk=pk).first()
        return None if row is None else _changed(row, lease)

    def owned(self, row: Row) -> "QuerySet[Row]":
        """The row, if this worker still has it and it is unfinished; for a conditional UPDATE."""
        return self._fenced(row).filter(self.unfinished)

    def keep(self, row: Row, **columns: Any) -> None:
        """A heartbeat, in the transaction of a part: store its progress, extend the lease. Raises LeaseLost."""
        columns["lease_until"] = timezone.now() + self.length
        if not self.owned(row).update(**columns):
            raise LeaseLost(f"Another worker has taken {row} over, or it has ended.")
        _changed(row, columns)

    def put_back(self, row: Row) -> None:
        """Let another worker continue it at once."""
        self.owned(row).update(**self._no_lease(), **self.on_put_back)

    def end(self, row: Row) -> None:
        """Forget the lease of a row on which nothing is left to do now."""
        self._fenced(row).update(**self._no_lease())

    def _fenced(self, row: Row) -> "QuerySet[Row]":
        return self.model._default_manager.filter(pk=row.pk, **{self.fence: getattr(row, self.fence)})

    def _no_lease(self) -> dict[str, None]:
        return dict.fromkeys(self.held())


def _changed(row: Row, columns: Mapping[str, Any]) -> Row:
    for name, value in columns.items():
        setattr(row, name, value)
    return row


@dataclass
class Chore(Generic[Row]):
    """A background job, as `chore` makes it of a function."""

    name: str  # of the function, of its task in annotate.tasks, and of the bell
    leases: Leases[Row]
    parts: Callable[[Row], Parts]
    fail: Callable[[Row, Exception], None] | None
    seconds: float | None
    key: str
    label: str
    turn: int

    def work(self, pk: int, *, most: int | None = None, whole: bool = False) -> None:
        """Work at the row, unless another worker has it. What is left is put back, and the bell is rung for it.

        most: stop after about so many things, where a person waits. whole: to the end, however long it takes, where no
        worker shall be needed.
        """
        row = None if concurrency.has_begun() else self.leases.claim(pk)
        if row is None:
            return
        try:
            if self._stops_early(row, most, None if whole else self.seconds):
                self.leases.put_back(row)
                bell.ring(self.name, pk)
            else:
                self.leases.end(row)
        except LeaseLost as lost:
            log.info("%s %s: %s", self.name, pk, lost)
        except Exception as error:
            if self.fail is None:
                raise
            log.exception("%s %s", self.name, pk)
            with suppress(LeaseLost):  # then the row is no longer this worker's to fail
                self.fail(row, error)

    def _stops_early(self, row: Row, most: int | None, seconds: float | None) -> bool:
        """Do parts until none is left (False), or until it is time to stop (True)."""
        began, parts_done = time.monotonic(), 0
        with closing(self.parts(row)) as parts:
            for count in parts:
                parts_done += count
                is_enough = most is not None and parts_done >= most
                if is_enough or concurrency.has_begun() or (seconds and time.monotonic() - began > seconds):
                    return True
        return False


def chore(
    leases: Leases[Row],
    *,
    key: str,
    label: str,
    fail: Callable[[Row, Exception], None] | None = None,
    seconds: float | None = None,
    turn: int = 9,
) -> Callable[[Callable[[Row], Parts]], Chore[Row]]:
    """Make a background job of a generator: row -> its parts, with a `yield` wherever the job may stop.

    A part ends with `leases.keep`, so that it is stored once. fail: stores on the row, in words for people, why the job
    cannot be done; it may raise the error, and then, as without `fail`, the row is tried again once its lease has run
    out. seconds: after these it lets other jobs have their turn; only for a job that continues cheaply. key, label: of
    the number of rows worked, in the command `reconcile`, which works the jobs by `turn`.
    """

    def register(parts: Callable[[Row], Parts]) -> Chore[Row]:
        return Chore(parts.__name__, leases, parts, fail, seconds, key, label, turn)

    return register


def finish(parts: Parts) -> None:
    """Do all parts here, on a row that this process holds. Raises what the job raises."""
    for _count in parts:
        pass


@cache
def all_chores() -> Mapping[str, Chore[Any]]:
    """name -> background job, for every one in the modules `chores`; ordered by turn."""
    values = [value for module in discovery.modules("chores") for value in vars(module).values()]
    jobs = sorted((value for value in values if isinstance(value, Chore)), key=lambda job: (job.turn, job.name))
    return {job.name: job for job in jobs}
