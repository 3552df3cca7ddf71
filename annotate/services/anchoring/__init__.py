"""The anchoring meter: how a model's suggestion moves what people answer, against those who did not see it.

Three things by field: how often the suggested value stands in the end, how much of the suggested text was rewritten,
and which labels are given. Whether somebody saw the suggestion was drawn by chance, so a difference is the
suggestion's doing. Intervals are of items drawn again (resampling.py); nothing in here writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from annotate.kinds.values import Field
from annotate.models import Project
from annotate.services.anchoring.texts import ARMS, BLIND, SHOWN, Read, Text, read_texts
from lib.stats.intervals import Interval
from lib.stats.resampling import Floats, Resampled, resampled, shift, shift_by_chance
from lib.texts.distance import distance

TOO_FEW = 10
LABELS = 20  # of a field; the most frequent ones


@dataclass(frozen=True)
class Estimate:
    """value: None where nothing is known. n: texts behind it."""

    value: float | None
    interval: Interval | None
    n: int

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW


@dataclass(frozen=True)
class Pair:
    """A number with the suggestion in sight, without it, and the first less the second."""

    shown: Estimate
    blind: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Label:
    """How often one value is given, as a share of texts."""

    value: str
    given: Pair

    @property
    def escaped(self) -> str:
        """As it stands in an address."""
        return quote(self.value, safe="")


@dataclass(frozen=True)
class Meter:
    """One field. kept: share of texts with the suggested value; distance: share rewritten, of texts alone.

    shift: how far apart the labels of both groups lie, 0..1, and by_chance: what chance alone would make of that.
    Its n is that of the smaller group.
    """

    field: Field
    kept: Pair
    distance: Pair | None = None
    labels: Sequence[Label] = ()
    shift: Estimate | None = None
    by_chance: float | None = None


@dataclass(frozen=True)
class Anchoring:
    """texts: how many of each arm; items: that they are about; left_out: reason -> texts."""

    texts: Mapping[str, int]
    items: int
    left_out: Mapping[str, int]
    meters: Sequence[Meter]


def anchoring(project: Project) -> Anchoring:
    """The meter of a project over its newest texts (texts.READ_AT_MOST)."""
    return measured(read_texts(project))


def measured(reading: Read) -> Anchoring:
    texts = reading.texts
    fields = list({field.name: field for text in texts for field in text.fields}.values())
    columns = _Columns(texts)
    plans = [_Plan(columns, field) for field in fields if any(field.name in text.suggested for text in texts)]
    resample = columns.resampled()
    return Anchoring(
        texts={arm: sum(text.arm == arm for text in texts) for arm in ARMS},
        items=len(columns.items),
        left_out=reading.left_out,
        meters=[plan.meter(resample) for plan in plans],
    )


def given_labels(field: Field, text: Text) -> list[str]:
    """The labels that a text gives in a field, as they are stored."""
    value = text.draft.get(field.name)
    if value in (None, "", []):
        return []
    return [str(label) for label in value] if isinstance(value, list) else [str(value)]


class _Columns:
    """Sums and counts by item, one column for each number: all of them are drawn again together."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts
        self.items = {item: index for index, item in enumerate(dict.fromkeys(text.item for text in texts))}
        self.sums: list[Floats] = []
        self.counts: list[Floats] = []

    def add(self, values: Sequence[float | None]) -> int:
        """One value for each text, None where it has none. Returns the column's number."""
        pairs = [
            (self.items[text.item], value) for text, value in zip(self.texts, values, strict=True) if value is not None
        ]
        indexes = np.array([index for index, _value in pairs], dtype=int)
        weights = np.array([value for _place, value in pairs], dtype=float)
        self.sums.append(np.asarray(np.bincount(indexes, weights, len(self.items)), dtype=float))
        self.counts.append(np.asarray(np.bincount(indexes, minlength=len(self.items)), dtype=float))
        return len(self.sums) - 1

    def add_pair(self, values: Sequence[float | None]) -> tuple[int, int]:
        """The columns of those who saw the suggestion, and of those who did not."""
        by_arm = [
            [value if text.arm == arm else None for text, value in zip(self.texts, values, strict=True)]
            for arm in (SHOWN, BLIND)
        ]
        return self.add(by_arm[0]), self.add(by_arm[1])

    def resampled(self) -> Resampled:
        if not self.sums:
            return resampled(np.zeros((0, 0)), np.zeros((0, 0)))
        return resampled(np.column_stack(self.sums), np.column_stack(self.counts))

    def n(self, column: int) -> int:
        return int(self.counts[column].sum())


class _Plan:
    """Which columns the numbers of one field stand in."""

    def __init__(self, columns: _Columns, field: Field) -> None:
        self.columns, self.field = columns, field
        about = [text if field.name in text.suggested else None for text in columns.texts]
        self.kept = columns.add_pair([None if text is None else float(text.kept(field)) for text in about])
        self.distance = self._distance(about) if field.how == "text" else None
        self.labels = self._labels() if field.how in ("choice", "choices", "flag") else {}

    def _distance(self, about: Sequence[Text | None]) -> tuple[int, int]:
        name = self.field.name
        return self.columns.add_pair([None if text is None else _distance(text, name) for text in about])

    def _labels(self) -> dict[str, tuple[int, int]]:
        label_lists = [given_labels(self.field, text) for text in self.columns.texts]
        counted: dict[str, int] = {}
        for text_labels in label_lists:
            for label in text_labels:
                counted[label] = counted.get(label, 0) + 1
        most = sorted(counted, key=lambda label: (-counted[label], label))[:LABELS]
        self.matrix = np.array(
            [[float(label in text_labels) for label in most] for text_labels in label_lists]
        ).reshape(len(label_lists), -1)
        answered = [bool(text_labels) for text_labels in label_lists]
        return {
            label: self.columns.add_pair(
                [
                    float(label in text_labels) if is_answered else None
                    for text_labels, is_answered in zip(label_lists, answered, strict=True)
                ]
            )
            for label in most
        }

    def meter(self, resample: Resampled) -> Meter:
        blind = np.array([text.arm == BLIND for text in self.columns.texts])
        return Meter(
            field=self.field,
            kept=self._pair(resample, self.kept),
            distance=self._pair(resample, self.distance) if self.distance else None,
            labels=[Label(label, self._pair(resample, pair)) for label, pair in self.labels.items()],
            shift=self._shift(resample, blind) if self.labels else None,
            by_chance=shift_by_chance(self.matrix, blind) if self.labels else None,
        )

    def _shift(self, resample: Resampled, blind: npt.NDArray[np.bool_]) -> Estimate:
        pairs = list(self.labels.values())
        interval = resample.shift_interval(
            [shown_column for shown_column, _blind in pairs], [blind_column for _shown, blind_column in pairs]
        )
        return Estimate(shift(self.matrix, blind), interval, min(self.columns.n(column) for column in pairs[0]))

    def _pair(self, resample: Resampled, pair: tuple[int, int]) -> Pair:
        shown, blind = (
            Estimate(resample.value(column), resample.interval(column), self.columns.n(column)) for column in pair
        )
        value, interval = resample.difference(*pair)
        return Pair(shown, blind, Estimate(value, interval, min(shown.n, blind.n)))


def _distance(text: Text, name: str) -> float:
    return distance(str(text.suggested.get(name) or ""), str(text.draft.get(name) or ""))
