"""What judges of a file said about vote items: a verdict for each order in which they saw the answers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from annotate.models import Project
from annotate.services.importing.table import Table
from judging.formats.base import Said
from judging.models import Judge, Part, Verdict
from judging.services.judgement_files.votes.items import Target

Named = tuple[str, str, str]  # name, strategy, variant


class Place(NamedTuple):
    """What there is one imported verdict of."""

    judge: int
    first: int
    second: int | None
    swapped: bool


_PLACED = ("judge_id", "first_id", "second_id", "swapped")


class Content(NamedTuple):
    """What a verdict says. axes: criterion -> score, in their order."""

    reading: str
    choice: str
    score_first: float | None
    axes: tuple[tuple[str, float | None], ...] = ()


class Row(NamedTuple):
    target: Target
    place: Place
    content: Content
    said: Said


def judges_named(project: Project, judgements: Iterable[Said]) -> dict[Named, Judge]:
    """Those who said it; who is missing is made."""
    keys = {_named(judgement) for judgement in judgements}
    judges_by_key = _known(project, keys)
    missing = sorted(keys - judges_by_key.keys())
    if missing:
        new_judges = [
            Judge(project=project, name=name, strategy=strategy, variant=variant) for name, strategy, variant in missing
        ]
        Judge.objects.bulk_create(new_judges, ignore_conflicts=True)  # another import may make the same ones now
        judges_by_key = _known(project, keys)
    return judges_by_key


def _known(project: Project, keys: Collection[Named]) -> dict[Named, Judge]:
    judges = Judge.objects.filter(project=project, name__in={name for name, _asked, _variant in keys})
    return {key: judge for judge in judges if (key := (judge.name, judge.strategy, judge.variant)) in keys}


def _named(judgement: Said) -> Named:
    return judgement.judge, judgement.strategy, judgement.variant


def row(target: Target, judgement: Said, judges: dict[Named, Judge]) -> Row:
    second = target.answers[1] if len(target.answers) > 1 else None
    verdict_key = Place(judges[_named(judgement)].pk, target.answers[0], second, judgement.swapped)
    axes = tuple(sorted((axis, score) for axis, score in judgement.scores.items() if axis))
    reading = Verdict.Reading.OK if judgement.choice or judgement.scores else Verdict.Reading.UNPARSED
    return Row(
        target, verdict_key, Content(reading.value, judgement.choice or "", judgement.scores.get(""), axes), judgement
    )


def there(rows: Sequence[Row]) -> dict[Place, Content]:
    """What is imported already about these answers by these judges. Two queries."""
    judges, answers = {row.place.judge for row in rows}, {row.place.first for row in rows}
    verdicts = Verdict.objects.filter(job=None, repeat=1, top=None, judge__in=judges, first__in=answers)
    axes: dict[int, list[tuple[str, float | None]]] = defaultdict(list)
    parts = Part.objects.filter(verdict__in=verdicts.single()).order_by("axis")
    for verdict, axis, score in parts.values_list("verdict_id", "axis", "score_first").iterator(2000):
        axes[verdict].append((axis, score))
    columns = verdicts.values_list("pk", *_PLACED, "reading", "choice", "score_first")
    return {
        Place(*values[:4]): Content(values[4], values[5], values[6], tuple(axes.get(pk, ())))
        for pk, *values in columns.iterator(2000)
    }


def store(rows: Sequence[Row], source: str) -> None:
    """case_sha: of kinds that nobody answers, the facts are what a judge saw."""
    columns = ("item_id", "case_sha", "reason", "note", *_PLACED, "reading", "choice", "score_first")
    Table(Verdict, columns, source=source).insert(
        (row.target.pk, row.target.content_hash, row.said.reason, row.said.instead, *row.place, *row.content[:3])
        for row in rows
    )
    _store_parts([row for row in rows if row.content.axes])


def _store_parts(rows: Sequence[Row]) -> None:
    if not rows:
        return
    judges, answers = {row.place.judge for row in rows}, {row.place.first for row in rows}
    verdicts = Verdict.objects.single().filter(job=None, repeat=1, top=None, judge__in=judges, first__in=answers)
    pks = {Place(*verdict_key): pk for pk, *verdict_key in verdicts.values_list("pk", *_PLACED).iterator(2000)}
    Table(Part, ("verdict_id", "axis", "label", "score_first")).insert(
        (pks[row.place], axis, axis, score) for row in rows for axis, score in row.content.axes
    )
