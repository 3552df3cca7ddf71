"""Answers to the questions of a project, by item: of its people, of the raters of files, and of judges."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.intake.store import RATER
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, Slot
from judging.models import Part, Verdict
from judging.ratings.judge_ratings import OUTDATED, raters_of
from judging.ratings.raters import ProjectRatings
from judging.ratings.units import ItemUnit, Rater, Rating, Today, Unit

COLUMNS = ("pk", "item_id", "author_id", "author__username", "rater", "draft", "schema", "unfinished")
RELATED = "related_items"  # those with the same value of the definition's `unit` column
UNREADABLE, UNFINISHED = "unreadable", "unfinished"
OF_A_PLACE = ("field", "start", "end", "text", "note")  # keys of a span that its label and attributes are not
Answers = Mapping[int, Mapping[str, Any]]  # item -> rater -> answer as it is compared


class _Text(NamedTuple):
    """What somebody has submitted about an item. rater: a name, unique among the raters of the project."""

    pk: int
    item: int
    rater: str
    account: int | None
    draft: dict[str, Any]
    schema: int
    unfinished: bool


@dataclass(frozen=True)
class QuestionRatings:
    """by_question: name of a question or score -> answers of people; judged: the same of judges. Answers that cannot be
    compared are left out.

    clusters: item -> what is resampled with it; empty without a `unit` column. left_out, judges_left_out: reason ->
    texts or verdicts that do not count. people, judges: name -> rater; sources: (item, rater) -> the text or verdict.
    """

    by_question: Mapping[str, Answers]
    clusters: Mapping[int, str]
    left_out: Mapping[str, int]
    judged: Mapping[str, Answers] = field(default_factory=dict)
    judges_left_out: Mapping[str, int] = field(default_factory=dict)
    people: Mapping[str, Rater] = field(default_factory=dict)
    judges: Mapping[str, Rater] = field(default_factory=dict)
    sources: Mapping[tuple[int, str], int] = field(default_factory=dict)


class _Collected:
    """Answers by question, with their raters and sources. given: (item, rater) -> all answers as they are stored."""

    def __init__(self, kind: Kind) -> None:
        self.kind, self.left_out = kind, Counter[str]()
        self.given: dict[tuple[int, str], dict[str, Any]] = {}
        self.answers: dict[str, dict[int, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
        self.raters: dict[str, Rater] = {}
        self.sources: dict[tuple[int, str], int] = {}

    def add(self, item: int, rater: Rater, stored: dict[str, Any], schema: int, source: int) -> None:
        try:
            counted = self.kind.counted(self.kind.read_draft(self.kind.upgrade(stored, schema)).stored())
        except BadShape:
            self.left_out[UNREADABLE] += 1
            return
        self.raters[rater.name], self.sources[item, rater.name] = rater, source
        self.given[item, rater.name] = counted
        for name, question in self.kind.questions().items():
            value = question.measured(counted.get(name))
            if value is not None:
                self.answers[name][item][rater.name] = value
        for name, score in self.kind.scores().items():
            if (points := score.of(counted)) is not None:
                self.answers[name][item][rater.name] = points

    def plain(self) -> dict[str, Answers]:
        return {name: dict(by_item) for name, by_item in self.answers.items()}


def question_ratings(project: Project, today: Today | None = None) -> QuestionRatings:
    """All answers to all questions; of several texts of a rater about an item the last, of several verdicts of a judge
    the newest first one. Until everybody who has an item has submitted it, people's answers about it do not count, so
    that nobody learns what the others wrote. A fixed number of queries.
    """
    people = _of_people(project)
    judges = _of_judges(project, today or Today(project), set(people.raters))
    return QuestionRatings(
        people.plain(),
        _clusters(project),
        dict(people.left_out),
        judges.plain(),
        dict(judges.left_out),
        people.raters,
        judges.raters,
        people.sources | judges.sources,
    )


def answers_about(item: Item, today: Today) -> list[tuple[Rater, dict[str, Any]]]:
    """The answers of each rater about one item, people first, those that cannot be compared too."""
    people = _of_people(today.project, item)
    judges = _of_judges(today.project, today, set(people.raters), item)
    return [
        (collected.raters[name], answer)
        for collected in (people, judges)
        for (_item, name), answer in collected.given.items()
    ]


def _of_people(project: Project, item: Item | None = None) -> _Collected:
    collected = _Collected(project.kind)
    for text in _texts(project, item):
        if text.unfinished:
            collected.left_out[UNFINISHED] += 1
        else:
            rater = Rater("person", text.rater, text.account)
            collected.add(text.item, rater, text.draft, text.schema, text.pk)
    return collected


def _texts(project: Project, item: Item | None) -> Iterator[_Text]:
    """A rater of a file who has the name of an account is called apart."""
    submitted = _submitted(project) if item is None else _submitted(project).filter(item=item)
    rows = list(submitted.values_list(*COLUMNS).order_by("pk"))
    accounts = {username for _pk, _item, author, username, *_rest in rows if author is not None}
    for pk, about, author, username, rater, draft, schema, unfinished in rows:
        file_rater = f"{rater} (file)" if rater in accounts else rater
        name = username if author is not None else file_rater
        yield _Text(pk, about, name, author, draft, schema, author is not None and unfinished)


def _submitted(project: Project) -> QuerySet[Annotation]:
    by_people = Q(author__isnull=False, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False)
    by_file = Q(author=None, slot=None) & ~Q(rater__in=["", RATER])
    texts = Annotation.objects.filter(by_people | by_file, item__project=project, item__purpose=Item.Purpose.WORK)
    slots = Slot.objects.filter(item=OuterRef("item"), stage=Slot.Stage.ANNOTATE).unfinished()
    return texts.annotate(unfinished=Exists(slots))


def _clusters(project: Project) -> dict[int, str]:
    """In the order of the values, which no name holds: they may be for leads alone."""
    if not project.kind.unit_column:
        return {}
    rows = Item.objects.filter(project=project).values_list("pk", "facts", "metadata")
    units = {pk: project.kind.unit_of(facts, metadata) for pk, facts, metadata in rows.iterator(2000)}
    values = {pk: (f"item {pk}", True) if unit is None else (unit, False) for pk, unit in units.items()}
    numbers = {value: number for number, value in enumerate(sorted(set(values.values())), start=1)}
    return {pk: f"{RELATED} {numbers[value]:09}" for pk, value in values.items()}


# Judges that were asked the project's questions: a part of a verdict is an answer, as JSON.


class _JudgedItem(NamedTuple):
    pk: int
    judge: int
    item: int
    read: bool


def _of_judges(project: Project, today: Today, people: set[str], item: Item | None = None) -> _Collected:
    """people: names of people, from whom a judge of the same name is told apart."""
    collected = _Collected(project.kind)
    versions = {judge.pk: judge.identity["definition"]["version"] for judge in today.judges if _asks(judge.identity)}
    if not versions:
        return collected
    raters = {pk: _apart(rater, people) for pk, rater in raters_of(today.judges).items()}
    verdicts = _current(today, versions, collected.left_out, item)
    given: dict[int, dict[str, Any]] = defaultdict(dict)
    parts = Part.objects.filter(joined=Part.Joined.EXACT).exclude(label="")  # whose words were erased
    parts = parts.filter(verdict__judge__in=versions) if item is None else parts.filter(verdict__in=verdicts)
    for verdict, axis, label in parts.values_list("verdict_id", "axis", "label").iterator(5000):
        if verdict in verdicts:
            given[verdict][axis] = json.loads(label)
    for pk, judged in verdicts.items():
        if judged.read:
            collected.add(judged.item, raters[judged.judge], given[pk], versions[judged.judge], pk)
        else:
            collected.left_out[UNREADABLE] += 1
    return collected


def _asks(identity: Mapping[str, Any]) -> bool:
    return "definition" in identity


def _apart(rater: Rater, people: set[str]) -> Rater:
    return Rater(rater.sort, f"{rater.name} (judge)", rater.pk) if rater.name in people else rater


def _current(
    today: Today, versions: Mapping[int, int], left_out: Counter[str], item: Item | None
) -> dict[int, _JudgedItem]:
    """verdict -> what it is about; for each judge and item the newest of the first repeats about today's text."""
    newest: dict[tuple[int, int], _JudgedItem] = {}
    rows = Verdict.objects.single().filter(judge__in=versions).order_by("judge_id", "-repeat", "pk")
    rows = rows if item is None else rows.filter(item=item)
    columns = ("pk", "judge_id", "item_id", "first_id", "case_sha", "reading")
    for pk, judge, about, first, sha, reading in rows.values_list(*columns).iterator(5000):
        if sha != today.seen.get(about) or first not in today.answers:
            left_out[OUTDATED] += 1
        else:
            newest[judge, about] = _JudgedItem(pk, judge, about, reading == Verdict.Reading.OK)
    return {verdict.pk: verdict for verdict in newest.values()}


