"""Judgements of gold and perturbed answers, stored as the verdicts that a run of ours would have left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotate.models import Project
from annotate.services.importing.table import Table
from judging.formats.base import PairJudgement
from judging.models import Author, Judge, Verdict
from judging.services.answers.storing import authors_called, hold
from judging.services.judgement_files.intake import Intake
from judging.services.judgement_files.storing import Brought, Stored, answers_about, judges_called
from judging.services.judgement_files.targets import Target
from lib.stats.blindspots import PAIRWISE, SINGLE

SORTS = {"gold": Author.Sort.GOLD.value, "perturbed": Author.Sort.PERTURBED.value}  # author -> its sort


@dataclass(frozen=True)
class PreparedPair:
    judgement: PairJudgement
    target: Target


class Place(NamedTuple):
    """What there is one verdict of. scaled: beside a reference, whose scale has a top."""

    judge: int
    first: int
    second: int | None
    swapped: bool
    scaled: bool


class Content(NamedTuple):
    """What a verdict says."""

    reading: str
    score_first: float | None
    choice: str
    top: float | None
    found_in_explanation: bool | None


class Row(NamedTuple):
    item: int
    sha256: str
    reference: int | None
    place: Place
    content: Content


class PairIntake(Intake[PairJudgement, PreparedPair]):
    def prepared(self, judgement: PairJudgement, target: Target) -> PreparedPair:
        return PreparedPair(judgement, target)

    def store(self, prepared_rows: Sequence[PreparedPair], source: str) -> Stored:
        return store_pairs(self.project, prepared_rows, source=source)


def store_pairs(project: Project, prepared_rows: Sequence[PreparedPair], *, source: str) -> Stored:
    """Two verdicts for scores or choices, one beside a reference; what is there already stays as it is.

    A number of queries that depends on how many strategies there are, not on how many rows.
    """
    authors = authors_called(project, {name: {"sort": sort} for name, sort in SORTS.items()})
    hold(author.pk for author in authors.values())
    judges = _judges(project, prepared_rows)
    answers = _answers(prepared_rows, authors, source)
    rows = [
        list(
            _rows(
                prepared_row, judges[prepared_row.judgement.judge, prepared_row.judgement.strategy].pk, gold, perturbed
            )
        )
        for prepared_row, (gold, perturbed) in zip(prepared_rows, answers, strict=True)
    ]
    content_by_key = _there(rows)
    new, same, fresh = [], [], []
    for verdicts in rows:
        missing = [row for row in verdicts if row.place not in content_by_key]
        new.append(bool(missing))
        same.append(not missing and all(content_by_key[row.place] == row.content for row in verdicts))
        content_by_key |= {row.place: row.content for row in missing}
        fresh += missing
    _insert(fresh, source)
    return Stored(new, same)


def _judges(project: Project, prepared_rows: Sequence[PreparedPair]) -> dict[tuple[str, str], Judge]:
    judge_keys = {(prepared_row.judgement.judge, prepared_row.judgement.strategy) for prepared_row in prepared_rows}
    return {
        (name, strategy): judge
        for strategy in sorted({strategy for _name, strategy in judge_keys})
        for name, judge in judges_called(
            project, {name for name, judge_strategy in judge_keys if judge_strategy == strategy}, strategy
        ).items()
    }


def _answers(prepared_rows: Sequence[PreparedPair], authors: dict[str, Author], source: str) -> list[tuple[int, int]]:
    """(gold, perturbed) of each, with the item's own texts where it holds them."""
    pairs = [[_brought(prepared_row.target, authors[name]) for prepared_row in prepared_rows] for name in SORTS]
    answer_pks = answers_about([*pairs[0], *pairs[1]], source)
    return list(zip(answer_pks[: len(prepared_rows)], answer_pks[len(prepared_rows) :], strict=True))


def _brought(target: Target, author: Author) -> Brought:
    held = target.answers.get(author.name)
    return Brought((target.item_id, author.pk), held[1] if held else None)


def _rows(prepared_row: PreparedPair, judge: int, gold: int, perturbed: int) -> Iterator[Row]:
    judgement, item, sha256 = prepared_row.judgement, prepared_row.target.item_id, prepared_row.target.sha256
    if judgement.shape == PAIRWISE.name:
        for swapped, choice in enumerate((judgement.gold_first, judgement.perturbed_first)):
            key = Place(judge, gold, perturbed, bool(swapped), scaled=False)
            yield Row(item, sha256, None, key, _content(choice=choice, found=judgement.found))
        return
    if judgement.shape == SINGLE.name:
        yield Row(item, sha256, None, Place(judge, gold, None, False, scaled=False), _content(score=judgement.gold))
    key = Place(judge, perturbed, None, False, scaled=judgement.top is not None)
    content = _content(score=judgement.perturbed, top=judgement.top, found=judgement.found)
    yield Row(item, sha256, gold if key.scaled else None, key, content)


def _content(
    *, score: float | None = None, choice: str | None = None, top: float | None = None, found: bool | None = None
) -> Content:
    was_read = score is not None or choice is not None
    reading = Verdict.Reading.OK if was_read else Verdict.Reading.UNPARSED
    return Content(reading.value, score, choice or "", top, found)


def _there(rows: Sequence[Sequence[Row]]) -> dict[Place, Content]:
    """What is imported already about these answers by these judges."""
    keys = [row.place for verdicts in rows for row in verdicts]
    judges, answers = {key.judge for key in keys}, {key.first for key in keys}
    stored_verdicts = Verdict.objects.filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    columns: tuple[Any, ...] = ("judge_id", "first_id", "second_id", "swapped", *Content._fields)
    content_by_key = {}
    for judge, first, second, swapped, *content in stored_verdicts.values_list(*columns).iterator():
        verdict_content = Content(*content)
        content_by_key[Place(judge, first, second, swapped, verdict_content.top is not None)] = verdict_content
    return content_by_key


def _insert(fresh: Sequence[Row], source: str) -> None:
    columns = ("item_id", "case_sha", "reference_id", "judge_id", "first_id", "second_id", "swapped", *Content._fields)
    Table(Verdict, columns, source=source).insert(
        (row.item, row.sha256, row.reference, *row.place[:4], *row.content) for row in fresh
    )
