"""The anchoring meter: how a model's suggestion moves people's answers, against people who did not see it.

It has three measures for each field: how often the suggested value is kept, how much of the suggested text was
rewritten, and which labels are given. Whether a person sees the suggestion is drawn at random, so a difference between
the groups is an effect of the suggestion. Intervals are bootstrapped by resampling items (resampling.py). Nothing here
writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, TextChoices, When
from django.utils.translation import gettext_lazy as _

from annotate.items.drafts import candidate
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field, agree_in
from annotate.models import Annotation, Item, Project, Slot
from annotate.web.pager import index_page
from lib.stats.bootstrap import Floats, ResampledRatio, resampled, shift, shift_by_chance
from lib.stats.intervals import Interval
from lib.texts.diff import distance

READ_AT_MOST = 2000
SHOWN, BLIND = ARMS = "shown", "blind"
BLANK: tuple[Any, ...] = (None, "", [])


class UncountedReason(TextChoices):
    LATER = "later", _("written from an earlier text in a later round")
    HIDDEN = "hidden", _("others still have to do the same work independently")
    UNSUITABLE = "unsuitable", _("marked unusable, so nothing was answered")
    NOTHING = "nothing", _("no suggestion from a model")
    OLDER = "older", _("older than the newest texts counted here")


@dataclass(frozen=True)
class AnchoredText:
    """A person's text, and the model's suggestion for each field (absent where it suggested nothing).

    arm: whether they saw the suggestion.
    """

    pk: int
    item: int
    author: int
    arm: str
    fields: Sequence[Field]
    suggested: Mapping[str, Any]
    draft: Mapping[str, Any]

    def kept(self, field: Field) -> bool:
        """Whether the field's value is in substance the suggested one."""
        return agree_in(field, [self.suggested, self.draft])


@dataclass(frozen=True)
class Read:
    """texts: newest first. left_out: reason -> how many, of all submissions about work items."""

    texts: Sequence[AnchoredText]
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_texts(project: Project, *, author: int | None = None, most: int | None = None, checks: bool = False) -> Read:
    """The newest first-round texts of a project, or of one person, in a fixed number of queries.

    checks: include texts about checks. They appear when work would; where several people write, the time is unknown.
    """
    most = READ_AT_MOST if most is None else most
    written = _texts_written(project, author)
    first_round = written.filter(slot__round=1)
    in_the_open = first_round.in_the_open()
    if checks and project.overlap == 1:
        in_the_open = in_the_open | _checks(project, author)
    fitting = in_the_open.exclude(outcome=Annotation.Outcome.UNSUITABLE)
    counts = [query.order_by().count() for query in (written, first_round, in_the_open, fitting)]
    rows = list(_with_reference(fitting).select_related("item", "slot").order_by("-pk")[:most])
    texts = _texts(project.kind, rows)
    count_by_reason = {
        UncountedReason.LATER: counts[0] - counts[1],
        UncountedReason.HIDDEN: counts[1] - counts[2],
        UncountedReason.UNSUITABLE: counts[2] - counts[3],
        UncountedReason.OLDER: counts[3] - len(rows),
        UncountedReason.NOTHING: len(rows) - len(texts),
    }
    return Read(texts, {reason.value: n for reason, n in count_by_reason.items() if n})


def _texts_written(project: Project, author: int | None) -> Any:
    return _handed_in(project, author).filter(item__purpose=Item.Purpose.WORK)


def _checks(project: Project, author: int | None) -> Any:
    return _handed_in(project, author).filter(slot__own=True).exclude(item__purpose=Item.Purpose.CALIBRATION)


def _handed_in(project: Project, author: int | None) -> Any:
    texts = Annotation.objects.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ANNOTATE,
        authored=True,
        submitted_at__isnull=False,
        author__isnull=False,
    )
    return texts if author is None else texts.filter(author=author)


