"""Every perturbed answer that a judge was asked about, with what came of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.db.models import Q

from annotate.models import Job, Project
from judging.models import Answer, AnswerQuerySet, Author, Judge, Verdict
from judging.services.cases import cases, judgeable
from lib.stats.blindspots import PAIRWISE, REFERENCE, SINGLE, UNPARSED, Shape, of_choices, of_reference, of_scores

# A tie of a judge that knows one sort of ties is FBI's C: tie, both good.
AS_SAID = {"first": "gold", "second": "perturbed", "both_good": "both_good", "both_bad": "both_bad", "tie": "both_good"}
GOLD, PERTURBED = Author.Sort.GOLD.value, Author.Sort.PERTURBED.value
INVARIANT = frozenset({"score-invariant", "score_invariant"})  # labels of what changes nothing that should be minded
GoldKey = tuple[str, str]  # of what the judge saw beside it, text
Order = bool  # whether the perturbed answer stood first


@dataclass(frozen=True)
class Subject:
    """One decided item. Its category may ask for a change that no judge should mind, or people may have found it so.

    ability: under which it is counted; asked_by: the ability by which judges are told an axis.
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
    """What one judge made of one perturbation. score: of the perturbed answer; gold: of the gold one, None beside it.

    found: whether the explanation names the mistake, None where nobody looked. found_from: what readers of explanations
    were shown, "" for what a file says. verdicts: one, or one an order.
    """

    item_id: int
    subject: Subject
    shape: Shape
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
class _Said:
    """A verdict as columns. reading: whether score or choice can be used."""

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
class _Heard:
    """The newest verdicts of one judge that are about texts of today, by answer; pairs by (gold, perturbed)."""

    alone: dict[int, _Said] = field(default_factory=dict)
    beside: dict[int, _Said] = field(default_factory=dict)
    pairs: dict[tuple[int, int], dict[Order, _Said]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True)
class Known:
    """What all judges of a project are read against. gold, perturbed: answer -> item; twins: see `_twins`."""

    subjects: Mapping[int, Subject]
    gold: Mapping[int, int]
    perturbed: Mapping[int, int]
    twins: Mapping[int, Sequence[int]]


def subjects(project: Project) -> dict[int, Subject]:
    """item -> its subject, of all that a report can count."""
    found = {}
    for case in cases(judgeable(project)):
        ability, category = (_first(case.judged.labels, name) for name in ("ability", "category"))
        if category:
            counted_as = case.judged.counted_as or ability
            meant, said = {counted_as, category}, case.judged.labels.get("verdict", ())
            found[case.item.pk] = Subject(
                case.judged.sha256,
                counted_as,
                category,
                meant_invariant=not INVARIANT.isdisjoint(meant),
                found_invariant=not INVARIANT.isdisjoint(said),
                asked_by=ability,
            )
    return found


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


def _twins(current: AnswerQuerySet, known: Mapping[int, Subject]) -> dict[int, list[int]]:
    """item -> gold answers that say the same to the same prompt, the nearest first: a judge is asked about one."""
    same: dict[GoldKey, list[int]] = defaultdict(list)
    own: dict[int, tuple[int, GoldKey]] = {}
    items: dict[int, int] = {}
    rows = current.filter(author__sort=GOLD).order_by("pk").values_list("pk", "item_id", "text", "known")
    for pk, item, text, is_known in rows.iterator(2000):
        if item in known:
            key = (known[item].sha256, text if is_known else f"\0{pk}")
            same[key].append(pk)
            own[item], items[pk] = (pk, key), item

    def distance(item: int, pk: int) -> tuple[bool, bool]:
        """Its own, then those of the same ability, whose axis may stand in the prompt, then the others."""
        return pk != own[item][0], known[items[pk]].asked_by != known[item].asked_by

    return {item: sorted(same[key], key=partial(distance, item)) for item, (_pk, key) in own.items()}


def sightings(judge: Judge, known: Known) -> list[Sighting]:
    """By item and way of asking: three queries. Verdicts on older texts, and repeats after the first, are left out.

    What was asked for and never answered cannot be read. A perturbed answer whose gold one was never asked about alone
    is not counted yet.
    """
    heard, failed = _heard(judge, known), _failed(judge, known)
    found = [*_alone(heard, failed, known), *_beside(heard, failed, known), *_pairs(heard, failed, known)]
    return sorted(found, key=lambda each: (each.item_id, each.shape.name))


