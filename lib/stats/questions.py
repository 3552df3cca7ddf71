"""How well one yes/no question of a checklist works, over the answers that were judged by it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from lib.stats.correlation import pearson

Z = 1.959964  # of a 95 % interval
Met = Sequence[bool | None]  # one an answer; None: nothing was said


@dataclass(frozen=True)
class Figure:
    """value: None where it is not defined; note says why then. n: answers (or pairs) that it stands on."""

    value: float | None
    n: int
    note: str = ""


@dataclass(frozen=True)
class Share:
    """met of n answers. low, high: 95 % interval, 0..1; None with value where n is 0. skipped: nothing was said."""

    value: float | None
    met: int
    n: int
    low: float | None = None
    high: float | None = None
    skipped: int = 0


def share_met(verdicts: Met) -> Share:
    """Share of answers that meet the question, with its Wilson interval.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference" (JASA, 1927).
    """
    known_verdicts = [verdict for verdict in verdicts if verdict is not None]
    n, met, skipped = len(known_verdicts), sum(known_verdicts), len(verdicts) - len(known_verdicts)
    if not n:
        return Share(None, 0, 0, skipped=skipped)
    value, square = met / n, Z * Z / n
    middle = (value + square / 2) / (1 + square)
    half = Z * sqrt(value * (1 - value) / n + square / (4 * n)) / (1 + square)
    return Share(value, met, n, max(middle - half, 0.0), min(middle + half, 1.0), skipped)


def discrimination(question: Met, other_questions: Sequence[Met]) -> Figure:
    """Corrected item–total correlation, -1..1: do answers that meet the rest of the checklist meet this one?

    other_questions: the other questions, over the same answers. The total is the share met of those about which
    something was said, and leaves the question itself out. An answer of which one side is unknown is left out.
    Undefined for a single question, for fewer than three answers, and where one side never varies.
    """
    if not other_questions:
        return Figure(None, 0, "alone")
    rows = [
        (float(verdict), total)
        for index, verdict in enumerate(question)
        if verdict is not None
        and (total := _share([other_question[index] for other_question in other_questions])) is not None
    ]
    return _correlation(rows)


def against(question: Met, other_question: Met) -> Figure:
    """Phi coefficient with another question, -1..1: minus one where exactly those meet it who miss the other."""
    rows = [
        (float(verdict), float(two))
        for verdict, two in zip(question, other_question, strict=True)
        if verdict is not None and two is not None
    ]
    return _correlation(rows)


def agreement(judges: Sequence[Met]) -> Figure:
    """Share of pairs of judges that said the same of an answer, over all answers; 0..1. n: such pairs.

    judges: what each of them said of the same answers. Undefined where no answer was judged by two.
    """
    pairs = [
        (first_verdict, second_verdict)
        for verdicts in zip(*judges, strict=True)
        for first_verdict, second_verdict in combinations([verdict for verdict in verdicts if verdict is not None], 2)
    ]
    if not pairs:
        return Figure(None, 0, "one judge")
    return Figure(
        sum(first_verdict == second_verdict for first_verdict, second_verdict in pairs) / len(pairs), len(pairs)
    )


def _share(verdicts: Met) -> float | None:
    known_verdicts = [verdict for verdict in verdicts if verdict is not None]
    return sum(known_verdicts) / len(known_verdicts) if known_verdicts else None


def _correlation(rows: Sequence[tuple[float, float]]) -> Figure:
    n = len(rows)
    if n < 3:
        return Figure(None, n, "too few")
    left, right = zip(*rows, strict=True)
    if len(set(left)) == 1:
        return Figure(None, n, "always" if left[0] else "never")
    if len(set(right)) == 1:
        return Figure(None, n, "rest")
    return Figure(pearson(left, right).value, n)