def _with_reference(texts: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """Adds `reference`: the suggestion on screen, or for people who worked blind the one that they would have seen."""
    suggestions = Annotation.objects.filter(item=OuterRef("item"), created_at__lte=OuterRef("created_at")).exclude(
        model=""
    )
    would = Subquery(suggestions.order_by("-pk").values("pk")[:1])
    return texts.annotate(reference=Case(When(slot__blind=True, then=would), default=F("suggestion")))


def _texts(kind: Kind, rows: Sequence[Any]) -> list[AnchoredText]:
    references = Annotation.objects.in_bulk({row.reference for row in rows if row.reference})
    return [_text(kind, row, references[row.reference]) for row in rows if row.reference in references]


def _text(kind: Kind, row: Any, suggestion: Annotation) -> AnchoredText:
    facts = kind.read_facts(kind.upgrade(row.item.facts, row.item.schema))
    suggested = {
        **kind.upgrade(suggestion.draft, suggestion.schema),
        **(candidate(suggestion, row.picked) or {}),
    }
    return AnchoredText(
        pk=row.pk,
        item=row.item_id,
        author=row.author_id,
        arm=BLIND if row.slot.blind else SHOWN,
        fields=kind.fields(facts),
        suggested={name: value for name, value in suggested.items() if value not in BLANK},
        draft=kind.upgrade(row.draft, row.schema),
    )


# The meter.


TOO_FEW = 10
LABELS = 20  # of a field; the most frequent ones


@dataclass(frozen=True)
class EffectEstimate:
    """value: None where unknown. n: number of texts it is based on."""

    value: float | None
    interval: Interval | None
    n: int

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW


@dataclass(frozen=True)
class EffectPair:
    """A number with the suggestion shown, without it, and the difference (with minus without)."""

    shown: EffectEstimate
    blind: EffectEstimate
    difference: EffectEstimate


@dataclass(frozen=True)
class Label:
    """How often one value is given, as a share of texts."""

    value: str
    given: EffectPair

    @property
    def escaped(self) -> str:
        """The value as it is written in a URL."""
        return quote(self.value, safe="")


@dataclass(frozen=True)
class Meter:
    """One field. kept: share of texts with the suggested value; distance: share rewritten, of texts alone.

    shift: the distance between the label distributions of both groups, 0..1; by_chance: the distance expected by chance
    alone. Its n is that of the smaller group.
    """

    field: Field
    kept: EffectPair
    distance: EffectPair | None = None
    labels: Sequence[Label] = ()
    shift: EffectEstimate | None = None
    by_chance: float | None = None


@dataclass(frozen=True)
class Anchoring:
    """texts: how many in each arm; items: how many they are about; left_out: reason -> texts."""

    texts: Mapping[str, int]
    items: int
    left_out: Mapping[str, int]
    meters: Sequence[Meter]


def anchoring(project: Project) -> Anchoring:
    """The meter of a project over its newest texts, at most READ_AT_MOST."""
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


def labels_of_text(field: Field, text: AnchoredText) -> list[str]:
    """The labels that a text gives in a field, as they are stored."""
    value = text.draft.get(field.name)
    if value in (None, "", []):
        return []
    return [str(label) for label in value] if isinstance(value, list) else [str(value)]


class _Columns:
    """Sums and counts by item, one column for each number; all columns are resampled together."""

    def __init__(self, texts: Sequence[AnchoredText]) -> None:
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
        """The columns of people who saw the suggestion, and of people who did not."""
        by_arm = [
            [value if text.arm == arm else None for text, value in zip(self.texts, values, strict=True)]
            for arm in (SHOWN, BLIND)
        ]
        return self.add(by_arm[0]), self.add(by_arm[1])

    def resampled(self) -> ResampledRatio:
        if not self.sums:
            return resampled(np.zeros((0, 0)), np.zeros((0, 0)))
        return resampled(np.column_stack(self.sums), np.column_stack(self.counts))

    def n(self, column: int) -> int:
        return int(self.counts[column].sum())


class _Plan:
    """The columns that hold the numbers of one field."""

    def __init__(self, columns: _Columns, field: Field) -> None:
        self.columns, self.field = columns, field
        about = [text if field.name in text.suggested else None for text in columns.texts]
        self.kept = columns.add_pair([None if text is None else float(text.kept(field)) for text in about])
        self.distance = self._distance(about) if field.how == "text" else None
        self.labels = self._labels() if field.how in ("choice", "choices", "flag") else {}

    def _distance(self, about: Sequence[AnchoredText | None]) -> tuple[int, int]:
        name = self.field.name
        return self.columns.add_pair([None if text is None else _distance(text, name) for text in about])

    def _labels(self) -> dict[str, tuple[int, int]]:
        label_lists = [labels_of_text(self.field, text) for text in self.columns.texts]
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

    def meter(self, resample: ResampledRatio) -> Meter:
        blind = np.array([text.arm == BLIND for text in self.columns.texts])
        return Meter(
            field=self.field,
            kept=self._pair(resample, self.kept),
            distance=self._pair(resample, self.distance) if self.distance else None,
            labels=[Label(label, self._pair(resample, pair)) for label, pair in self.labels.items()],
            shift=self._shift(resample, blind) if self.labels else None,
            by_chance=shift_by_chance(self.matrix, blind) if self.labels else None,
        )

    def _shift(self, resample: ResampledRatio, blind: npt.NDArray[np.bool_]) -> EffectEstimate:
        pairs = list(self.labels.values())
        interval = resample.shift_interval(
            [shown_column for shown_column, _blind in pairs], [blind_column for _shown, blind_column in pairs]
        )
        return EffectEstimate(shift(self.matrix, blind), interval, min(self.columns.n(column) for column in pairs[0]))

    def _pair(self, resample: ResampledRatio, pair: tuple[int, int]) -> EffectPair:
        shown, blind = (
            EffectEstimate(resample.value(column), resample.interval(column), self.columns.n(column)) for column in pair
        )
        value, interval = resample.difference(*pair)
        return EffectPair(shown, blind, EffectEstimate(value, interval, min(shown.n, blind.n)))


def _distance(text: AnchoredText, name: str) -> float:
    return distance(str(text.suggested.get(name) or ""), str(text.draft.get(name) or ""))


# The items behind a number of the anchoring meter.


PAGE = 50


@dataclass(frozen=True)
class Behind:
    """One item with the suggested value of the field and the written one."""

    item: Item
    suggested: str
    written: str


@dataclass(frozen=True)
class AnchoringPage:
    """count: of all matching texts; rows: those from `start` on. previous, next: where the neighbouring pages start."""

    count: int
    rows: Sequence[Behind]
    start: int
    previous: int | None
    next: int | None


def texts_behind(
    project: Project, *, field: str, arm: str, kept: bool | None = None, label: str = "", start: int = 0
) -> AnchoringPage:
    """The texts of one arm and field. kept: only those with the suggested value (True), or with another one (False)."""
    fitting = [
        (text, text_field)
        for text in read_texts(project).texts
        for text_field in text.fields
        if text_field.name == field and text.arm == arm and _fits(text, text_field, kept, label)
    ]
    page = index_page(fitting, PAGE, start)
    items = Item.objects.defer("facts").in_bulk({text.item for text, _one in page.rows})
    kind = project.kind
    rows = [
        Behind(items[text.item], kind.shown(field, text.suggested.get(field)), kind.shown(field, text.draft.get(field)))
        for text, _one in page.rows
    ]
    return AnchoringPage(page.total, rows, start, page.previous, page.next)


def _fits(text: AnchoredText, field: Field, was_kept: bool | None, label: str) -> bool:
    if label:
        return label in labels_of_text(field, text)
    return field.name in text.suggested and (was_kept is None or text.kept(field) == was_kept)
