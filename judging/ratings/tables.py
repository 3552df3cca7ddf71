"""The table of all ratings about one subject, by unit; and clusters for the bootstrap.

The bootstrap resamples the largest clusters of units as a whole. Units of one item depend on each other, and so do
items with one prompt, of one document or of one conversation: another study would draw other prompts, not other
answers to these.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, Max, QuerySet, Subquery, Value

from annotate.models import Annotation, Item, Project, Slot
from judging.cache import cached, changes_of
from judging.models import AnswerChanges, Author, Ballot, is_not_fenced
from judging.ratings.question_ratings import RELATED, QuestionRatings, question_ratings, ratings_of
from judging.ratings.raters import ProjectRatings, of_fields, ratings
from judging.ratings.rating_subjects import QUESTION, RatingSubject
from judging.ratings.units import PairUnit, Rater, Rating, Today, Unit, comes_before
from judging.results import Deferred, DeferredSet

UNIT, ITEM, PROMPT, DOCUMENT, CONVERSATION = "unit", "item", "prompt", "document", "conversation"
NAMED = {CONVERSATION: ("conversation", "conversation_id"), DOCUMENT: ("document", "doc"), PROMPT: ("prompt",)}
FEWEST = 8  # clusters; with fewer there is no bootstrap over them, and one instruction for all items is no cluster
SHORT = 16


def clusters_of(project: Project, items: Mapping[Unit, int]) -> tuple[dict[Unit, str], str]:
    """items: unit -> its item. Returns unit -> cluster, and the name of what clusters are. One query."""
    item_pks = set(items.values())
    names = [name for fields in NAMED.values() for name in fields]
    rows = Item.objects.filter(project=project).values_list("pk", *(f"facts__{name}" for name in names))
    facts = {pk: dict(zip(names, values, strict=True)) for pk, *values in rows if pk in item_pks}
    cluster_by_item, cluster_sort = {pk: f"{ITEM} {pk:012}" for pk in item_pks}, ITEM
    for sort, fields in NAMED.items():
        for field in fields:
            text_by_item = {
                pk: item_facts[field]
                for pk, item_facts in facts.items()
                if isinstance(item_facts[field], str) and item_facts[field]
            }
            if len(text_by_item) < len(item_pks):
                continue
            joined, name = _conversations(text_by_item) if sort == PROMPT else (text_by_item, sort)
            number = len(set(joined.values()))
            if FEWEST <= number < len(set(cluster_by_item.values())):
                cluster_by_item, cluster_sort = {pk: f"{name} {_digest(text)}" for pk, text in joined.items()}, name
    return {unit: cluster_by_item[item] for unit, item in items.items()}, cluster_sort


def _conversations(text_by_item: Mapping[int, str]) -> tuple[dict[int, str], str]:
    """A prompt that begins with another one and continues after an empty line is a later turn of that conversation."""
    first_turns = _first_turns(set(text_by_item.values()))
    grown = any(first_turns[text] != text for text in text_by_item.values())
    return {pk: first_turns[text] for pk, text in text_by_item.items()}, CONVERSATION if grown else PROMPT


def _first_turns(texts: Iterable[str]) -> dict[str, str]:
    """In alphabetical order, texts with a common beginning directly follow the text that is this beginning."""
    first_by_text: dict[str, str] = {}
    first_turn = ""
    for text in sorted(texts):
        first_turn = first_turn if first_turn and text.startswith(f"{first_turn}\n\n") else text
        first_by_text[text] = first_turn
    return first_by_text


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]


# Table: all ratings about one subject, by unit; every number of the page is computed from it.


@dataclass(frozen=True)
class Somebody:
    """A rater of the page. key: `p1`, `p2`, … for people in the order of their first rating, so that it identifies
    nobody, or `j` and the number of the judge. strategy: how a judge was asked."""

    key: str
    name: str
    number: int
    is_judge: bool
    strategy: str = ""
    simulated: bool = False
    not_fenced: bool = False  # asked in raw messages

    @property
    def alone(self) -> "Sequence[Somebody]":
        """This rater as a sequence, as addresses of units expect."""
        return [self]


class JudgeState(NamedTuple):
    """A judge with the counters of changes of its verdicts."""

    pk: int
    name: str
    strategy: str
    variant: str
    simulated: bool
    changes: int | None
    token: int | None


@dataclass(frozen=True)
class UnitTable:
    """said: unit -> key of a rater -> rating, including those without a value. state: a digest that changes with the
    data. left_out: kind of rater -> reason -> votes or verdicts that are not ratings."""

    subject: RatingSubject
    state: str
    people: Sequence[Somebody]
    judges: Sequence[Somebody]
    said: Mapping[Unit, Mapping[str, Rating]]
    left_out: Mapping[str, Mapping[str, int]]
    clusters: Mapping[Unit, str] = dataclasses.field(default_factory=dict)  # unit -> what is resampled as a whole
    resampled_by: str = UNIT
    turned: Set[Unit] = frozenset()  # pairs whose first author comes later in the alphabet
    chosen: Sequence[str] = ()  # keys of the people who were asked for; none where all are compared

    def of_people(self, keys: Collection[str]) -> "UnitTable":
        """The table of only these people, with all judges; the same table if no key is given."""
        if not keys:
            return self
        people = [person for person in self.people if person.key in keys]
        names = {rater.key for rater in (*people, *self.judges)}
        ratings_by_unit = {
            unit: {key: rating for key, rating in unit_ratings.items() if key in names}
            for unit, unit_ratings in self.said.items()
        }
        person_keys = sorted(person.key for person in people)
        return replace(
            self,
            state=f"{self.state}:{','.join(person_keys)}",
            people=people,
            said={unit: unit_ratings for unit, unit_ratings in ratings_by_unit.items() if unit_ratings},
            chosen=person_keys,
        )

    @property
    def raters(self) -> Sequence[Somebody]:
        return [*self.people, *self.judges]

    def valued(self, unit: Unit, keys: Iterable[str]) -> list[str]:
        """Those of these raters with a value for the unit."""
        unit_ratings = self.said[unit]
        return [key for key in keys if key in unit_ratings and unit_ratings[key].value is not None]

    def item(self, unit: Unit) -> int:
        return next(iter(self.said[unit].values())).item

    def axis(self, unit: Unit) -> str:
        return next(iter(self.said[unit].values())).axis


def unit_table(
    project: Project, subject: RatingSubject, today: Today | None = None, *, clustered: bool = True
) -> UnitTable:
    """Cached until something changes. today: if the caller reads more of the project. clustered: False if nobody
    resamples it by cluster, which saves a query."""
    if subject.field:
        return of_all_fields(project, [subject])[0]
    today = today or Today(project)
    if subject.question:
        return _of_question(subject, today)
    judges = _judges(today)
    state = _state(project, subject, judges)

    name = "raters" if clustered else "raters-alone"

    def made() -> UnitTable:
        subject_material = _build_table(subject, state, ratings(project, subject.slug, today=today), judges)
        subject_material = _clustered(project, subject_material) if clustered else subject_material
        return replace(subject_material, turned=turned_pairs(subject_material.said, today))

    @cache
    def whole() -> UnitTable:
        return cached(name, state, made)

    head, size = cached(f"{name}-named", state, lambda: _head(whole()))
    return replace(
        head,
        said=Deferred(lambda: whole().said, size),
        clusters=Deferred(lambda: whole().clusters, size if clustered else 0),
        turned=DeferredSet(lambda: whole().turned),
    )


def _head(table: UnitTable) -> tuple[UnitTable, int]:
    """The table without its units, and their number."""
    return replace(table, said={}, clusters={}, turned=frozenset()), len(table.said)


def _of_question(subject: RatingSubject, today: Today) -> UnitTable:
    """Of an own question; items that belong together, or else each item with its parts, are resampled as a whole."""
    question_ratings, state = answers_to_questions(today)
    ratings_by_rater = ratings_of(question_ratings, subject.question)
    table = _build_table(subject, f"{state}:{subject.question}", ratings_by_rater, _judges(today))
    items = {unit: table.item(unit) for unit in table.said}
    clusters: dict[Unit, str] = {
        unit: question_ratings.clusters.get(item, f"{ITEM} {item}") for unit, item in items.items()
    }
    return replace(table, clusters=clusters, resampled_by=RELATED if today.project.kind.unit_column else ITEM)


def answers_to_questions(today: Today) -> tuple[QuestionRatings, str]:
    """All answers to own questions, and a digest that changes with them. Cached until something changes."""
    state = state_of_questions(today)
    return cached("questions", state, lambda: question_ratings(today.project, today)), state


def state_of_questions(today: Today) -> str:
    """A digest that changes with every answer, verdict, item and version of the definition. Two queries."""
    return _state(today.project, RatingSubject(QUESTION, ""), _judges(today))


def of_all_fields(project: Project, subjects: Sequence[RatingSubject]) -> list[UnitTable]:
    """The tables of several fields, always in two queries."""
    if not subjects:
        return []
    state = _state(project, subjects[0], [])
    ratings_by_field = cached("fields", state, lambda: of_fields(project))
    materials = [
        _build_table(subject, f"{state}:{subject.field}", ratings_by_field.get(subject.field, ProjectRatings()), [])
        for subject in subjects
    ]
    return [_clustered(project, subject_material) for subject_material in materials]


def _clustered(project: Project, subject_material: UnitTable) -> UnitTable:
    """The table with clusters; not cached itself: one query of the items' prompts."""
    clusters, name = cached(
        "clusters",
        subject_material.state,
        lambda: clusters_of(project, {unit: subject_material.item(unit) for unit in subject_material.said}),
    )
    return replace(subject_material, clusters=clusters, resampled_by=name)