# The same as ratings of units, for the boards that compare raters of anything.


def ratings_of(ratings: QuestionRatings, name: str) -> ProjectRatings:
    """One rating of each rater and item, or part of an item. name: of a question or a score.

    Values: numbers, or the texts of labels, sets and orders; None for “cannot tell”.
    """
    everybody = {**ratings.people, **ratings.judges}
    rows = [
        Rating(unit, everybody[rater], as_value(answer), item=unit.item, axis=unit.axis, source=source)
        for unit, rater, answer in _by_unit(ratings, name)
        for source in (ratings.sources[unit.item, rater],)
    ]
    return ProjectRatings(rows, {"people": Counter(ratings.left_out), "judges": Counter(ratings.judges_left_out)})


def answers_by_unit(ratings: QuestionRatings, name: str) -> dict[Unit, dict[str, Any]]:
    """unit -> name of a rater -> the answer, or part of one, as its question compares it; without “cannot tell”."""
    answers: dict[Unit, dict[str, Any]] = defaultdict(dict)
    for unit, rater, answer in _by_unit(ratings, name):
        if answer is not None:
            answers[unit][rater] = answer
    return dict(answers)


def _by_unit(ratings: QuestionRatings, name: str) -> Iterator[tuple[ItemUnit, str, Any]]:
    """Parts are numbered from 1, as pages show them."""
    for answers in (ratings.by_question, ratings.judged):
        for item, by_rater in answers.get(name, {}).items():
            for rater, answer in by_rater.items():
                parts = answer.items() if isinstance(answer, Mapping) else [("", answer)]
                for part, value in parts:
                    yield ItemUnit(item, str(int(part) + 1) if part else ""), rater, value


def as_value(answer: Any) -> float | str | None:
    """An answer as it is compared, as a number or a text; equal answers are equal texts."""
    if answer is None or isinstance(answer, int | float):
        return None if answer is None else float(answer)
    if isinstance(answer, frozenset):
        return ", ".join(sorted(answer)) or "∅"
    if isinstance(answer, tuple | list):
        return ", ".join(map(_in_a_list, answer)) or "∅"
    return str(answer)


def _in_a_list(part: Any) -> str:
    """A span as its text with its place and label; anything else as it is."""
    if not isinstance(part, Mapping):
        return str(part)
    place = f"{part['field']} {part['start']}–{part['end']}"
    values = [str(value) for name, value in part.items() if name not in OF_A_PLACE and value]
    return f"“{part['text']}” ({'; '.join([place, *values])})"
