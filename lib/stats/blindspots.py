"""Blind spots of a judge: outcomes for gold and perturbed answers, and the share of undetected mistakes.

Source: FBI (arXiv 2406.13439); the divisors are those that reproduce its published tables.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lib.stats.intervals import Interval, wilson

UNPARSED = "unparsed"


@dataclass(frozen=True)
class OutcomeShape:
    """One evaluation setting and how its outcomes are counted.

    outcomes: in the order of tables. noticed: outcomes with a detected perturbation; all others are undetected.
    of_parsed: the share divides by readable replies; otherwise by all, so that unreadable replies stay in it.
    """

    name: str
    outcomes: tuple[str, ...]
    noticed: frozenset[str]
    of_parsed: bool = False


SINGLE = OutcomeShape("single", ("detected", "undetected"), frozenset({"detected"}))
PAIRWISE = OutcomeShape(
    "pairwise",
    ("gold", "perturbed", "both_good", "both_bad", "inconsistent"),
    frozenset({"gold"}),
    of_parsed=True,
)
BELOW_TOP = ("top_minus_1", "top_minus_2", "lower")
REFERENCE = OutcomeShape("reference", ("top", *BELOW_TOP), frozenset(BELOW_TOP))
SHAPES = {shape.name: shape for shape in (SINGLE, PAIRWISE, REFERENCE)}


def of_scores(gold: float | None, perturbed: float | None) -> str:
    """Each answer scored alone: detected if the perturbed one got less. None is an unreadable score."""
    if gold is None or perturbed is None:
        return UNPARSED
    return "detected" if perturbed < gold else "undetected"


def of_choices(gold_first: str | None, perturbed_first: str | None) -> str:
    """Both orders of a pair, each as gold, perturbed, both_good or both_bad by answer, not label; None: unreadable.

    Two different choices are inconsistent, whatever they are.
    """
    if not gold_first or not perturbed_first:
        return UNPARSED
    return gold_first if gold_first == perturbed_first else "inconsistent"


def of_reference(score: float | None, top: float) -> str:
    """The perturbed answer scored with the gold one as reference; only the top score means undetected."""
    if score is None:
        return UNPARSED
    below = top - score
    if below <= 0:
        return "top"
    return "top_minus_1" if below <= 1 else "top_minus_2" if below <= 2 else "lower"


@dataclass(frozen=True)
class OutcomeTally:
    """Outcomes of one cell.

    counts: outcome -> pairs, with `unparsed`. found: pairs whose mistake the judge named in its explanation although
    the outcome missed it; None where no explanation was checked.
    """

    shape: OutcomeShape
    counts: Counter[str]
    found: int | None = None

    @property
    def n(self) -> int:
        return self.counts.total()

    @property
    def parsed(self) -> int:
        return self.n - self.counts[UNPARSED]

    @property
    def detected(self) -> int:
        return sum(self.counts[outcome] for outcome in self.shape.noticed)

    @property
    def undetected(self) -> int:
        return self.parsed - self.detected

    @property
    def divisor(self) -> int:
        return self.parsed if self.shape.of_parsed else self.n

    @property
    def share(self) -> float | None:
        """Share of undetected mistakes, 0..1, lower is better; None where the divisor is 0."""
        return self.undetected / self.divisor if self.divisor else None

    @property
    def interval(self) -> Interval | None:
        return wilson(self.undetected, self.divisor)

    @property
    def with_explanations(self) -> float | None:
        """Share of all pairs noticed neither by outcome nor by explanation; None without checked explanations."""
        return None if self.found is None or not self.n else 1 - (self.detected + self.found) / self.n

    def rate(self, outcome: str) -> float | None:
        """Share of one outcome, with the divisor of the shape."""
        return self.counts[outcome] / self.divisor if self.divisor else None


def tally(shape: OutcomeShape, outcomes: Iterable[tuple[str, bool | None]]) -> OutcomeTally:
    """outcomes: (outcome, whether the explanation names the mistake; None if not checked) of each pair.

    A mistake that the outcome noticed does not count as found in the explanation.
    """
    counts: Counter[str] = Counter()
    found_count: int | None = None
    for outcome, is_named in outcomes:
        counts[outcome] += 1
        if is_named is not None:
            found_count = (found_count or 0) + (is_named and outcome not in shape.noticed)
    return OutcomeTally(shape, counts, found_count)


def together(tallies: Iterable[OutcomeTally]) -> OutcomeTally:
    """The sum of tallies of one shape. Raises ValueError for none, or for several shapes."""
    cells = list(tallies)
    shapes = {cell.shape for cell in cells}
    if len(shapes) != 1:
        raise ValueError("cells of exactly one shape can be counted together")
    found_counts = [cell.found for cell in cells if cell.found is not None]
    return OutcomeTally(
        shapes.pop(), sum((cell.counts for cell in cells), Counter()), sum(found_counts) if found_counts else None
    )
