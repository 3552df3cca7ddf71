"""Answers, verdicts and parts of a part of a file, written in bulk. Inside a transaction that holds the authors."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.models import Project
from annotate.services.importing.table import Table
from judging.models import Answer, Author, Judge, Part, Verdict
from judging.services.answers.storing import authors_called, hold
from judging.services.judgement_files.reading import Prepared

Place = tuple[int, int]  # item, author
Sign = tuple[str, tuple[tuple[str, float | None], ...]]  # how a verdict was read, and its parts


@dataclass(frozen=True)
class Newest:
    """The current version of an author's first sample. text: None where only judgements of it are known."""

    pk: int
    version: int
    text: str | None


@dataclass(frozen=True)
class Brought:
    """An answer that something is said about. text: None where it is not known; note: for a version that is new."""

    place: Place
    text: str | None
    note: str = ""


@dataclass(frozen=True)
class Stored:
    """For each prepared judgement: whether it was new, and for those that were not, whether they say the same."""

    new: Sequence[bool]
    same: Sequence[bool]


def store(project: Project, given: Sequence[Prepared], *, strategy: str, source: str) -> Stored:
    """A judgement of an answer by a judge is stored once; another one of the same answer changes nothing.

    An answer that is there with the same text, or whose text the file does not hold, gets the verdict; any other text
    is a new version. A fixed number of queries however many.
    """
    authors = authors_called(project, {one.judgement.author: {} for one in given})
    hold(author.pk for author in authors.values())
    judges = judges_called(project, {one.judgement.judge for one in given}, strategy)
    answers = answers_about([_brought(one, authors) for one in given], source)
    pairs = [(judges[one.judgement.judge].pk, answer) for one, answer in zip(given, answers, strict=True)]
    there = _there(pairs)
    new, same, fresh = [], [], []
    for one, pair in zip(given, pairs, strict=True):
        new.append(pair not in there)
        same.append(not new[-1] and there[pair] == _sign(one))
        if new[-1]:
            there[pair] = _sign(one)
            fresh.append((one, pair))
    _insert(fresh, source)
    return Stored(new, same)


def judges_called(project: Project, names: set[str], strategy: str) -> dict[str, Judge]:
    wanted = [Judge(project=project, name=name, strategy=strategy) for name in sorted(names)]
    there = Judge.objects.filter(project=project, name__in=names, strategy=strategy, variant="")
    known = {judge.name: judge for judge in there}
    if len(known) < len(wanted):
        Judge.objects.bulk_create(wanted, ignore_conflicts=True)
        known = {judge.name: judge for judge in there.all()}
    return known


def _brought(one: Prepared, authors: dict[str, Author]) -> Brought:
    return Brought((one.target.item_id, authors[one.judgement.author].pk), one.judgement.text, one.older)


def answers_about(given: Sequence[Brought], source: str) -> list[int]:
    """The answer that each is about; those that are not there yet are made, and another text is another version."""
    places = {one.place for one in given}
    newest = _newest(places)
    versions: dict[Place, tuple[int, str | None]] = {place: (one.version, one.text) for place, one in newest.items()}
    about, rows = [], []
    for one in given:
        version, text = versions.get(one.place, (0, None))
        if not version or (one.text is not None and one.text != text):
            version += 1
            versions[one.place] = version, one.text
            rows.append((*one.place, version, one.text or "", one.text is not None, one.note))
        about.append((*one.place, version))
    columns = ("item_id", "author_id", "version", "text", "known", "note")
    Table(Answer, columns, source=source).insert(rows)
    made = _pks(places) if rows else {}
    return [made.get(key) or newest[key[0], key[1]].pk for key in about]


def _newest(places: set[Place]) -> dict[Place, Newest]:
    items, authors = {item for item, _author in places}, {author for _item, author in places}
    there = Answer.objects.filter(author__in=authors, item__in=items, sample=1).order_by("version")
    columns = there.values_list("pk", "item_id", "author_id", "version", "known", "text")
    return {
        (item, author): Newest(pk, version, text if known else None)
        for pk, item, author, version, known, text in columns.iterator()
        if (item, author) in places
    }


def _pks(places: set[Place]) -> dict[tuple[int, int, int], int]:
    items, authors = {item for item, _author in places}, {author for _item, author in places}
    there = Answer.objects.filter(author__in=authors, item__in=items, sample=1)
    return {(item, author, version): pk for pk, item, author, version in there.values_list(*_PLACED).iterator()}


_PLACED = ("pk", "item_id", "author_id", "version")


def _there(pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Sign]:
    """What is imported already about these (judge, answer)."""
    judges, answers = {judge for judge, _answer in pairs}, {answer for _judge, answer in pairs}
    found = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    verdicts = {pk: (judge, first, reading) for pk, judge, first, reading in found.values_list(*_READ)}
    parts: dict[int, list[tuple[str, float | None]]] = {pk: [] for pk in verdicts}
    said = Part.objects.filter(verdict__in=verdicts) if verdicts else Part.objects.none()
    for verdict, axis, score in said.order_by("axis").values_list("verdict_id", "axis", "score_first").iterator():
        parts[verdict].append((axis, score))
    return {(judge, first): (reading, tuple(sorted(parts[pk]))) for pk, (judge, first, reading) in verdicts.items()}


_READ = ("pk", "judge_id", "first_id", "reading")


def _sign(one: Prepared) -> Sign:
    return one.reading, tuple(sorted((piece.axis, piece.score_first) for piece in one.pieces))


def _insert(fresh: Sequence[tuple[Prepared, tuple[int, int]]], source: str) -> None:
    columns = ("judge_id", "item_id", "case_sha", "first_id", "reading", "score_first", "note")
    rows = (
        (judge, one.target.item_id, one.target.sha256, answer, one.reading, one.score, one.note)
        for one, (judge, answer) in fresh
    )
    Table(Verdict, columns, source=source).insert(rows)
    judges, answers = {pair[0] for _one, pair in fresh}, {pair[1] for _one, pair in fresh}
    found = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    pks = {(judge, first): pk for pk, judge, first in found.values_list("pk", "judge_id", "first_id").iterator()}
    columns = ("verdict_id", "axis", "label", "score_first", "weight", "reason", "joined")
    Table(Part, columns).insert(
        (pks[pair], piece.axis, piece.label, piece.score_first, piece.weight, piece.reason, piece.joined)
        for one, pair in fresh
        for piece in one.pieces
    )
