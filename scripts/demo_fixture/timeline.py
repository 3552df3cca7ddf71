"""Times of the fixture that do not depend on how fast the machine was, or on what two threads did first.

While the demo was seeded, times are either between runs, where one thread reads the clock, or inside a run. The former
get equal distances in their order. A run lasts as long as its calls suggest; the rows of a table that were written
meanwhile are spread evenly over it, in the order of their ids.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Columns = Mapping[str, Sequence[str]]  # table -> its columns with a time
ENDS = frozenset({"lease_until", "reserved_until"})  # when something will be over
BETWEEN = timedelta(milliseconds=50)
OF_A_CALL = timedelta(milliseconds=80)
SHORTEST = timedelta(seconds=1)


@dataclass
class Span:
    """A run as it was executed, [started, ended], and when it begins in the fixture and how long it lasts there."""

    started: datetime
    ended: datetime
    length: timedelta
    begins: datetime = field(init=False)

    def holds(self, value: datetime) -> bool:
        return self.started <= value <= self.ended


@dataclass
class Timeline:
    """Rewrites all times since `begun_at`; earlier ones are dated back by the seeding itself and stay."""

    begun_at: datetime
    spans: list[Span]
    moments: dict[datetime, datetime]
    seeded_until: datetime
    ended_at: datetime

    def rewrite(self, rows: list[Row], columns: Sequence[str]) -> None:
        for column in columns:
            timed = [(row, datetime.fromisoformat(row[column])) for row in rows if row[column]]
            recent = [(row, value) for row, value in timed if value >= self.begun_at]
            if column in ENDS:
                self._set_ends(recent, column)
            else:
                self._set_times(recent, column)

    def _set_ends(self, timed: list[tuple[Row, datetime]], column: str) -> None:
        """Counted from the end of the seeding, in whole minutes: it takes seconds of the clock."""
        for row, value in timed:
            minutes = round((value - self.seeded_until) / timedelta(minutes=1))
            row[column] = (self.ended_at + timedelta(minutes=minutes)).isoformat()

    def _set_times(self, timed: list[tuple[Row, datetime]], column: str) -> None:
        for row, value in timed:
            if value in self.moments:
                row[column] = self.moments[value].isoformat()
        for span in self.spans:
            inside = [row for row, value in timed if value not in self.moments and span.holds(value)]
            for number, row in enumerate(inside, 1):
                row[column] = (span.begins + span.length * number / (len(inside) + 1)).isoformat()


def timeline(tables: Tables, columns: Columns, begun_at: datetime) -> Timeline:
    """The timeline of these tables; a row's first column is its id, and rows are in this order."""
    spans = sorted(_spans(tables["annotate.run"]), key=lambda span: span.started)
    bounds = {bound for span in spans for bound in (span.started, span.ended)}
    values = {value for value in _times(tables, columns) if value >= begun_at}
    outside = {value for value in values if not any(span.holds(value) for span in spans)}
    moments, at, length = {}, begun_at, {span.started: span.length for span in spans}
    beginning = {span.started: span for span in spans}
    for value in sorted(outside | bounds):
        at += BETWEEN
        moments[value] = at
        if value in beginning:
            beginning[value].begins = at
            at += length[value]
    return Timeline(begun_at, spans, moments, max(outside | bounds), at + BETWEEN)


def _spans(runs: list[Row]) -> Iterator[Span]:
    for run in runs:
        started, ended = datetime.fromisoformat(run["started_at"]), datetime.fromisoformat(run["ended_at"])
        yield Span(started, ended, max(SHORTEST, run["calls"] * OF_A_CALL))


def _times(tables: Tables, columns: Columns) -> Iterator[datetime]:
    for label, rows in tables.items():
        names = [name for name in columns[label] if name not in ENDS]
        yield from (datetime.fromisoformat(row[name]) for row in rows for name in names if row[name])
