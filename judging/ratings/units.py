"""Ratings as units, raters and values, for votes and verdicts; the current state of a project; labels of units."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import OuterRef

from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from judging.cache import changes_of
from judging.formats.format import UNREADABLE_IS_A_TIE
from judging.models import Judge, VerdictChanges
from judging.verdicts import verdict_scores
from lib.stats.labels import majority

CHECKLIST, SCORE, PREFERENCE = "checklist", "score", "preference"
WHAT = CHECKLIST, SCORE, PREFERENCE


# Units: what is rated, the same for every rater.


class Unit:
    """What is rated: an answer, a pair of answers, an item, or what a file names so. Immutable and hashable.

    str() gives its name, which files and JSON have; units are sorted by it, so `answer/12/10` comes before
    `answer/12/2`. answers: the answers that it is about. axis: the question or criterion, "" for the whole.
    """

    __slots__: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[int, ...]:
        return ()

    @property
    def axis(self) -> str:
        return ""

    def __lt__(self, other: "Unit") -> bool:
        return str(self) < str(other)

    def __reduce__(self) -> tuple[type["Unit"], tuple[Any, ...]]:
        """Pickled as one call: the cache holds hundreds of thousands, and dataclasses are slow at it."""
        return type(self), tuple([getattr(self, name) for name in self.__slots__])


@dataclass(frozen=True, slots=True)
class AnswerUnit(Unit):
    """An answer, `answer/12`; with an axis one question of its checklist, `answer/12/3`, or one criterion of its score,
    `answer/12/Clarity`."""

    answer: int
    axis: str = ""

    def __str__(self) -> str:
        return _with_axis(f"answer/{self.answer}", self.axis)

    @property
    def answers(self) -> tuple[int, ...]:
        return (self.answer,)


@dataclass(frozen=True, slots=True)
class PairUnit(Unit):
    """A pair of answers, `pair/12/13`."""

    first: int
    second: int
    axis: str = ""

    @classmethod
    def of(cls, answer: int, other: int, axis: str = "") -> "PairUnit":
        """The pair as all ratings name it, whichever answer a rater saw first: the smaller number first."""
        return cls(min(answer, other), max(answer, other), axis)

    def __str__(self) -> str:
        return _with_axis(f"pair/{self.first}/{self.second}", self.axis)

    @property
    def answers(self) -> tuple[int, ...]:
        return self.first, self.second


@dataclass(frozen=True, slots=True)
class ItemUnit(Unit):
    """A field that several people filled in for an item, `item/4`; in a project of votes with the vote's axis."""

    item: int
    axis: str = ""

    def __str__(self) -> str:
        return _with_axis(f"item/{self.item}", self.axis)


@dataclass(frozen=True, slots=True)
class NamedUnit(Unit):
    """A unit of a file that names its units in its own way."""

    name: str

    def __str__(self) -> str:
        return self.name


def _with_axis(name: str, axis: str) -> str:
    return f"{name}/{axis}" if axis else name


NUMBER = r"([1-9][0-9]{0,18})"
AXIS = r"(?:/(.+))?"
SINGLE = re.compile(f"(answer|item)/{NUMBER}{AXIS}", re.DOTALL)
PAIR = re.compile(f"pair/{NUMBER}/{NUMBER}{AXIS}", re.DOTALL)


def parse_unit(name: str) -> Unit:
    """The unit of this name in a file or a job's subject; str() gives the name back, whatever it is."""
    if pair := PAIR.fullmatch(name):
        return PairUnit(int(pair[1]), int(pair[2]), pair[3] or "")
    if single := SINGLE.fullmatch(name):
        sort = AnswerUnit if single[1] == "answer" else ItemUnit
        return sort(int(single[2]), single[3] or "")
    return NamedUnit(name)


# Ratings: what a rater says of a unit.


@dataclass(frozen=True, slots=True)
class Rater:
    """A person or a judge who rates. sort: `person` or `judge`; pk: of the account or the judge, None for a person from
    a file; name: as reports show it, unique among the raters of a project."""

    sort: str
    name: str
    pk: int | None = None


class Rating(NamedTuple):
    """One value of one rater for one unit; a tuple, because there may be millions, which are stored and read again.

    unit: what is rated, the same for everybody. value: 1.0 or 0.0 for a question that is met or not; a score; `first`,
    `second`, `tie`, `both_bad` for a pair, as the unit names its two; None if the rater could not tell or nothing could
    be read.
    swapped: a judge's verdict, or a person's vote, on the pair shown in the other order; repeat: 1, 2, …
    recognised: a person's vote, if the person thinks they recognised the author.
    item: of the judged project. source: the vote's annotation or the verdict, for the pages behind a number.
    """

    unit: Unit
    rater: Rater
    value: float | str | None
    item: int
    axis: str = ""
    swapped: bool = False
    repeat: int = 1
    source: int = 0
    recognised: bool = False


# Today: the current answers, decided items and judges; votes and verdicts about other states do not count.


