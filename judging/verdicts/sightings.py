"""Sightings: every perturbed answer that a judge was asked about, with the outcome."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.db.models import Q

from annotate.models import Job, Project
from judging.answers.cases import cases, judgeable
from judging.models import Answer, AnswerQuerySet, Author, Judge, Verdict
from lib.stats.blindspots import (
    PAIRWISE,
    REFERENCE,
    SINGLE,
    UNPARSED,
    OutcomeShape,
    of_choices,
    of_reference,
    of_scores,
)

# For a judge with only one kind of ties, a tie is FBI's C: tie, both good.
OUTCOME_OF_CHOICE = {
    "first": "gold",
    "second": "perturbed",
    "both_good": "both_good",
    "both_bad": "both_bad",
    "tie": "both_good",
}
GOLD, PERTURBED = Author.Sort.GOLD.value, Author.Sort.PERTURBED.value
INVARIANT = frozenset({"score-invariant", "score_invariant"})  # labels of perturbations that should not matter
GoldKey = tuple[str, str]  # digest of what the judge saw with it, text
Order = bool  # whether the perturbed answer stood first


@dataclass(frozen=True)
class SightedItem:
    """One decided item. Its category, or people's labels, may say that no judge should mind its perturbation.

    ability: the one under which it is counted; asked_by: the ability that decides the axis in the prompt.
    """

    sha256: str
    ability: str
    category: str
    meant_invariant: bool = False
    found_invariant: bool = False
    asked_by: str = ""

    @property
    def invariant(self) -> bool:
        return self.meant_invariant or self.found_invariant


@dataclass(frozen=True)
class Sighting:
    """One judge's reaction to one perturbation. score: of the perturbed answer; gold: of the gold one, None if that was
    the reference.

    found: whether the explanation names the mistake, None if nobody looked. found_from: what readers of explanations
    were shown, "" for what a file says. verdicts: one, or one per order.
    """

    item_id: int
    subject: SightedItem
    shape: OutcomeShape
    outcome: str
    found: bool | None = None
    score: float | None = None
    gold: float | None = None
    verdicts: tuple[int, ...] = ()
    found_from: frozenset[str] = frozenset()

    @property
    def noticed(self) -> bool:
        return self.outcome in self.shape.noticed


@dataclass(frozen=True)
class _VerdictColumns:
    """The columns of a verdict."""

    pk: int
    score: float | None = None
    choice: str = ""
    top: float | None = None
    found: bool | None = None
    found_from: str = ""

    @property
    def readers(self) -> frozenset[str]:
        return frozenset() if self.found is None else frozenset({self.found_from})


@dataclass
class _NewestVerdicts:
    """The newest verdicts of one judge that are about texts of today, by answer; pairs by (gold, perturbed)."""

    alone: dict[int, _VerdictColumns] = field(default_factory=dict)
    beside: dict[int, _VerdictColumns] = field(default_factory=dict)
    pairs: dict[tuple[int, int], dict[Order, _VerdictColumns]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True)
class Known:
    """The items and answers of a project for all judges. gold, perturbed: answer -> item; twins: see `_twins`."""

    subjects: Mapping[int, SightedItem]
    gold: Mapping[int, int]
    perturbed: Mapping[int, int]
    twins: Mapping[int, Sequence[int]]


def subjects(project: Project) -> dict[int, SightedItem]:
    """item -> its subject, for all items that a report can count."""
    subject_by_item = {}
    for case in cases(judgeable(project)):
        ability, category = (_first(case.judged.labels, name) for name in ("ability", "category"))
        if category:
            counted_as = case.judged.counted_as or ability
            meant, verdict_labels = {counted_as, category}, case.judged.labels.get("verdict", ())
            subject_by_item[case.item.pk] = SightedItem(
                case.judged.sha256,
                counted_as,
                category,
                meant_invariant=not INVARIANT.isdisjoint(meant),
                found_invariant=not INVARIANT.isdisjoint(verdict_labels),
                asked_by=ability,
            )
    return subject_by_item


def _first(labels: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(labels.get(name, ())), "")


def known_of(project: Project) -> Known:
    """Three queries however many judges there are."""
    all_subjects = subjects(project)
    current = Answer.objects.current().filter(author__project=project, sample=1)
    gold = dict(current.filter(author__sort=GOLD).values_list("pk", "item_id").iterator(2000))
    perturbed = dict(current.filter(author__sort=PERTURBED).values_list("pk", "item_id").iterator(2000))
    return Known(
        all_subjects,
        {pk: item for pk, item in gold.items() if item in all_subjects},
        {pk: item for pk, item in perturbed.items() if item in all_subjects},
        _twins(current, all_subjects),
    )


def _twins(current: AnswerQuerySet, subject_by_item: Mapping[int, SightedItem]) -> dict[int, list[int]]:
    """item -> gold answers with the same text and prompt, the nearest first: a judge is asked about one of them."""
    same: dict[GoldKey, list[int]] = defaultdict(list)
    own_gold: dict[int, tuple[int, GoldKey]] = {}
    items: dict[int, int] = {}
    rows = current.filter(author__sort=GOLD).order_by("pk").values_list("pk", "item_id", "text", "known")
    for pk, item, text, is_known in rows.iterator(2000):
        if item in subject_by_item:
            key = (subject_by_item[item].sha256, text if is_known else f"\0{pk}")
            same[key].append(pk)
            own_gold[item], items[pk] = (pk, key), item

    def distance(item: int, pk: int) -> tuple[bool, bool]:
        """The item's own first, then those of the same ability, whose axis may be in the prompt, then the others."""
        return pk != own_gold[item][0], subject_by_item[items[pk]].asked_by != subject_by_item[item].asked_by

    return {item: sorted(same[key], key=partial(distance, item)) for item, (_pk, key) in own_gold.items()}


