"""Ratings of named raters from files: answers to the questions of a project, stored beside those of its own people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.audit.trail import record
from annotate.bulk_rows import BulkInsert
from annotate.errors import Refused
from annotate.formats.registry import find_format, guess
from annotate.formats.rows import ImportRow, Problem
from annotate.intake.batches import CHUNK, chunks
from annotate.intake.report import Report
from annotate.intake.row_reader import RATER_CHARACTERS
from annotate.kinds.contract import ASIDE, Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project
from lib.texts.stored_sentences import say as _

KEY, RATER = "key", "rater"
Sentences = list[tuple[str, str]]  # path, message


@dataclass
class RatingReport(Report):
    """ratings: how many ratings were stored; with `kept`, the same number."""

    def as_json(self) -> dict[str, Any]:
        return super().as_json() | {"ratings": self.kept}


@dataclass(frozen=True)
class ReadRating:
    """A row that can be stored. remarks: what is odd about it."""

    line: int
    item: int
    rater: str
    draft: dict[str, Any]
    remarks: Sentences


@dataclass
class _File:
    project: Project
    kind: Kind
    name: str
    report: RatingReport
    stored: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)


def has_ratings(kind: Kind) -> bool:
    """Whether drafts of this kind are ratings, so that each rater's counts beside those of others."""
    return kind.defined or kind.opinions


def import_ratings(project: Project, names: Sequence[str], *, format_slug: str = "") -> RatingReport:
    """Store the rows {"key", "rater", <question>: answer, …} of these files; each file in one list of transactions.

    A rater rates an item once: the same rating again is a duplicate, another one is reported and the stored one stays.
    Raises Refused for a kind whose drafts are no ratings.
    """
    if not has_ratings(project.kind):
        message = _("Drafts of the kind “%(kind)s” are texts to agree on, not ratings. Import them with import_items.")
        raise Refused(message % {"kind": project.kind.name})
    report = RatingReport()
    for name in names:
        file_format = find_format(format_slug) if format_slug else guess(name, project.kind_slug)
        if isinstance(file_format, Problem):
            report.faults += 1
            report.tell([file_format])
            continue
        file = _File(project, project.kind, name, report)
        file_format = file_format.for_definition(project.kind.own_definition())
        for chunk in chunks(file_format.read(Path(name), name=name, ratings=True), CHUNK):
            _take(file, chunk)
    return report


def _take(file: _File, chunk: Sequence[ImportRow | Problem]) -> None:
    rows = [row for row in chunk if isinstance(row, ImportRow)]
    problems = [row for row in chunk if isinstance(row, Problem)]
    items = _items(file.project, {str(row.value.get(KEY)) for row in rows})
    new: list[ReadRating] = []
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=file.project.pk)
        file.stored.update(_stored(items.values()))
        for row in rows:
            read = _read(file, row, items)
            if isinstance(read, list):
                problems += [Problem(file.name, row.line, path, message) for path, message in read]
            elif (known := file.stored.get((read.item, read.rater))) is None:
                file.stored[read.item, read.rater] = read.draft
                new.append(read)
                remarks = [*row.warnings, *read.remarks]
                problems += [Problem(file.name, row.line, *remark, "warning") for remark in remarks]
            else:
                file.report.duplicates += 1
                if known != read.draft:
                    message = _("is rated otherwise by this rater already; the stored rating stays.")
                    problems.append(Problem(file.name, row.line, KEY, message, "warning"))
        _store(file, new)
    faults = sum(problem.line is None for problem in problems)
    refused = {problem.line for problem in problems if problem.level == "error" and problem.line is not None}
    file.report.faults += faults
    file.report.read += len(chunk) - sum(isinstance(row, Problem) and row.line is None for row in chunk)
    file.report.kept += len(new)
    file.report.rejected += len(refused)
    file.report.tell(sorted(problems, key=lambda problem: problem.line or 0))


def _items(project: Project, keys: Collection[str]) -> dict[str, Item]:
    items = Item.objects.filter(project=project, key__in=keys).only("key", "facts", "metadata", "schema", "project_id")
    return {item.key: item for item in items}


