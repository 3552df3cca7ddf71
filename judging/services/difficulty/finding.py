"""Which accepted items all of the weak authors solve, and what dropping them does to the balance of tasks."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from annotate.models import Project
from judging.models import Verdict
from judging.services.cases import cases, judgeable
from judging.services.difficulty.sources import Source
from judging.services.leaderboard import table_of
from judging.services.reports.base import Refused
from lib.stats.averages import averages, cell_means
from lib.stats.difficulty import too_easy

NO_TASK = "–"
SAMPLED = 10


@dataclass(frozen=True)
class Weighed:
    """One accepted item. easy: None where a weak author has no score on it. scores: weak author -> mean, if known."""

    item_id: int
    base_id: int
    key: str
    task: str
    easy: bool | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Balance:
    """Items of one task before and after; share_before, share_after: 0..1 of all items, 0 where there are none."""

    task: str
    before: int
    after: int
    share_before: float
    share_after: float


@dataclass(frozen=True)
class Difficulty:
    """items: every accepted item; what could not be weighed is kept."""

    source: Source
    authors: Sequence[str]
    threshold: float
    items: Sequence[Weighed]

    @property
    def dropped(self) -> list[Weighed]:
        return [item for item in self.items if item.easy]

    @property
    def kept(self) -> int:
        return len(self.items) - len(self.dropped)

    @property
    def unjudged(self) -> int:
        """Kept because some weak author has no score on them."""
        return sum(item.easy is None for item in self.items)

    @property
    def balance(self) -> list[Balance]:
        """By task, the largest first."""
        counts, dropped_counts = Counter(item.task for item in self.items), Counter(item.task for item in self.dropped)
        all_before, all_after = len(self.items), self.kept
        return [
            Balance(
                task,
                n,
                n - dropped_counts[task],
                n / all_before,
                (n - dropped_counts[task]) / all_after if all_after else 0.0,
            )
            for task, n in sorted(counts.items(), key=lambda task_count: (-task_count[1], task_count[0]))
        ]

    def sample(self, seed: int = 0, size: int = SAMPLED) -> list[Weighed]:
        """Some of the dropped, to look at: the same ones for the same seed, in the order of the items."""
        dropped_items = self.dropped
        sampled_items = random.Random(seed).sample(dropped_items, min(size, len(dropped_items)))  # noqa: S311 - a sample, not a secret
        return sorted(sampled_items, key=lambda item: item.item_id)


def authors_of(source: Source) -> list[str]:
    """Whose answers it has judged, be the items still accepted or not."""
    judged = Verdict.objects.single().filter(judge=source.judge)
    judged = judged if source.run is None else judged.filter(job__run=source.run)
    return sorted(set(judged.values_list("first__author__name", flat=True).distinct()))


def weakest_first(source: Source) -> list[tuple[str, float | None]]:
    """These authors with their overall averages, 0..1; last those of whom nothing counts today, with None."""
    table = table_of(source.scores.rows)
    overall = averages(cell_means(table), table.cells)[:, -1].tolist()
    mean_by_author = {author: mean for author, mean in zip(table.authors, overall, strict=True) if not isnan(mean)}
    return sorted(((name, mean_by_author.get(name)) for name in authors_of(source)), key=_strength)


def _strength(author: tuple[str, float | None]) -> tuple[bool, float, str]:
    name, mean = author
    return mean is None, mean or 0.0, name


def difficulty(project: Project, source: Source, authors: Sequence[str], threshold: float = 1.0) -> Difficulty:
    """Weigh every accepted item. Raises Refused where an author is not among those judged."""
    rows = source.scores.rows
    judged = authors_of(source)
    unknown = [author for author in authors if author not in judged]
    if unknown or not authors:
        problem = f"{source} has judged no answer of “{unknown[0]}”." if unknown else "Name at least one weak author."
        raise Refused(f"{problem} Authors: {', '.join(judged) or 'none'}.")
    scores: dict[int, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.author in authors:
            scores[row.item_id][row.author].append(None if row.failed else row.score)
    items = [
        Weighed(
            item_id=case.item.pk,
            base_id=case.item.base_id or 0,
            key=case.item.key,
            task=" / ".join(case.judged.labels.get("task", ())) or NO_TASK,
            easy=too_easy(scores.get(case.item.pk, {}), authors, threshold),
            scores=_means(scores.get(case.item.pk, {})),
        )
        for case in cases(judgeable(project).order_by("pk"))
    ]
    return Difficulty(source, list(authors), threshold, items)


def _means(scores: Mapping[str, Sequence[float | None]]) -> dict[str, float]:
    scores_by_author = {
        author: [score for score in author_scores if score is not None] for author, author_scores in scores.items()
    }
    return {
        author: sum(author_scores) / len(author_scores)
        for author, author_scores in scores_by_author.items()
        if author_scores
    }
