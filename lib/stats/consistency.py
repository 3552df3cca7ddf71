"""Consistency of a judge over both orders of a pair, its agreement with people, and FB-Bench's consistency rate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lib.stats.figures import NO_UNITS, Figure, gettext_noop, share_figure, undefined

ONE_ORDER = gettext_noop("Judged in one order only.")
NO_LABELS = gettext_noop("There are no human votes.")
NONE_CONSISTENT = gettext_noop("No pair got the same verdict in both orders.")


@dataclass(frozen=True)
class OrderPair:
    """One judge's choices on one pair. label: people's choice; None where there is none.

    straight, swapped: the choices in the two orders, both named by answer, so that equal values are the same choice.
    swapped: None where it was asked in one order.
    """

    straight: str
    swapped: str | None = None
    label: str | None = None

    @property
    def consistent(self) -> bool:
        return self.straight == self.swapped


@dataclass(frozen=True)
class OrderCounts:
    """Shares of 0..1 over n pairs, each with Wilson's interval.

    consistency: the same in both orders; agreement: the same in both, and people's label; accuracy: the first order
    is people's label; agreement_of_consistent: people's label, of those that are the same in both orders.
    """

    n: int
    agreement: Figure
    consistency: Figure
    accuracy: Figure
    agreement_of_consistent: Figure


def orders(pairs: Sequence[OrderPair]) -> OrderCounts:
    """Counts for pairs that were all asked in both orders, or all in one, and that all have a label, or none has.

    Raises ValueError where they are mixed, because a share of all would mean different things for the two parts.
    Source: the definitions by which Fennec (arXiv 2405.12163) and Auto-J publish agreement and consistency: the
    denominator is all pairs.
    """
    n = len(pairs)
    twice, labelled = (
        _alike(pair.swapped is not None for pair in pairs),
        _alike(pair.label is not None for pair in pairs),
    )
    if not n:
        return OrderCounts(0, *[undefined(NO_UNITS)] * 4)
    steady = [pair for pair in pairs if pair.consistent]
    right = sum(pair.label == pair.straight for pair in steady)
    right_straight = sum(pair.label == pair.straight for pair in pairs)
    return OrderCounts(
        n,
        agreement=_share(right, n, _missing(twice, labelled)),
        consistency=_share(len(steady), n, _missing(twice, True)),
        accuracy=_share(right_straight, n, _missing(True, labelled)),
        agreement_of_consistent=_share(right, len(steady), _missing(twice, labelled) or _none(steady)),
    )


def _alike(flags: Iterable[bool]) -> bool:
    distinct_flags = set(flags)
    if len(distinct_flags) > 1:
        raise ValueError("Pairs asked in one order and in both, or with labels and without, are not one share.")
    return True in distinct_flags


def _missing(twice: bool, labelled: bool) -> str:
    return "" if twice and labelled else ONE_ORDER if not twice else NO_LABELS


def _none(steady: Sequence[OrderPair]) -> str:
    return "" if steady else NONE_CONSISTENT


def _share(hits: int, n: int, why: str) -> Figure:
    return undefined(why, n) if why else share_figure(hits, n)


@dataclass(frozen=True)
class ConsistencyRate:
    """How often two raters gave equal verdicts on checklists of one author's answers.

    questions, samples: number of units; same_*: units with equal verdicts; for a sample, on all its questions.
    """

    questions: int
    same_questions: int
    samples: int
    same_samples: int

    @property
    def per_question(self) -> float:
        return self.same_questions / self.questions

    @property
    def per_sample(self) -> float:
        return self.same_samples / self.samples


@dataclass(frozen=True)
class Rate:
    """The consistency rate of FB-Bench: a share for each evaluated author, then the plain mean of the authors.

    per_question, per_sample: None where no question was judged by both. skipped: questions with a verdict on one
    side only.
    """

    authors: Mapping[str, ConsistencyRate]
    per_question: float | None
    per_sample: float | None
    skipped: int


Place = tuple[str, str, str]  # author, sample (an answer), question


def consistency_rate(left: Mapping[Place, bool | None], right: Mapping[Place, bool | None]) -> Rate:
    """How often two raters judged checklist questions alike.

    left, right: (author, sample, question) -> met or not; None, or missing on one side, leaves the question out.
    Source: FB-Bench (arXiv 2410.09412): each evaluated model counts once, however many questions it was asked.
    """
    shared_keys = [key for key, value in left.items() if value is not None and right.get(key) is not None]
    known_keys = {key for side in (left, right) for key, value in side.items() if value is not None}
    by_author: dict[str, dict[str, list[bool]]] = {}
    for author, sample, question in shared_keys:
        same = left[author, sample, question] == right[author, sample, question]
        by_author.setdefault(author, {}).setdefault(sample, []).append(same)
    authors = {author: _alike_in(samples) for author, samples in sorted(by_author.items())}
    return Rate(
        authors,
        _plain_mean([alike.per_question for alike in authors.values()]),
        _plain_mean([alike.per_sample for alike in authors.values()]),
        skipped=len(known_keys) - len(shared_keys),
    )


def _alike_in(samples: Mapping[str, Sequence[bool]]) -> ConsistencyRate:
    return ConsistencyRate(
        questions=sum(map(len, samples.values())),
        same_questions=sum(map(sum, samples.values())),
        samples=len(samples),
        same_samples=sum(map(all, samples.values())),
    )


def _plain_mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
