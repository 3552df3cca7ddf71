"""The difficulty filter: which accepted items all weak authors solve, dropping those items, and restoring them."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isnan

from django.db.models import OuterRef, QuerySet, Subquery

from annotate.items import actions
from annotate.items.actions import NotApplicable, RefusalReason
from annotate.models import Event, Item, Project, Run, User
from judging.answers.cases import cases, judgeable
from judging.boards.report import Refused, judge_named
from judging.cache import cached, states_of
from judging.models import Judge, JudgeRun, Verdict
from judging.ratings.leaderboards import table_of
from judging.verdicts.verdict_scores import JudgeScores, judges, scores
from lib.stats.averages import averages, cell_means
from lib.stats.checklists import too_easy

LISTED = 100  # runs that are offered


@dataclass(frozen=True)
class Source:
    """Whose verdicts count. run: None if all verdicts of the judge count, as with imported judgements."""

    judge: Judge
    run: Run | None = None

    def __str__(self) -> str:
        return f"run {self.run.pk} ({self.judge})" if self.run else str(self.judge)

    @property
    def word(self) -> str:
        """Its name in addresses."""
        return str(self.run.pk) if self.run else f"judge-{self.judge.pk}"

    @cached_property
    def scores(self) -> JudgeScores:
        """The judge's scores, cached for each state of the project."""
        state = states_of(self.judge.project, [self.judge])[self.judge.pk]
        make = partial(scores, self.judge.project, self.judge, run=self.run)
        return cached("scores" if self.run is None else f"scores:{self.run.pk}", state, make)


def sources(project: Project) -> Sequence[Source]:
    """Judge runs, the newest first, then judges; two queries."""
    judge_by_pk = {judge.pk: judge for judge in judges(project)}
    for judge in judge_by_pk.values():
        judge.project = project
    judge_runs = JudgeRun.objects.filter(run__project=project).select_related("run").order_by("-run_id")[:LISTED]
    of_runs = [
        Source(judge_by_pk[judge_run.judge_id], judge_run.run)
        for judge_run in judge_runs
        if judge_run.judge_id in judge_by_pk
    ]
    return [*of_runs, *(Source(judge) for judge in judge_by_pk.values())]


def source_named(project: Project, word: str) -> Source:
    """The judge run of that number, or the judge of that name. Raises Refused."""
    if word.isascii() and word.isdecimal() and len(word) < 19:
        run = Run.objects.filter(project=project, purpose="judge", pk=int(word)).first()
        judge = Judge.objects.filter(judge_runs__run=run).first() if run else None
        if run and judge:
            return Source(judge, run)
        if run:
            raise Refused(f"Run {word} has judged nothing yet.")
        if not any(judge.name == word for judge in judges(project)):
            raise Refused(f"There is no judge run {word} in this project. {_offered(project)}")
    return Source(judge_named(project, word))


def _offered(project: Project) -> str:
    offered = ", ".join(f"“{source}”" for source in sources(project)[:20])
    return f"There are: {offered}." if offered else "Nothing has been judged yet."


# Weighing: the items that all weak authors solve, and how dropping them changes the balance of tasks.


NO_TASK = "–"
SAMPLED = 10


@dataclass(frozen=True)
class WeighedItem:
    """One accepted item. easy: None if a weak author has no score on it. scores: weak author -> mean, if known."""

    item_id: int
    base_id: int
    key: str
    task: str
    easy: bool | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Balance:
    """Items of one task before and after; share_before, share_after: 0..1 of all items, 0 if there are none."""

    task: str
    before: int
    after: int
    share_before: float
    share_after: float


@dataclass(frozen=True)
class Difficulty:
    """items: every accepted item; items that could not be weighed are kept."""

    source: Source
    authors: Sequence[str]
    threshold: float
    items: Sequence[WeighedItem]

    @property
    def dropped(self) -> list[WeighedItem]:
        return [item for item in self.items if item.easy]

    @property
    def kept(self) -> int:
        return len(self.items) - len(self.dropped)

    @property
    def unjudged(self) -> int:
        """How many are kept because a weak author has no score on them."""
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

    def sample(self, seed: int = 0, size: int = SAMPLED) -> list[WeighedItem]:
        """A sample of the dropped items for inspection: the same ones for the same seed, by item."""
        dropped_items = self.dropped
        sampled_items = random.Random(seed).sample(dropped_items, min(size, len(dropped_items)))  # noqa: S311 - a sample, not a secret
        return sorted(sampled_items, key=lambda item: item.item_id)


