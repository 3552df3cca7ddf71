"""A run begins with a few calls. All its places are filled once one of them has brought a reply, or none has in time.

So a service that refuses everything, for what only people can mend, costs a few calls and not one for each place.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from annotate.kinds.causes import OF_THE_ENDPOINT, Cause
from annotate.llm.halting import Halt
from annotate.models import Call, Probing, Run

PROBES = 5  # calls that may have been sent, by all workers together, while none was answered well
PATIENCE = timedelta(seconds=5)  # without an answer, after which a service is called slow and not broken
PERMANENT = OF_THE_ENDPOINT | {Cause.BAD_REQUEST}


class Probes:
    """What one worker knows of the beginning of a run. Each method but `refusal` belongs inside a transaction."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.is_open = False
        self.refusal: Halt | None = None
        self._row: Probing | None = None

    def look(self, exists: bool) -> None:
        """Locks the row, so that all workers count together; without one the run is open."""
        self._row = Probing.objects.select_for_update().filter(run=self.run).first() if exists else None
        row = self._row
        if row is not None and row.since is not None and row.refused < PROBES and timezone.now() - row.since > PATIENCE:
            self._open()

    def hear(self, calls: Sequence[Call]) -> None:
        """What came back: a reply opens the run, what may pass counts for nothing."""
        for call in calls:
            if self._row is None:
                return
            if call.was_read:
                self._open()
            elif call.cause in PERMANENT and not call.adapted:
                self._refused(self._row, call)
            else:
                self._row.sent = max(0, self._row.sent - 1)

    def _refused(self, row: Probing, call: Call) -> None:
        if row.refused and row.cause != call.cause:  # then it is not the endpoint, or not that alone
            self._open()
            return
        row.refused, row.cause, row.detail, row.since = row.refused + 1, call.cause or "", call.detail, timezone.now()

    def _open(self) -> None:
        Probing.objects.filter(run=self.run).delete()
        self._row = None

    def room(self, most: int) -> int:
        """How many calls may be sent now, of so many."""
        return most if self._row is None else max(0, min(most, PROBES - self._row.sent))

    def keep(self, sent: int) -> None:
        """At the end of the transaction. sent: calls that it lets in."""
        row = self._row
        if row is not None:
            row.sent += sent
            row.since = row.since or (timezone.now() if sent else None)
            row.save()
        self.is_open = row is None
        if row is not None and row.refused >= PROBES:
            self.refusal = Halt(Cause(row.cause), row.detail)


def begin(run: Run) -> None:
    """The next calls of the run are probes. Inside the transaction that lets it run."""
    Probing.objects.update_or_create(run=run, defaults={"sent": 0, "refused": 0, "cause": "", "since": None})
