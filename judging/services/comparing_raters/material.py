"""All that raters said about one subject, by unit: what every number of the page is made of."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, Max, QuerySet, Subquery, Value

from annotate.models import Annotation, Item, Project, Slot
from judging.models import Author, Ballot, is_not_fenced
from judging.services.comparing_raters.clusters import UNIT, clusters_of
from judging.services.comparing_raters.fields import of_fields
from judging.services.comparing_raters.subjects import Subject
from judging.services.ratings import PREFERENCE, Found, Rater, Rating, Today, ratings
from judging.services.ratings.labels import first_said
from judging.services.remembering import remembered

VERSION = 3  # of the shapes that are kept


@dataclass(frozen=True)
class Somebody:
    """A rater of the page. key: `p1`, `p2`, … for people in the order of their first rating, so that it names nobody,
    or `j` and the number of the judge. strategy: how a judge was asked."""

    key: str
    name: str
    number: int
    is_judge: bool
    strategy: str = ""
    simulated: bool = False
    not_fenced: bool = False  # asked in raw messages

    @property
    def alone(self) -> "Sequence[Somebody]":
        """This rater, as addresses of units take raters."""
        return [self]


class Judged(NamedTuple):
    """A judge with the highest number of its verdicts, and how many there are."""

    pk: int
    name: str
    strategy: str
    variant: str
    simulated: bool
    newest: int | None
    n: int


@dataclass(frozen=True)
class Material:
    """said: unit -> key of a rater -> rating, with those that have no value. state: another one whenever anything has
    changed. left_out: sort of rater -> reason -> votes or verdicts that are no rating."""

    subject: Subject
    state: str
    people: Sequence[Somebody]
    judges: Sequence[Somebody]
    said: Mapping[str, Mapping[str, Rating]]
    left_out: Mapping[str, Mapping[str, int]]
    clusters: Mapping[str, str] = field(default_factory=dict)  # unit -> the cluster that is resampled whole
    resampled_by: str = UNIT
    turned: frozenset[str] = frozenset()  # pairs whose first author is the later one in the alphabet
    chosen: Sequence[str] = ()  # keys of the people who were asked for; none where all are compared

    def of_people(self, keys: Collection[str]) -> "Material":
        """Only these people, with all judges; the same where none is named."""
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

    def valued(self, unit: str, keys: Iterable[str]) -> list[str]:
        """Those of these raters who have said something about the unit."""
        unit_ratings = self.said[unit]
        return [key for key in keys if key in unit_ratings and unit_ratings[key].value is not None]

    def item(self, unit: str) -> int:
        return next(iter(self.said[unit].values())).item

    def axis(self, unit: str) -> str:
        return next(iter(self.said[unit].values())).axis


def material(project: Project, subject: Subject, today: Today | None = None, *, clustered: bool = True) -> Material:
    """Read anew where anything has changed, otherwise remembered. today: where somebody reads on about the project.
    clustered: False where nobody resamples it by cluster, which saves a query."""
    if subject.field:
        return of_all_fields(project, [subject])[0]
    today = today or Today(project)
    judges = _judges(today, subject)
    state = _state(project, subject, judges)

    def made() -> Material:
        subject_material = _made(subject, state, ratings(project, subject.slug, today=today), judges)
        subject_material = _clustered(project, subject_material) if clustered else subject_material
        return replace(subject_material, turned=turned_pairs(subject_material.said, today))

    return remembered("raters" if clustered else "raters-alone", state, made)


def of_all_fields(project: Project, subjects: Sequence[Subject]) -> list[Material]:
    """Of several fields, in two queries however many."""
    if not subjects:
        return []
    state = _state(project, subjects[0], [])
    ratings_by_field = remembered("fields", state, lambda: of_fields(project))
    materials = [
        _made(subject, f"{state}:{subject.field}", ratings_by_field.get(subject.field, Found()), [])
        for subject in subjects
    ]
    return [_clustered(project, subject_material) for subject_material in materials]


def _clustered(project: Project, subject_material: Material) -> Material:
    """Not remembered on its own: one query of the items' prompts."""
    clusters, name = remembered(
        "clusters",
        subject_material.state,
        lambda: clusters_of(project, {unit: subject_material.item(unit) for unit in subject_material.said}),
    )
    return replace(subject_material, clusters=clusters, resampled_by=name)