def authors_of(source: Source) -> list[str]:
    """Authors whose answers it has judged, whether or not the items are still accepted."""
    judged = Verdict.objects.single().filter(judge=source.judge)
    judged = judged if source.run is None else judged.filter(job__run=source.run)
    return sorted(set(judged.values_list("first__author__name", flat=True).distinct()))


def weakest_first(source: Source) -> list[tuple[str, float | None]]:
    """These authors with their overall averages, 0..1; authors without a valid score come last, with None."""
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
        WeighedItem(
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


# Applying: drop the items, with the evidence in each item's history, and restore them.


REASON = "too_easy"
EVIDENCE = "Difficulty filter: "  # prefix of the notes of this filter, by which they are found again


@dataclass
class AppliedFilter:
    """left_out: reason -> items, such as those that somebody moved meanwhile."""

    count: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def apply(difficulty: Difficulty, *, by: User | None) -> AppliedFilter:
    """Drop the items found, each only if its text is still the one that was judged. Idempotent."""
    weighed, change = {item.item_id: item for item in difficulty.dropped}, AppliedFilter()

    def drop(item: Item) -> None:
        if item.state != Item.State.ACCEPTED or item.base_id != weighed[item.pk].base_id:
            raise NotApplicable(RefusalReason.DROPPED if item.state == Item.State.DROPPED else RefusalReason.RACED)
        actions.drop(item, by=by, reason=REASON, note=evidence(difficulty, weighed[item.pk]))

    ids = sorted(weighed)
    for start in range(0, len(ids), actions.AT_ONCE):
        items = Item.objects.filter(
            project=difficulty.source.judge.project_id, pk__in=ids[start : start + actions.AT_ONCE]
        )
        recorded = {"verb": "drop", "reason": REASON, "source": str(difficulty.source)}
        _add(change, actions.work_through(items, drop, project=difficulty.source.judge.project, recorded=recorded))
    return change


def evidence(difficulty: Difficulty, item: WeighedItem) -> str:
    """The note in the history: the source, the threshold and the scores."""
    scores = ", ".join(f"{author} {item.scores[author]:.2f}" for author in difficulty.authors)
    return f"{EVIDENCE}{difficulty.source}, threshold {difficulty.threshold:.2f}. {scores}."


def dropped_items(project: Project) -> QuerySet[Item]:
    """Items that this filter has dropped and nobody has restored since; `why`: the note in the history."""
    notes = Event.objects.filter(item=OuterRef("pk"), verb="dropped").order_by("-pk").values("note")[:1]
    dropped = Item.objects.filter(project=project, state=Item.State.DROPPED, drop_reason=REASON)
    return dropped.annotate(why=Subquery(notes)).filter(why__startswith=EVIDENCE)


def sample_of_dropped(items: QuerySet[Item], seed: int, size: int = SAMPLED) -> QuerySet[Item]:
    """A sample for inspection, with `why`: the same ones for the same seed while the set does not change."""
    ids = list(items.order_by("pk").values_list("pk", flat=True))
    return items.filter(pk__in=random.Random(seed).sample(ids, min(size, len(ids))))  # noqa: S311 - a sample, no secret


def restore(project: Project, *, by: User | None, items: QuerySet[Item] | None = None) -> AppliedFilter:
    """Accept again what this filter has dropped: all of it, or those of `items` that it has."""
    restorable_items = (
        dropped_items(project) if items is None else dropped_items(project).filter(pk__in=items.values("pk"))
    )
    change, after, finished = AppliedFilter(), 0, False
    while not finished:
        outcome = actions.work_through(
            restorable_items,
            lambda item: actions.reinstate(item, by=by),
            project=project,
            recorded={"verb": "reinstate", "reason": REASON},
            after=after,
        )
        after, finished = outcome.after, outcome.finished
        _add(change, outcome)
    return change


def _add(change: AppliedFilter, outcome: actions.BulkOutcome) -> None:
    change.count += outcome.done
    change.left_out += outcome.left_out
