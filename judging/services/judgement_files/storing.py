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


def store(project: Project, prepared_rows: Sequence[Prepared], *, strategy: str, source: str) -> Stored:
    """A judgement of an answer by a judge is stored once; another one of the same answer changes nothing.

    An answer that is there with the same text, or whose text the file does not hold, gets the verdict; any other text
    is a new version. A fixed number of queries however many.
    """
    authors = authors_called(project, {prepared_row.judgement.author: {} for prepared_row in prepared_rows})
    hold(author.pk for author in authors.values())
    judges = judges_called(project, {prepared_row.judgement.judge for prepared_row in prepared_rows}, strategy)
    answers = answers_about([_brought(prepared_row, authors) for prepared_row in prepared_rows], source)
    pairs = [
        (judges[prepared_row.judgement.judge].pk, answer)
        for prepared_row, answer in zip(prepared_rows, answers, strict=True)
    ]
    sign_by_pair = _there(pairs)
    new, same, fresh = [], [], []
    for prepared_row, pair in zip(prepared_rows, pairs, strict=True):
        new.append(pair not in sign_by_pair)
        same.append(not new[-1] and sign_by_pair[pair] == _sign(prepared_row))
        if new[-1]:
            sign_by_pair[pair] = _sign(prepared_row)
            fresh.append((prepared_row, pair))
    _insert(fresh, source)
    return Stored(new, same)


def judges_called(project: Project, names: set[str], strategy: str) -> dict[str, Judge]:
    new_judges = [Judge(project=project, name=name, strategy=strategy) for name in sorted(names)]
    stored_judges = Judge.objects.filter(project=project, name__in=names, strategy=strategy, variant="")
    judge_by_name = {judge.name: judge for judge in stored_judges}
    if len(judge_by_name) < len(new_judges):
        Judge.objects.bulk_create(new_judges, ignore_conflicts=True)
        judge_by_name = {judge.name: judge for judge in stored_judges.all()}
    return judge_by_name


def _brought(prepared_row: Prepared, authors: dict[str, Author]) -> Brought:
    return Brought(
        (prepared_row.target.item_id, authors[prepared_row.judgement.author].pk),
        prepared_row.judgement.text,
        prepared_row.older,
    )


def answers_about(brought_answers: Sequence[Brought], source: str) -> list[int]:
    """The answer that each is about; those that are not there yet are made, and another text is another version."""
    keys = {brought_answer.place for brought_answer in brought_answers}
    newest = _newest(keys)
    versions: dict[Place, tuple[int, str | None]] = {
        key: (newest_answer.version, newest_answer.text) for key, newest_answer in newest.items()
    }
    about, rows = [], []
    for brought_answer in brought_answers:
        version, text = versions.get(brought_answer.place, (0, None))
        if not version or (brought_answer.text is not None and brought_answer.text != text):
            version += 1
            versions[brought_answer.place] = version, brought_answer.text
            rows.append(
                (
                    *brought_answer.place,
                    version,
                    brought_answer.text or "",
                    brought_answer.text is not None,
                    brought_answer.note,
                )
            )
        about.append((*brought_answer.place, version))
    columns = ("item_id", "author_id", "version", "text", "known", "note")
    Table(Answer, columns, source=source).insert(rows)
    pk_by_key = _pks(keys) if rows else {}
    return [pk_by_key.get(key) or newest[key[0], key[1]].pk for key in about]


def _newest(keys: set[Place]) -> dict[Place, Newest]:
    items, authors = {item for item, _author in keys}, {author for _item, author in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items, sample=1).order_by("version")
    columns = stored_answers.values_list("pk", "item_id", "author_id", "version", "known", "text")
    return {
        (item, author): Newest(pk, version, text if is_known else None)
        for pk, item, author, version, is_known, text in columns.iterator()
        if (item, author) in keys
    }


def _pks(keys: set[Place]) -> dict[tuple[int, int, int], int]:
    items, authors = {item for item, _author in keys}, {author for _item, author in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items, sample=1)
    return {
        (item, author, version): pk for pk, item, author, version in stored_answers.values_list(*_PLACED).iterator()
    }


_PLACED = ("pk", "item_id", "author_id", "version")


def _there(pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Sign]:
    """What is imported already about these (judge, answer)."""
    judges, answers = {judge for judge, _answer in pairs}, {answer for _judge, answer in pairs}
    stored_verdicts = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    verdicts = {pk: (judge, answer, reading) for pk, judge, answer, reading in stored_verdicts.values_list(*_READ)}
    parts: dict[int, list[tuple[str, float | None]]] = {pk: [] for pk in verdicts}
    stored_parts = Part.objects.filter(verdict__in=verdicts) if verdicts else Part.objects.none()
    for verdict, axis, score in (
        stored_parts.order_by("axis").values_list("verdict_id", "axis", "score_first").iterator()
    ):
        parts[verdict].append((axis, score))
    return {(judge, answer): (reading, tuple(sorted(parts[pk]))) for pk, (judge, answer, reading) in verdicts.items()}


_READ = ("pk", "judge_id", "first_id", "reading")


def _sign(prepared_row: Prepared) -> Sign:
    return prepared_row.reading, tuple(sorted((piece.axis, piece.score_first) for piece in prepared_row.pieces))


def _insert(fresh: Sequence[tuple[Prepared, tuple[int, int]]], source: str) -> None:
    columns = ("judge_id", "item_id", "case_sha", "first_id", "reading", "score_first", "note")
    rows = (
        (
            judge,
            prepared_row.target.item_id,
            prepared_row.target.sha256,
            answer,
            prepared_row.reading,
            prepared_row.score,
            prepared_row.note,
        )
        for prepared_row, (judge, answer) in fresh
    )
    Table(Verdict, columns, source=source).insert(rows)
    judges, answers = {pair[0] for _one, pair in fresh}, {pair[1] for _one, pair in fresh}
    stored_verdicts = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    pks = {
        (judge, answer): pk
        for pk, judge, answer in stored_verdicts.values_list("pk", "judge_id", "first_id").iterator()
    }
    columns = ("verdict_id", "axis", "label", "score_first", "weight", "reason", "joined")
    Table(Part, columns).insert(
        (pks[pair], piece.axis, piece.label, piece.score_first, piece.weight, piece.reason, piece.joined)
        for prepared_row, pair in fresh
        for piece in prepared_row.pieces
    )