class Today:
    """The current state of one project; each part is loaded lazily and once, with one query.

    It lives as long as one request or one report. What is cached for longer has a state in its cache key.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._units: dict[Unit, Unit] = {}

    def shared(self, unit: Unit) -> Unit:
        """The unit as the one object that all its ratings share: a project may have hundreds of thousands."""
        return self._units.setdefault(unit, unit)

    @cached_property
    def judges(self) -> Sequence[Judge]:
        """With the counters of changes of their verdicts, `changes` and `token`, see judging/cache.py."""
        counted = changes_of(VerdictChanges, OuterRef("pk"))
        return list(Judge.objects.filter(project=self.project).annotate(**counted).order_by("pk"))

    @cached_property
    def answers(self) -> Mapping[int, verdict_scores.AnswerColumns]:
        """The newest version of each answer."""
        return verdict_scores.newest_answers(self.project)

    @cached_property
    def subjects(self) -> Mapping[int, verdict_scores.ScoredItem]:
        """Decided items with an answer; none for kinds without candidates."""
        return verdict_scores.read_scored_items(self.project) if self.project.kind.judges_answers else {}

    @cached_property
    def seen(self) -> Mapping[int, str]:
        """Item -> digest of what judges see of it apart from the answers."""
        kind = self.project.kind
        if kind.holds_pairs:
            return self._held()
        if kind.judges_answers:
            return {pk: subject.sha256 for pk, subject in self.subjects.items()}
        # Items of this kind have no candidates: judges see their facts.
        items = Item.objects.counted().filter(project=self.project).exclude(state=Item.State.DROPPED)
        return dict(items.values_list("pk", "content_hash"))

    def _held(self) -> dict[int, str]:
        """The same for items that hold their answers: these are judged even before anybody has worked on them."""
        kind, options, sha_by_item = self.project.kind, self.project.kind_options, {}
        items = Item.objects.counted().filter(project=self.project).exclude(state=Item.State.DROPPED)
        for pk, stored, schema in items.values_list("pk", "facts", "schema").iterator(2000):
            with suppress(BadShape):  # no judge has seen a text that cannot be read any more
                facts = kind.read_facts(kind.upgrade(stored, schema))
                sha_by_item[pk] = kind.judged(facts, kind.read_draft(kind.empty_draft(facts)), options).sha256
        return sha_by_item

    def questions(self, item: int) -> int:
        """Number of questions in the item's checklist."""
        subject = self.subjects.get(item)
        return len(subject.weights) if subject else 0


# Labels: one for each unit, by the majority of people or by a judge's first verdict.


TIE = "tie"
UNREADABLE = "unreadable"
WORDS = {1.0: "met", 0.0: "not met"}
Label = float | str | None


def first_ratings(ratings: Iterable[Rating]) -> dict[tuple[Rater, Unit], Rating]:
    """(rater, unit) -> one rating; if there are several, that of the first repeat in the first order."""
    first_ratings: dict[tuple[Rater, Unit], Rating] = {}
    for rating in ratings:
        previous = first_ratings.get((rating.rater, rating.unit))
        if previous is None or comes_before(rating, previous):
            first_ratings[rating.rater, rating.unit] = rating
    return first_ratings


def comes_before(rating: Rating, other: Rating) -> bool:
    """Whether this one of two ratings of a rater and unit counts: the first repeat in the first order."""
    return (rating.repeat, _turned(rating)) < (other.repeat, _turned(other))


def _turned(rating: Rating) -> bool:
    """Whether a judge saw the other order. People see a pair only once, so for them it does not matter."""
    return rating.swapped and rating.rater.sort == "judge"


def votes(ratings: Iterable[Rating]) -> dict[Unit, list[Label]]:
    """unit -> people's ratings, without those who could not tell."""
    values_by_unit: dict[Unit, list[Label]] = defaultdict(list)
    for (rater, unit), rating in first_ratings(ratings).items():
        if rater.sort == "person" and rating.value is not None:
            values_by_unit[unit].append(rating.value)
    return values_by_unit


def majorities(ratings: Iterable[Rating], rating_kind: str) -> dict[Unit, str | None]:
    """unit -> the most frequent rating of people; None if they are split."""
    return {unit: majority(word(value, rating_kind) for value in values) for unit, values in votes(ratings).items()}


def word(value: Label, rating_kind: str) -> str | None:
    """A value as a label."""
    if value is None or isinstance(value, str):
        return value
    return WORDS[value] if rating_kind == CHECKLIST else f"{value:g}"


def counted_as_ties(raters: Iterable[Rater]) -> frozenset[int]:
    """The judges whose published figures count unreadable verdicts as ties. One query."""
    judges = Judge.objects.filter(pk__in={rater.pk for rater in raters if rater.sort == "judge"})
    return frozenset(judges.filter(variant__contains=UNREADABLE_IS_A_TIE).values_list("pk", flat=True))