def turned_pairs(units: Iterable[Unit], today: Today) -> frozenset[Unit]:
    """Pairs whose first answer is by the author who comes later in the alphabet. One query if answers are not at
    hand."""
    pairs = [unit for unit in units if isinstance(unit, PairUnit)]
    if not pairs:
        return frozenset()
    names = {pk: row.author for pk, row in today.answers.items()}
    return frozenset(pair for pair in pairs if names.get(pair.first, "") > names.get(pair.second, ""))


def _build_table(
    subject: RatingSubject, state: str, all_ratings: ProjectRatings, judge_rows: Sequence[JudgeState]
) -> UnitTable:
    judges = {judge.pk: judge for judge in judge_rows}
    by_unit = _first_by_unit(all_ratings)
    keys = _keys(rating for unit_ratings in by_unit.values() for rating in unit_ratings.values())
    raters = [_somebody(rater, key, judges) for rater, key in keys.items()]
    return UnitTable(
        subject,
        state,
        people=[somebody for somebody in raters if not somebody.is_judge],
        judges=sorted((somebody for somebody in raters if somebody.is_judge), key=lambda somebody: somebody.name),
        said={
            unit: {keys[rater]: rating for rater, rating in unit_ratings.items()}
            for unit, unit_ratings in by_unit.items()
        },
        left_out={side: dict(reasons) for side, reasons in all_ratings.left_out.items()},
    )