def _heard(judge: Judge, known: Known) -> _Heard:
    heard = _Heard()
    about = Verdict.objects.filter(judge=judge, repeat=1).filter(
        Q(second=None, first__author__sort__in=(GOLD, PERTURBED))
        | Q(first__author__sort=GOLD, second__author__sort=PERTURBED)
    )
    columns = ("first_id", "second_id", "reference_id", "swapped", "item_id", "case_sha")
    said = ("pk", "score_first", "choice", "top", "found_in_explanation", "found_from")
    rows = about.order_by("pk").values_list(*columns, *said)
    for first, second, reference, swapped, item, sha, *rest in rows.iterator(2000):
        if item not in known.subjects or known.subjects[item].sha256 != sha:
            continue
        one = _Said(*rest)
        if second is not None:
            if first in known.gold and second in known.perturbed:
                heard.pairs[first, second][swapped] = one
        elif first in known.perturbed and (reference is not None or one.top is not None):
            heard.beside[first] = one
        elif first in known.gold or first in known.perturbed:
            heard.alone[first] = one
    return heard


def _alone(heard: _Heard, failed: "_Failed", known: Known) -> Iterator[Sighting]:
    for answer, item in known.perturbed.items():
        said = heard.alone.get(answer)
        if said is None and answer not in failed.answers:
            continue
        asked = [pk for pk in known.twins.get(item, ()) if pk in heard.alone or pk in failed.answers]
        if not asked:
            continue
        gold = next((heard.alone[pk] for pk in asked if pk in heard.alone), None)
        scores = gold.score if gold else None, said.score if said else None
        verdicts = tuple(one.pk for one in (gold, said) if one)
        outcome = of_scores(*scores)
        found = said.found if said else None
        readers = said.readers if said else frozenset()
        yield Sighting(item, known.subjects[item], SINGLE, outcome, found, scores[1], scores[0], verdicts, readers)


def _beside(heard: _Heard, failed: "_Failed", known: Known) -> Iterator[Sighting]:
    for answer, said in heard.beside.items():
        # Without a top nobody knows what the score says.
        outcome = UNPARSED if said.top is None else of_reference(said.score, said.top)
        item = known.perturbed[answer]
        told = (said.found, said.score, None, (said.pk,), said.readers)
        yield Sighting(item, known.subjects[item], REFERENCE, outcome, *told)
    for answer in failed.beside - heard.beside.keys():
        item = known.perturbed[answer]
        yield Sighting(item, known.subjects[item], REFERENCE, UNPARSED)


def _pairs(heard: _Heard, failed: "_Failed", known: Known) -> Iterator[Sighting]:
    for pair in heard.pairs.keys() | failed.pairs:
        orders = heard.pairs.get(pair, {})
        straight, turned = (AS_SAID.get(orders[order].choice) if order in orders else None for order in (False, True))
        verdicts = tuple(orders[order].pk for order in (False, True) if order in orders)
        named = [one.found for one in orders.values() if one.found is not None]
        found = any(named) if named else None
        item, outcome = known.perturbed[pair[1]], of_choices(straight, turned)
        readers = frozenset[str]().union(*(one.readers for one in orders.values()))
        yield Sighting(item, known.subjects[item], PAIRWISE, outcome, found, verdicts=verdicts, found_from=readers)


@dataclass
class _Failed:
    """What a run of this judge has asked in vain: answers alone, beside a reference, and pairs."""

    answers: set[int] = field(default_factory=set)
    beside: set[int] = field(default_factory=set)
    pairs: set[tuple[int, int]] = field(default_factory=set)


def _failed(judge: Judge, known: Known) -> _Failed:
    jobs = Job.objects.filter(
        run__project=judge.project_id, run__purpose="judge", run__options__judge=judge.pk, state=Job.State.FAILED
    )
    failed = _Failed()
    for subject, reference in jobs.values_list("subject", "run__options__reference"):
        match [int(part) for part in subject.split("/")[1:] if part.isdecimal()]:
            case [answer] if answer in known.perturbed and reference:
                failed.beside.add(answer)
            case [answer] if not reference and (answer in known.gold or answer in known.perturbed):
                failed.answers.add(answer)
            case [gold, perturbed] if gold in known.gold and perturbed in known.perturbed:
                failed.pairs.add((gold, perturbed))
    return failed
