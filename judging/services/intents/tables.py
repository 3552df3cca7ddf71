"""Means of authors by intent, language and side, each with its interval; all together by case."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.kinds.use_case.intents import NAMES
from judging.services.intents.reading import ALL, Said
from lib.stats.figures import Figure, mean_figure

SIDES = ("objective", "subjective")


@dataclass(frozen=True)
class Row:
    """One author's mean. group: an intent, a side, or ALL; language: one, or ALL. figure.n: cases."""

    author: str
    group: str
    language: str
    figure: Figure


def by_intent(case_means: Sequence[Said]) -> list[Row]:
    """Of one judge: each author with all cases, then each language of them; then the same of each intent.

    Only groups with cases. The mean over all cases is that of the intents weighted by their cases.
    """
    return list(_rows(case_means, [ALL, *intents(case_means)], lambda case_mean: case_mean.intent))


def by_side(case_means: Sequence[Said]) -> list[Row]:
    """The same of intents whose answers are right or wrong (objective), and of those that are a matter of taste."""
    return list(_rows(case_means, SIDES, lambda case_mean: case_mean.side))


def intents(case_means: Iterable[Said]) -> list[str]:
    """Those that there are, in the order of the paper; a project's own ones after them."""
    order = {intent: position for position, intent in enumerate(NAMES)}
    return sorted(
        {case_mean.intent for case_mean in case_means}, key=lambda intent: (order.get(intent, len(order)), intent)
    )


def languages(case_means: Iterable[Said]) -> list[str]:
    return sorted({case_mean.language for case_mean in case_means})


def _rows(case_means: Sequence[Said], groups: Sequence[str], group_of: Callable[[Said], str]) -> Iterable[Row]:
    cells: dict[tuple[str, str, str], list[float]] = {}
    for case_mean in case_means:
        for group in {ALL, group_of(case_mean)}:
            for language in (ALL, case_mean.language):
                cells.setdefault((case_mean.author, group, language), []).append(case_mean.score)
    for author in sorted({case_mean.author for case_mean in case_means}):
        for group in groups:
            for language in (ALL, *languages(case_means)):
                if values := cells.get((author, group, language)):
                    yield Row(author, group, language, mean_figure(np.array(values), within=case_means[0].scale))


def means(rows: Iterable[Row], group: str, language: str = ALL) -> Mapping[str, float | None]:
    """author -> mean."""
    return {row.author: row.figure.value for row in rows if (row.group, row.language) == (group, language)}
