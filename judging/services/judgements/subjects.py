"""Which answers, or pairs of them, a run of judging is about, and everything that one of its jobs needs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import Item, Job, Run
from annotate.purposes.base import Planned
from annotate.services.runs import items as run_items
from judging.models import Answer, Author
from judging.services.cases import Case, case_of, cases, judgeable
from judging.services.gold import key_of as gold_key
from judging.services.judgements.options import ALL, LISTED, Wanted
from judging.services.judgements.samples import sample_of
from judging.strategies.base import Strategy

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
    """The decided items that pass the run's filters; of a run about a sample only those that were drawn."""
    found = judgeable(run.project).filter(pk__in=run_items.chosen(run).values("pk")).order_by("pk")
    drawn = sample_of(run)
    return found if drawn is None else found.filter(pk__in=drawn.items)


def answers_of(run: Run, wanted: Wanted) -> QuerySet[Answer]:
    """Current answers of the authors that were asked for, known or not; never those of the reference."""
    found = Answer.objects.current().filter(author__project=run.project).exclude(author__name=wanted.given.reference)
    return found.filter(author__name__in=wanted.given.authors) if wanted.given.authors else found


def planned(run: Run, wanted: Wanted) -> Iterator[Planned]:
    """A job for every answer with a known text, or pair of them, where the item suits and has its reference."""
    seen: set[bytes] = set()
    for together in _batches(cases(items_of(run))):
        suited = [case.item.pk for case in together if wanted.strategy.fits(case.judged, wanted.own)]
        if wanted.given.reference:
            references = references_at(run, wanted, suited)
            suited = [pk for pk in suited if pk in references]
        answers = answers_of(run, wanted).filter(item__in=suited, known=True).select_related("author")
        if wanted.given.own_reference:
            answers = _second_ones(answers)
        elif sample_of(run) is not None:
            answers = answers.filter(sample=1)  # settings are compared by one answer of each author
        by_item: dict[int, list[Answer]] = {pk: [] for pk in suited}
        for answer in answers.order_by("author__name", "sample").defer("text"):
            by_item[answer.item_id].append(answer)
        if is_single(wanted):
            _leave_out_known_gold(by_item, together, wanted.strategy, seen)
        keys = {case.item.pk: case.item.key for case in together}
        for pk in suited:
            yield from (Planned(subject, pk) for subject in _subjects(by_item[pk], wanted, keys[pk]))


def is_single(wanted: Wanted) -> bool:
    """Whether an answer is shown with nothing beside it."""
    return not (wanted.strategy.pairwise or wanted.beside)


def _second_ones(answers: QuerySet[Answer]) -> QuerySet[Answer]:
    """Second answers whose author has a first one with a text there."""
    first = Answer.objects.current().filter(item=OuterRef("item"), author=OuterRef("author"), sample=1, known=True)
    return answers.filter(Exists(first), sample=2)


def _leave_out_known_gold(
    by_item: Mapping[int, list[Answer]], together: Sequence[Case], strategy: Strategy, seen: set[bytes]
) -> None:
    """Of gold answers that the judge would be asked about in the same words only the first gets a job.

    seen: the keys of those that have one, to which these are added.
    """
    gold = [answer.pk for found in by_item.values() for answer in found if answer.author.sort == Author.Sort.GOLD]
    texts = dict(Answer.objects.filter(pk__in=gold).values_list("pk", "text")) if gold else {}
    for case in together:
        for answer in [one for one in by_item.get(case.item.pk, ()) if one.pk in texts]:
            key = gold_key(case, texts[answer.pk], strategy)
            if key in seen:
                by_item[case.item.pk].remove(answer)
            seen.add(key)


def _batches(found: Iterator[Case]) -> Iterator[list[Case]]:
    while together := list(islice(found, TOGETHER)):
        yield together


