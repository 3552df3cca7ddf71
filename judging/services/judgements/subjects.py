"""Which answers, or pairs of them, a run of judging is about, and everything that one of its jobs needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from django.db.models import QuerySet

from annotate.models import Item, Job, Run
from annotate.purposes.base import Planned
from annotate.services.runs import items as run_items
from judging.models import Answer, Author
from judging.services.cases import Case, case_of, cases, judgeable
from judging.services.judgements.options import ALL, Wanted

TOGETHER = 200  # items whose answers are read at once


@dataclass(frozen=True)
class Subject:
    """What one job shows. case: None where the item can no longer be judged; then, or without texts, nothing is asked.

    second: None for a single answer; reference: None where none is wanted.
    """

    first: Answer
    second: Answer | None = None
    reference: Answer | None = None
    case: Case | None = None


def items_of(run: Run) -> QuerySet[Item]:
    """The decided items that pass the run's filters."""
    return judgeable(run.project).filter(pk__in=run_items.chosen(run).values("pk")).order_by("pk")


def answers_of(run: Run, wanted: Wanted) -> QuerySet[Answer]:
    """Current answers of the authors that were asked for, known or not; never those of the reference."""
    found = Answer.objects.current().filter(author__project=run.project).exclude(author__name=wanted.given.reference)
    return found.filter(author__name__in=wanted.given.authors) if wanted.given.authors else found


def planned(run: Run, wanted: Wanted) -> Iterator[Planned]:
    """A job for every answer with a known text, or pair of them, where the item suits and has its reference."""
    for together in _batches(cases(items_of(run))):
        suited = [case.item.pk for case in together if wanted.strategy.suits(case.judged)]
        if wanted.given.reference:
            references = references_at(run, wanted, suited)
            suited = [pk for pk in suited if pk in references]
        answers = answers_of(run, wanted).filter(item__in=suited, known=True).select_related("author")
        by_item: dict[int, list[Answer]] = {pk: [] for pk in suited}
        for answer in answers.order_by("author__name", "sample").defer("text"):
            by_item[answer.item_id].append(answer)
        for pk in suited:
            yield from (Planned(subject, pk) for subject in _subjects(by_item[pk], wanted))


def _batches(found: Iterator[Case]) -> Iterator[list[Case]]:
    while together := list(islice(found, TOGETHER)):
        yield together


def _subjects(answers: Sequence[Answer], wanted: Wanted) -> Iterator[str]:
    if not wanted.strategy.pairwise:
        yield from (f"answer/{answer.pk}" for answer in answers)
        return
    for first, second in combinations(answers, 2):
        if (wanted.given.pairs or ALL) == ALL:
            if first.author_id != second.author_id and first.sample == second.sample:
                yield f"pair/{first.pk}/{second.pk}"
        elif {first.author.sort, second.author.sort} == {Author.Sort.GOLD, Author.Sort.PERTURBED}:
            gold, perturbed = sorted((first, second), key=lambda one: one.author.sort != Author.Sort.GOLD)
            yield f"pair/{gold.pk}/{perturbed.pk}"


def references_at(run: Run, wanted: Wanted, items: Iterable[int]) -> dict[int, Answer]:
    """item -> the reference's answer there, its first sample."""
    found = Answer.objects.current().filter(author__project=run.project, author__name=wanted.given.reference)
    return {answer.item_id: answer for answer in found.filter(item__in=items, known=True).order_by("-sample")}


def loaded(run: Run, wanted: Wanted, jobs: Sequence[Job]) -> dict[int, Subject]:
    """job -> its subject, in three queries however many; a job whose answers are gone has none."""
    named = {job.pk: _ids(job.subject) for job in jobs}
    answers = Answer.objects.in_bulk({pk for ids in named.values() for pk in ids})
    items = Item.objects.select_related("project", "base").in_bulk([job.item_id for job in jobs if job.item_id])
    references = references_at(run, wanted, items) if wanted.given.reference else {}
    return dict(_found(jobs, named, answers, items, references))


def _found(
    jobs: Sequence[Job],
    named: Mapping[int, Sequence[int]],
    answers: Mapping[int, Answer],
    items: Mapping[int, Item],
    references: Mapping[int, Answer],
) -> Iterator[tuple[int, Subject]]:
    read: dict[int, Case | None] = {}  # several jobs are about one item
    for job in jobs:
        item, shown = job.item_id or 0, [answers[pk] for pk in named[job.pk] if pk in answers]
        if item not in items or not shown or len(shown) < len(named[job.pk]):
            continue
        if item not in read:
            read[item] = case_of(items[item])
        second = shown[1] if len(shown) == 2 else None
        yield job.pk, Subject(shown[0], second, references.get(item), read[item])


def _ids(subject: str) -> list[int]:
    """Of `answer/12` and `pair/12/13`."""
    return [int(number) for number in subject.split("/")[1:] if number.isdecimal()]
