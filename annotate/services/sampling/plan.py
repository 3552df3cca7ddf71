"""How many of a batch have to be looked at, so that a bad batch is rarely taken for a good one. Pure and exact.

Acceptance sampling by attributes, as in every textbook of quality control: a batch is taken when its sample holds no
more faults than allowed. Sums of whole numbers, so that nothing is lost to rounding.
"""

from fractions import Fraction
from math import comb


def chance_of_passing(batch: int, faulty: int, size: int, allowed: int = 0) -> Fraction:
    """The probability that a sample drawn without replacement holds at most `allowed` faulty items (hypergeometric).

    0 <= faulty <= batch and 0 <= size <= batch; raises ValueError otherwise.
    """
    if not (0 <= faulty <= batch and 0 <= size <= batch and allowed >= 0):
        raise ValueError(f"no sample of {size} from {batch} with {faulty} faulty")
    most = min(allowed, faulty, size)
    ways = sum(
        comb(faulty, faulty_count) * comb(batch - faulty, size - faulty_count) for faulty_count in range(most + 1)
    )
    return Fraction(ways, comb(batch, size))


def fewest_intolerable(batch: int, tolerated: Fraction) -> int:
    """The smallest number of faulty items that is more than the tolerated share of the batch."""
    return int(tolerated * batch) + 1


def sample_size(batch: int, *, tolerated: Fraction, risk: Fraction, allowed: int = 0) -> int:
    """The fewest items to look at, so that a batch with more than the tolerated share passes at most with `risk`.

    tolerated in 0..1 and risk in 0..1, both exact. Where no batch of this size can hold more faults than tolerated
    nothing has to be looked at: 0. The whole batch is the answer where no smaller sample is enough.
    """
    faulty = fewest_intolerable(batch, tolerated)
    if faulty > batch:
        return 0
    low, high = min(allowed + 1, batch), batch  # the chance falls as the sample grows
    while low < high:
        middle = (low + high) // 2
        if chance_of_passing(batch, faulty, middle, allowed) <= risk:
            high = middle
        else:
            low = middle + 1
    return low