def _subjects(answers: Sequence[Answer], wanted: Wanted, key: str) -> Iterator[str]:
    if not wanted.strategy.pairwise:
        yield from (f"answer/{answer.pk}" for answer in answers)
        return
    listed = {frozenset((pair.first, pair.second)): pair.first for pair in wanted.listed.get(key, ())}
    for first, second in combinations(answers, 2):
        if wanted.pairs == LISTED:
            yield from _listed(first, second, listed)
        elif wanted.pairs == ALL:
            if first.author_id != second.author_id and first.sample == second.sample:
                yield f"pair/{first.pk}/{second.pk}"
        elif _are_gold_and_perturbed(first, second):
            yield _gold_first(first, second)


def _listed(first: Answer, second: Answer, listed: Mapping[frozenset[str], str]) -> Iterator[str]:
    """As listed, first and second; a gold answer stands before a perturbed one, as reports count them."""
    leading = listed.get(frozenset((first.author.name, second.author.name)))
    if leading is None or first.sample != second.sample:
        return
    if _are_gold_and_perturbed(first, second):
        yield _gold_first(first, second)
    else:
        one, other = (first, second) if first.author.name == leading else (second, first)
        yield f"pair/{one.pk}/{other.pk}"


def _are_gold_and_perturbed(first: Answer, second: Answer) -> bool:
    return {first.author.sort, second.author.sort} == {Author.Sort.GOLD, Author.Sort.PERTURBED}


def _gold_first(first: Answer, second: Answer) -> str:
    gold, perturbed = sorted((first, second), key=lambda one: one.author.sort != Author.Sort.GOLD)
    return f"pair/{gold.pk}/{perturbed.pk}"


def references_at(run: Run, wanted: Wanted, items: Iterable[int]) -> dict[int, Answer]:
    """item -> the reference's answer there, its first sample."""
    found = Answer.objects.current().filter(author__project=run.project, author__name=wanted.given.reference)
    return {answer.item_id: answer for answer in found.filter(item__in=items, known=True).order_by("-sample")}


def loaded(run: Run, wanted: Wanted, jobs: Sequence[Job]) -> dict[int, Subject]:
    """job -> its subject, in three queries however many; a job whose answers are gone has none."""
    named = {job.pk: _ids(job.subject) for job in jobs}
    answers = Answer.objects.in_bulk({pk for ids in named.values() for pk in ids})
    items = Item.objects.select_related("project", "base").in_bulk([job.item_id for job in jobs if job.item_id])
    references = _references(run, wanted, items, list(answers.values()))
    return dict(_found(jobs, named, answers, items, references))


def _references(
    run: Run, wanted: Wanted, items: Iterable[int], answers: Sequence[Answer]
) -> Callable[[Answer], Answer | None]:
    """What each answer is held against: the reference's answer at its item, or its author's first one there."""
    if wanted.given.own_reference:
        found = Answer.objects.current().filter(item__in=items, sample=1, known=True)
        own = {(one.item_id, one.author_id): one for one in found.filter(author__in={a.author_id for a in answers})}
        return lambda answer: own.get((answer.item_id, answer.author_id))
    at = references_at(run, wanted, items) if wanted.given.reference else {}
    return lambda answer: at.get(answer.item_id)


def _found(
    jobs: Sequence[Job],
    named: Mapping[int, Sequence[int]],
    answers: Mapping[int, Answer],
    items: Mapping[int, Item],
    reference_of: Callable[[Answer], Answer | None],
) -> Iterator[tuple[int, Subject]]:
    read: dict[int, Case | None] = {}  # several jobs are about one item
    for job in jobs:
        item, shown = job.item_id or 0, [answers[pk] for pk in named[job.pk] if pk in answers]
        if item not in items or not shown or len(shown) < len(named[job.pk]):
            continue
        if item not in read:
            read[item] = case_of(items[item])
        second = shown[1] if len(shown) == 2 else None
        yield job.pk, Subject(shown[0], second, reference_of(shown[0]), read[item])


def _ids(subject: str) -> list[int]:
    """Of `answer/12` and `pair/12/13`."""
    return [int(number) for number in subject.split("/")[1:] if number.isdecimal()]