def sightings(judge: Judge, corpus: Known) -> list[Sighting]:
    """Sightings by item and way of asking, in three queries, without verdicts on older texts and later repeats.

    A question without any reply counts as unreadable. A perturbed answer is not counted until its gold answer was
    judged alone too.
    """
    heard, failed = _newest_verdicts(judge, corpus), _failed(judge, corpus)
    all_sightings = [
        *_alone(heard, failed, corpus),
        *_pairwise_sightings(heard, failed, corpus),
        *_pairs(heard, failed, corpus),
    ]
    return sorted(all_sightings, key=lambda sighting: (sighting.item_id, sighting.shape.name))


def _newest_verdicts(judge: Judge, corpus: Known) -> _NewestVerdicts:
    heard = _NewestVerdicts()
    about = Verdict.objects.filter(judge=judge, repeat=1).filter(
        Q(second=None, first__author__sort__in=(GOLD, PERTURBED))
        | Q(first__author__sort=GOLD, second__author__sort=PERTURBED)
    )
    columns = ("first_id", "second_id", "reference_id", "swapped", "item_id", "case_sha")
    verdict_columns = ("pk", "score_first", "choice", "top", "found_in_explanation", "found_from")
    rows = about.order_by("pk").values_list(*columns, *verdict_columns)
    for first, second, reference, swapped, item, sha, *rest in rows.iterator(2000):
        if item not in corpus.subjects or corpus.subjects[item].sha256 != sha:
            continue
        verdict = _VerdictColumns(*rest)
        if second is not None:
            if first in corpus.gold and second in corpus.perturbed:
                heard.pairs[first, second][swapped] = verdict
        elif first in corpus.perturbed and (reference is not None or verdict.top is not None):
            heard.beside[first] = verdict
        elif first in corpus.gold or first in corpus.perturbed:
            heard.alone[first] = verdict
    return heard


def _alone(heard: _NewestVerdicts, failed: "_Failed", corpus: Known) -> Iterator[Sighting]:
    for answer, item in corpus.perturbed.items():
        verdict = heard.alone.get(answer)
        if verdict is None and answer not in failed.answers:
            continue
        gold_answers = [pk for pk in corpus.twins.get(item, ()) if pk in heard.alone or pk in failed.answers]
        if not gold_answers:
            continue
        gold = next((heard.alone[pk] for pk in gold_answers if pk in heard.alone), None)
        scores = gold.score if gold else None, verdict.score if verdict else None
        verdicts = tuple(side.pk for side in (gold, verdict) if side)
        outcome = of_scores(*scores)
        names_mistake = verdict.found if verdict else None
        readers = verdict.readers if verdict else frozenset()
        yield Sighting(
            item, corpus.subjects[item], SINGLE, outcome, names_mistake, scores[1], scores[0], verdicts, readers
        )


def _pairwise_sightings(heard: _NewestVerdicts, failed: "_Failed", corpus: Known) -> Iterator[Sighting]:
    for answer, verdict in heard.beside.items():
        # Without a top the score has no meaning.
        outcome = UNPARSED if verdict.top is None else of_reference(verdict.score, verdict.top)
        item = corpus.perturbed[answer]
        details = (verdict.found, verdict.score, None, (verdict.pk,), verdict.readers)
        yield Sighting(item, corpus.subjects[item], REFERENCE, outcome, *details)
    for answer in failed.beside - heard.beside.keys():
        item = corpus.perturbed[answer]
        yield Sighting(item, corpus.subjects[item], REFERENCE, UNPARSED)


def _pairs(heard: _NewestVerdicts, failed: "_Failed", corpus: Known) -> Iterator[Sighting]:
    for pair in heard.pairs.keys() | failed.pairs:
        orders = heard.pairs.get(pair, {})
        straight, turned = (
            OUTCOME_OF_CHOICE.get(orders[order].choice) if order in orders else None for order in (False, True)
        )
        verdicts = tuple(orders[order].pk for order in (False, True) if order in orders)
        namings = [verdict.found for verdict in orders.values() if verdict.found is not None]
        names_mistake = any(namings) if namings else None
        item, outcome = corpus.perturbed[pair[1]], of_choices(straight, turned)
        readers = frozenset[str]().union(*(verdict.readers for verdict in orders.values()))
        yield Sighting(
            item, corpus.subjects[item], PAIRWISE, outcome, names_mistake, verdicts=verdicts, found_from=readers
        )


@dataclass
class _Failed:
    """Failed questions of this judge's runs: answers alone, with a reference, and pairs."""

    answers: set[int] = field(default_factory=set)
    beside: set[int] = field(default_factory=set)
    pairs: set[tuple[int, int]] = field(default_factory=set)


def _failed(judge: Judge, corpus: Known) -> _Failed:
    jobs = Job.objects.filter(run__judge_run__judge=judge, run__project=judge.project_id, state=Job.State.FAILED)
    failed = _Failed()
    for subject, reference in jobs.values_list("subject", "run__options__reference"):
        match [int(part) for part in subject.split("/")[1:] if part.isdecimal()]:
            case [answer] if answer in corpus.perturbed and reference:
                failed.beside.add(answer)
            case [answer] if not reference and (answer in corpus.gold or answer in corpus.perturbed):
                failed.answers.add(answer)
            case [gold, perturbed] if gold in corpus.gold and perturbed in corpus.perturbed:
                failed.pairs.add((gold, perturbed))
    return failed