def turned_pairs(units: Iterable[str], today: Today) -> frozenset[str]:
    """Those whose first answer is of the author who is the later one in the alphabet. A query where answers are not
    at hand."""
    pairs = [unit for unit in units if unit.startswith("pair/")]
    if not pairs:
        return frozenset()
    names = {str(pk): row.author for pk, row in today.answers.items()}
    return frozenset(unit for unit in pairs if _later(unit, names))


def _later(unit: str, names: Mapping[str, str]) -> bool:
    _sort, first, second, *_axis = unit.split("/")
    return names.get(first, "") > names.get(second, "")


def _made(subject: Subject, state: str, all_ratings: Found, judge_rows: Sequence[Judged]) -> Material:
    first_ratings = first_said(all_ratings)
    keys = _keys(first_ratings.values())
    judges = {judge.pk: judge for judge in judge_rows}
    by_unit: dict[str, dict[str, Rating]] = {}
    for (rater, unit), rating in first_ratings.items():
        by_unit.setdefault(unit, {})[keys[rater]] = rating
    raters = [_somebody(rater, key, judges) for rater, key in keys.items()]
    return Material(
        subject,
        state,
        people=[somebody for somebody in raters if not somebody.is_judge],
        judges=sorted((somebody for somebody in raters if somebody.is_judge), key=lambda somebody: somebody.name),
        said=by_unit,
        left_out={side: dict(reasons) for side, reasons in all_ratings.left_out.items()},
    )


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


def _somebody(rater: Rater, key: str, judges: Mapping[int, Judged]) -> Somebody:
    judge = judges.get(rater.pk or 0) if rater.sort == "judge" else None
    if judge is None:
        return Somebody(key, rater.name, int(key[1:]), rater.sort == "judge")
    how = judge.strategy, judge.simulated, is_not_fenced(f"{judge.name} {judge.variant}")
    return Somebody(key, rater.name, int(key[1:]), True, *how)


def _judges(today: Today, subject: Subject) -> list[Judged]:
    """The judges with the newest of what they said, and how much that is."""
    columns = ("pk", "name", "strategy", "variant", "simulated")
    counted = ("newest_pair", "pairs") if subject.slug == PREFERENCE else ("newest_single", "singles")
    return [Judged(*(getattr(judge, name) for name in (*columns, *counted))) for judge in today.judges]


def _state(project: Project, subject: Subject, judges: Sequence[Judged]) -> str:
    """A word that changes with everything that the material is made of. One query.

    Ids only grow and rows of verdicts and votes are never changed once they are in, so the highest id, the count and
    the last change tell one state from another.
    """
    items, authors = Item.objects.filter(project=project), Author.objects.filter(project=project)
    aggregates = [figure_of(items, Max("changed_at")), figure_of(items, Count("pk"))]
    if subject.field:
        texts = Annotation.objects.filter(slot__project=project, slot__stage=Slot.Stage.ANNOTATE)
        unfinished_slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE).unfinished()
        aggregates += [figure_of(unfinished_slots, Count("pk")), figure_of(unfinished_slots, Max("pk"))]
    else:
        texts = Annotation.objects.filter(item__ballot__first__item__project=project)
        ballots = Ballot.objects.filter(first__item__project=project)
        aggregates += [figure_of(ballots, Max("pk")), figure_of(ballots, Count("pk"))]
        aggregates += [
            figure_of(authors, Max("pk")),
            figure_of(authors, Max("answers")),
            figure_of(authors, Count("answers")),
        ]
    aggregates += [
        figure_of(texts, Max("pk")),
        figure_of(texts, Count("submitted_at")),
        figure_of(texts, Max("submitted_at")),
    ]
    figures = Project.objects.filter(pk=project.pk).values_list(*aggregates).get()
    state_parts = [
        VERSION,
        project.pk,
        "fields" if subject.field else subject.slug,
        project.options,
        project.kind_slug,
        judges,
        figures,
    ]
    return sha256(repr(state_parts).encode("utf-8", "surrogatepass")).hexdigest()


def figure_of(rows: QuerySet[Any], counted: Aggregate) -> Subquery:
    """One figure of all these rows, as a part of another query."""
    return Subquery(rows.order_by().annotate(all=Value(1)).values("all").annotate(figure=counted).values("figure"))
