"""The vote items of a part of a file, with their answers and ballots: looked up, or made."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Batch, Event, Item, Project
from annotate.services.importing.new import store as store_work
from annotate.services.importing.rows import Prepared
from annotate.services.importing.table import Table
from judging.models import Ballot
from judging.services.answers.storing import authors_called, hold
from judging.services.judgement_files.storing import Brought, answers_about
from judging.services.judgement_files.votes.ready import Authors, Ready


@dataclass(frozen=True)
class Target:
    """One vote item. answers: in the order of its facts; empty while it has no ballot."""

    pk: int
    content_hash: str
    authors: Authors = ()
    answers: Sequence[int] = field(default=())


def find(project: Project, keys: Collection[str]) -> dict[str, Target]:
    """key -> its item, of those that are there. One query."""
    columns = ("key", "pk", "content_hash", "ballot__first", "ballot__second")
    names = ("ballot__first__author__name", "ballot__second__author__name")
    targets = {}
    for key, pk, digest, *rest in Item.objects.filter(project=project, key__in=keys).values_list(*columns, *names):
        answers, authors = rest[:2], rest[2:]
        targets[key] = Target(
            pk, digest, tuple(filter(None, authors)), tuple(answer for answer in answers if answer is not None)
        )
    return targets


def make(project: Project, batch: Batch, rows: Sequence[Ready]) -> None:
    """Items of these keys, each once: decided where people have voted, else open for votes."""
    voted = [row for row in rows if row.drafts]
    store_work(project, batch, [_as_work(row) for row in rows if not row.drafts])
    table = Table(
        Item,
        ("key", "title", "group", "language", "content_hash", "facts"),
        project_id=project.pk,
        batch_id=batch.pk,
        schema=project.kind.schema,
        state=Item.State.ACCEPTED.value,
    )
    table.insert(
        (row.voted.key, row.title, row.voted.group, row.language, row.content_hash, row.facts) for row in voted
    )
    item_pks = Item.objects.filter(batch=batch, key__in=[row.voted.key for row in voted]).values_list("pk", flat=True)
    history = Table(
        Event,
        ("item_id",),
        project_id=project.pk,
        verb="imported",
        to_state=Item.State.ACCEPTED.value,
        note=batch.file_name,
    )
    history.insert((pk,) for pk in item_pks)


def _as_work(row: Ready) -> Prepared:
    return Prepared(
        line=row.voted.line,
        row={},
        key=row.voted.key,
        facts=dict(row.facts),
        content_hash=row.content_hash,
        title=row.title,
        group=row.voted.group,
        language=row.language,
    )


def make_ballots(project: Project, pairs: Iterable[tuple[Target, Ready]], source: str) -> None:
    """Answers of the row's authors to the vote item itself, and the ballot that says which it shows."""
    target_rows = list(pairs)
    if not target_rows:
        return
    authors = authors_called(project, {name: {} for _target, row in target_rows for name in row.authors})
    hold(author.pk for author in authors.values())
    brought = [
        Brought((target.pk, authors[side.author].pk), side.text)
        for target, row in target_rows
        for side in row.voted.sides
    ]
    answers = iter(answers_about(brought, source))
    Table(Ballot, ("item_id", "first_id", "second_id")).insert(
        (target.pk, *_two([next(answers) for _side in row.voted.sides])) for target, row in target_rows
    )


def _two(answers: Sequence[int]) -> tuple[int, int | None]:
    return answers[0], answers[1] if len(answers) > 1 else None


Targets = Mapping[str, Target]