def _stored(items: Collection[Item]) -> dict[tuple[int, str], dict[str, Any]]:
    rated = Annotation.objects.filter(item__in=[item.pk for item in items], slot=None).exclude(rater="")
    return {(item, rater): draft for item, rater, draft in rated.values_list("item_id", "rater", "draft")}


def _read(file: _File, row: ImportRow, items: Mapping[str, Item]) -> ReadRating | Sentences:
    item, rater = items.get(str(row.value.get(KEY))), row.value.get(RATER)
    if item is None:
        return [(KEY, _("there is no item with this key; import the items first."))]
    if not isinstance(rater, str) or not 0 < len(rater.strip()) <= RATER_CHARACTERS:
        message = _("must be the name of the rater, text of 1 to %(most)d characters.")
        return [(RATER, message % {"most": RATER_CHARACTERS})]
    repeated = _repeated(file.kind, item, row.value)
    rest = {name: value for name, value in row.value.items() if name not in repeated}
    faults = [*_other_columns(item, repeated), *unknown_names(file.kind, rest)]
    if faults:
        return faults
    facts = file.kind.read_facts(file.kind.upgrade(item.facts, item.schema))
    given = file.kind.read_row({name: value for name, value in row.value.items() if name in file.kind.draft_names})
    return _checked(file, row, item, rater.strip(), facts, given.draft or {})


def _repeated(kind: Kind, item: Item, row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says again of its item: columns that the item has, shown or not, and that are no questions."""
    own = {*item.facts, *(item.metadata or {})} - {KEY, RATER, *kind.draft_names}
    return {name: value for name, value in row.items() if name in own}


def _other_columns(item: Item, repeated: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Of each column that is another one in the item; white space at the ends does not count."""
    own = {**(item.metadata or {}), **item.facts}
    for name, value in repeated.items():
        if _trimmed(value) != _trimmed(own[name]):
            yield name, _("is not what the item has in this column; rate the item that is stored, or leave it out.")


def _trimmed(value: Any) -> Any:
    return str(value).strip() if isinstance(value, str | int | float) else value  # of CSV, every value is a text


def unknown_names(kind: Kind, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, message) of each name in a row that is no question of this kind."""
    known = {KEY, RATER, *kind.draft_names, *ASIDE}
    for name in row:
        if name not in known:
            names = ", ".join(kind.draft_names)
            yield str(name)[:60], _("is not a question of this project; it has: %(names)s.") % {"names": names[:300]}


def _checked(
    file: _File, row: ImportRow, item: Item, rater: str, facts: Any, answers: dict[str, Any]
) -> ReadRating | Sentences:
    """Questions that the row leaves out were not asked; those that it names are checked."""
    try:
        draft = file.kind.read_draft({**_unanswered(file.kind, facts), **answers})
    except BadShape as bad:
        return [(finding.path, finding.message) for finding in bad.findings]
    if all(value is None for value in answers.values()):
        return [("", _("has no answer to any question."))]
    found = file.kind.problems(facts, draft, file.project.kind_options)
    problems = [(finding.path, finding.message) for finding in found if answers.get(finding.field) is not None]
    return problems or ReadRating(row.line, item.pk, rater, draft.stored(), _remarks(file.kind, facts, answers))


def _remarks(kind: Kind, facts: Any, answers: Mapping[str, Any]) -> Sentences:
    questions = kind.questions()
    return [
        (name + part, message)
        for name, answer in answers.items()
        if name in questions
        for part, message in questions[name].remarks(answer, facts.stored())
    ]


def _unanswered(kind: Kind, facts: Any) -> dict[str, Any]:
    """An untouched form says nothing yet, but an empty list may be an answer."""
    return dict.fromkeys(kind.questions()) if kind.defined else kind.empty_draft(facts)


def _store(file: _File, rows: Sequence[ReadRating]) -> None:
    if not rows:
        return
    table = BulkInsert(
        Annotation,
        ("item_id", "rater", "draft"),
        schema=file.kind.schema,
        outcome=Annotation.Outcome.ANNOTATED,
        authored=True,
        submitted_at=timezone.now(),
    )
    table.insert((row.item, row.rater, row.draft) for row in rows)
    record("ratings.imported", file.project, after={"file": Path(file.name).name, "ratings": len(rows)})
