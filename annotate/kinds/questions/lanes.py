"""The spans of several people on one text: where they overlap, and the text in pieces with a lane for each person."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

Span = Mapping[str, Any]


@dataclass
class SpanGroup:
    """Spans that overlap, directly or through others. number: from 1; spans: of each person, in order of the lanes."""

    number: int
    column: str
    start: int
    end: int
    spans: list[list[Span]] = field(default_factory=list)

    @property
    def raters(self) -> int:
        return sum(1 for spans in self.spans if spans)

    def differs_in(self, names: Sequence[str]) -> list[str]:
        """The parts of spans, such as `label`, in which those who marked something do not say the same."""
        answers = [spans for spans in self.spans if spans]
        return [name for name in names if len({tuple(_part(span, name) for span in spans) for spans in answers}) > 1]


class LanePiece(NamedTuple):
    """A piece of a text. lanes: number of the lane from 1 -> the spans there; group: the one that begins here, or 0."""

    text: str
    lanes: Mapping[int, Sequence[Span]]
    group: int


def _part(span: Span, name: str) -> Any:
    return (span["start"], span["end"]) if name == "edges" else span.get(name)


def span_groups(answers: Sequence[Sequence[Span]], on: Sequence[str]) -> list[SpanGroup]:
    """The groups in the order of the columns and of their starts. answers: one for each lane.

    A column that an older version of the definition asked about has none.
    """
    groups: list[SpanGroup] = []
    every = [
        (on.index(span["field"]), span["start"], span, lane)
        for lane, spans in enumerate(answers)
        for span in spans
        if span["field"] in on
    ]
    for _column, start, span, lane in sorted(every, key=lambda row: row[:2]):
        group = groups[-1] if groups else None
        if group is None or group.column != span["field"] or start >= group.end:
            group = SpanGroup(len(groups) + 1, span["field"], start, span["end"], [[] for _lane in answers])
            groups.append(group)
        group.end = max(group.end, span["end"])
        group.spans[lane].append(span)
    return groups


def lane_pieces(text: str, groups: Sequence[SpanGroup]) -> Iterator[LanePiece]:
    """The whole text in order, cut where a span begins or ends. groups: those of this text."""
    place = 0
    for group in groups:
        yield LanePiece(text[place : group.start], {}, 0)
        spans = [span for lane in group.spans for span in lane]
        cuts = sorted({edge for span in spans for edge in (span["start"], span["end"])})
        for start, end in pairwise(cuts):
            lanes = {
                number: [span for span in lane if span["start"] <= start < span["end"]]
                for number, lane in enumerate(group.spans, start=1)
            }
            covered = {number: spans for number, spans in lanes.items() if spans}
            yield LanePiece(text[start:end], covered, group.number if start == group.start else 0)
        place = group.end
    yield LanePiece(text[place:], {}, 0)
