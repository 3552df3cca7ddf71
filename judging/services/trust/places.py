"""Pairs as a judge saw them: which of the two stood first, and which it took."""

from collections.abc import Sequence

import numpy as np

from judging.formats.mtbench import is_order_known
from judging.models import Judge, Verdict
from judging.services.comparing_raters.material import Material
from judging.services.trust.rows import key_of
from lib.stats.averages import Floats

Seen = tuple[Sequence[str], Floats, Floats]


def seen(material: Material, judge: Judge) -> Seen:
    """(pairs, choices by place with the smaller number first, and with it second): 1 first, -1 second, 0 neither, NaN.

    Pairs of today only, the newest verdict of each order and the first time it was asked. A pair of a file in which
    nobody knows the order is NaN, unless the judge saw both. One query.
    """
    units = [unit for unit, ratings in material.said.items() if key_of(judge) in ratings]
    index_by_unit = {unit: index for index, unit in enumerate(units)}
    choices = np.full((2, len(units)), np.nan)
    unknown: set[int] = set()
    columns = ("first_id", "second_id", "swapped", "choice", "job_id", "item__key")
    verdicts = Verdict.objects.pairwise().filter(judge=judge, repeat=1).order_by("pk")
    for first, second, swapped, choice, job, key in verdicts.values_list(*columns).iterator(chunk_size=5000):
        unit = f"pair/{min(first, second)}/{max(first, second)}"
        if unit in index_by_unit:
            smaller_first = (first < second) != swapped
            choices[0 if smaller_first else 1, index_by_unit[unit]] = _place(choice, swapped=swapped)
            if job is None and not is_order_known(key):
                unknown.add(index_by_unit[unit])
    alone = [index for index in unknown if np.isnan(choices[:, index]).any()]
    choices[:, alone] = np.nan
    return units, choices[0], choices[1]


def _place(choice: str, *, swapped: bool) -> float:
    """The verdict names answers; swapped, it saw the second one first."""
    if not choice:
        return np.nan
    if choice not in ("first", "second"):
        return 0.0
    return 1.0 if (choice == "first") != swapped else -1.0