def _first_by_unit(all_ratings: Iterable[Rating]) -> dict[Unit, dict[Rater, Rating]]:
    """unit -> rater -> the rating that counts, see `first_ratings`; without its key for each of millions of ratings."""
    by_unit: dict[Unit, dict[Rater, Rating]] = {}
    for rating in all_ratings:
        unit_ratings = by_unit.setdefault(rating.unit, {})
        previous = unit_ratings.get(rating.rater)
        if previous is None or comes_before(rating, previous):
            unit_ratings[rating.rater] = rating
    return by_unit


def _keys(first_ratings: Iterable[Rating]) -> dict[Rater, str]:
    """People in the order of their first rating; judges by their own numbers."""
    first_source_by_rater: dict[Rater, int] = {}
    for rating in first_ratings:
        first_source_by_rater[rating.rater] = min(first_source_by_rater.get(rating.rater, rating.source), rating.source)
    people = sorted(
        (rater for rater in first_source_by_rater if rater.sort == "person"),
        key=lambda rater: (first_source_by_rater[rater], rater.name),
    )
    return {rater: f"p{number}" for number, rater in enumerate(people, 1)} | {
        rater: f"j{rater.pk}" for rater in first_source_by_rater if rater.sort == "judge"
    }


def _somebody(rater: Rater, key: str, judges: Mapping[int, JudgeState]) -> Somebody:
    judge = judges.get(rater.pk or 0) if rater.sort == "judge" else None
    if judge is None:
        return Somebody(key, rater.name, int(key[1:]), rater.sort == "judge")
    how = judge.strategy, judge.simulated, is_not_fenced(f"{judge.name} {judge.variant}")
    return Somebody(key, rater.name, int(key[1:]), True, *how)


def _judges(today: Today) -> list[JudgeState]:
    return [JudgeState(*(getattr(judge, name) for name in JudgeState._fields)) for judge in today.judges]


def state_of(today: Today, rating_kind: str) -> str:
    """A digest that changes with all ratings of this kind and with the names of authors. Three queries."""
    subject = RatingSubject(rating_kind, "", rating_kind)
    authors = Author.objects.filter(project=today.project).order_by("pk").values_list("pk", "name")
    state_parts = [_state(today.project, subject, _judges(today)), list(authors)]
    return sha256(repr(state_parts).encode("utf-8", "surrogatepass")).hexdigest()


def _state(project: Project, subject: RatingSubject, judges: Sequence[JudgeState]) -> str:
    """A digest that changes with all data of the table. One query.

    Ids only grow, and votes are never changed after submission, so the highest id, the count and the last change
    identify a state. Changes of verdicts and answers are counted.
    """
    items, authors = Item.objects.filter(project=project), Author.objects.filter(project=project)
    aggregates = [figure_of(items, Max("changed_at")), figure_of(items, Count("pk"))]
    if subject.field:
        texts = Annotation.objects.filter(slot__project=project, slot__stage=Slot.Stage.ANNOTATE)
        unfinished_slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE).unfinished()
        aggregates += [figure_of(unfinished_slots, Count("pk")), figure_of(unfinished_slots, Max("pk"))]
    elif subject.slug.startswith(QUESTION):
        texts = Annotation.objects.filter(item__project=project)
        unfinished_slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE).unfinished()
        aggregates += [figure_of(unfinished_slots, Count("pk")), figure_of(unfinished_slots, Max("pk"))]
        aggregates += changes_of(AnswerChanges, project.pk).values()
    else:
        texts = Annotation.objects.filter(item__ballot__first__item__project=project)
        ballots = Ballot.objects.filter(first__item__project=project)
        aggregates += [figure_of(ballots, Max("pk")), figure_of(ballots, Count("pk"))]
        aggregates += [figure_of(authors, Max("pk")), *changes_of(AnswerChanges, project.pk).values()]
    aggregates += [
        figure_of(texts, Max("pk")),
        figure_of(texts, Count("submitted_at")),
        figure_of(texts, Max("submitted_at")),
    ]
    figures = Project.objects.filter(pk=project.pk).values_list(*aggregates).get()
    state_parts = [
        project.pk,
        "fields" if subject.field else subject.slug,
        project.options,
        project.kind_slug,
        project.definition_digest,
        judges,
        figures,
    ]
    return sha256(repr(state_parts).encode("utf-8", "surrogatepass")).hexdigest()


def figure_of(rows: QuerySet[Any], counted: Aggregate) -> Subquery:
    """One aggregate of all these rows, as a subquery."""
    return Subquery(rows.order_by().annotate(all=Value(1)).values("all").annotate(figure=counted).values("figure"))
