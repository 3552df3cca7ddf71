"""Subjects of judging runs: answers, or pairs, and all data that a job needs; and samples of cases.

The options of a run store which cases were sampled, so that other runs can use the same ones.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotate.engine.purposes import JobPlan
from annotate.models import Item, Job, Run
from annotate.runs import item_selection as run_items
from judging.answers.cases import Case, case_of, cases, judgeable
from judging.answers.store import key_of as gold_key
from judging.models import Answer, Author
from judging.strategies.strategy import Strategy
from judging.verdicts.judge_options import ALL, LISTED, JudgeRunOptions

OPTION = "sample"  # among the options of a run


@dataclass(frozen=True)
class Sample:
    """items: ids of the cases, in order. seed, size: as chosen. name: shared by runs planned together."""

    name: str
    seed: int
    size: int
    items: Sequence[int]

    def stored(self) -> dict[str, Any]:
        return {OPTION: asdict(self) | {"items": list(self.items)}}


def sample_of(run: Run) -> Sample | None:
    """The sample of a run; None for a run about all cases."""
    stored = run.options.get(OPTION)
    return Sample(**stored) if stored else None


# Subjects of a run and of its jobs.


TOGETHER = 200  # items whose answers are read at once


@dataclass(frozen=True)
class JudgeSubject:
    """What one job shows. case: None if the item can no longer be judged; then, or without texts, nothing is asked.

    second: None for a single answer; reference: None if the run uses none.
    """

    first: Answer
    second: Answer | None = None
    reference: Answer | None = None
    case: Case | None = None


def items_of(run: Run) -> QuerySet[Item]:
    """The decided items that pass the run's filters; for a run about a sample only the drawn ones."""
    items = judgeable(run.project).filter(pk__in=run_items.chosen_items(run).values("pk")).order_by("pk")
    sample = sample_of(run)
    return items if sample is None else items.filter(pk__in=sample.items)


def answers_of(run: Run, options: JudgeRunOptions) -> QuerySet[Answer]:
    """Current answers of the chosen authors, with or without known text; never those of the reference."""
    answers = Answer.objects.current().filter(author__project=run.project).exclude(author__name=options.given.reference)
    return answers.filter(author__name__in=options.given.authors) if options.given.authors else answers


def planned(run: Run, options: JudgeRunOptions) -> Iterator[JobPlan]:
    """A job for every answer with a known text, or pair of them, if the item suits and has its reference."""
    gold_keys: set[bytes] = set()
    for batch in _batches(cases(items_of(run))):
        suited = [case.item.pk for case in batch if options.strategy.fits(case.judged, options.own)]
        if options.given.reference:
            references = references_at(run, options, suited)
            suited = [pk for pk in suited if pk in references]
        answers = answers_of(run, options).filter(item__in=suited, known=True).select_related("author")
        if options.given.own_reference:
            answers = _second_ones(answers)
        elif sample_of(run) is not None:
            answers = answers.filter(sample=1)  # settings are compared by one answer of each author
        by_item: dict[int, list[Answer]] = {pk: [] for pk in suited}
        for answer in answers.order_by("author__name", "sample").defer("text"):
            by_item[answer.item_id].append(answer)
        if is_single(options):
            _leave_out_known_gold(by_item, batch, options.strategy, gold_keys)
        keys = {case.item.pk: case.item.key for case in batch}
        for pk in suited:
            yield from (JobPlan(subject, pk) for subject in _subjects(by_item[pk], options, keys[pk]))


def is_single(options: JudgeRunOptions) -> bool:
    """Whether answers are shown alone."""
    return not (options.strategy.pairwise or options.beside)


def _second_ones(answers: QuerySet[Answer]) -> QuerySet[Answer]:
    """Second answers whose author also has a first one with a text."""
    first_answers = Answer.objects.current().filter(
        item=OuterRef("item"), author=OuterRef("author"), sample=1, known=True
    )
    return answers.filter(Exists(first_answers), sample=2)


def _leave_out_known_gold(
    by_item: Mapping[int, list[Answer]], batch: Sequence[Case], strategy: Strategy, gold_keys: set[bytes]
) -> None:
    """Drop gold answers whose prompt would equal that of an earlier one: only the first gets a job.

    gold_keys: the keys of gold answers with a job; new ones are added.
    """
    gold = [answer.pk for answers in by_item.values() for answer in answers if answer.author.sort == Author.Sort.GOLD]
    texts = dict(Answer.objects.filter(pk__in=gold).values_list("pk", "text")) if gold else {}
    for case in batch:
        for answer in [answer for answer in by_item.get(case.item.pk, ()) if answer.pk in texts]:
            key = gold_key(case, texts[answer.pk], strategy)
            if key in gold_keys:
                by_item[case.item.pk].remove(answer)
            gold_keys.add(key)


def _batches(case_stream: Iterator[Case]) -> Iterator[list[Case]]:
    while batch := list(islice(case_stream, TOGETHER)):
        yield batch


def _subjects(answers: Sequence[Answer], options: JudgeRunOptions, key: str) -> Iterator[str]:
    if not options.strategy.pairwise:
        yield from (f"answer/{answer.pk}" for answer in answers)
        return
    listed = {frozenset((pair.first, pair.second)): pair.first for pair in options.listed.get(key, ())}
    for first, second in combinations(answers, 2):
        if options.pairs == LISTED:
            yield from _listed(first, second, listed)
        elif options.pairs == ALL:
            if first.author_id != second.author_id and first.sample == second.sample:
                yield f"pair/{first.pk}/{second.pk}"
        elif _are_gold_and_perturbed(first, second):
            yield _gold_first(first, second)


def _listed(first: Answer, second: Answer, listed: Mapping[frozenset[str], str]) -> Iterator[str]:
    """Subjects in the listed order of first and second; a gold answer precedes a perturbed one, as reports expect."""
    leading = listed.get(frozenset((first.author.name, second.author.name)))
    if leading is None or first.sample != second.sample:
        return
    if _are_gold_and_perturbed(first, second):
        yield _gold_first(first, second)
    else:
        pair_first, pair_second = (first, second) if first.author.name == leading else (second, first)
        yield f"pair/{pair_first.pk}/{pair_second.pk}"


def _are_gold_and_perturbed(first: Answer, second: Answer) -> bool:
    return {first.author.sort, second.author.sort} == {Author.Sort.GOLD, Author.Sort.PERTURBED}


def _gold_first(first: Answer, second: Answer) -> str:
    gold, perturbed = sorted((first, second), key=lambda answer: answer.author.sort != Author.Sort.GOLD)
    return f"pair/{gold.pk}/{perturbed.pk}"


def references_at(run: Run, options: JudgeRunOptions, items: Iterable[int]) -> dict[int, Answer]:
    """item -> the reference's answer, its first sample."""
    answers = Answer.objects.current().filter(author__project=run.project, author__name=options.given.reference)
    return {answer.item_id: answer for answer in answers.filter(item__in=items, known=True).order_by("-sample")}


def loaded(run: Run, options: JudgeRunOptions, jobs: Sequence[Job]) -> dict[int, JudgeSubject]:
    """job -> its subject, always in three queries; a job whose answers were deleted has none."""
    ids_by_job = {job.pk: _ids(job.subject) for job in jobs}
    answers = Answer.objects.in_bulk({pk for ids in ids_by_job.values() for pk in ids})
    items = Item.objects.select_related("project", "base").in_bulk([job.item_id for job in jobs if job.item_id])
    references = _references(run, options, items, list(answers.values()))
    return dict(_loaded_subjects(jobs, ids_by_job, answers, items, references))


def _references(
    run: Run, options: JudgeRunOptions, items: Iterable[int], answers: Sequence[Answer]
) -> Callable[[Answer], Answer | None]:
    """answer -> its reference: the reference author's answer to the same item, or its own author's first one."""
    if options.given.own_reference:
        first_answers = Answer.objects.current().filter(item__in=items, sample=1, known=True)
        answer_by_key = {
            (answer.item_id, answer.author_id): answer
            for answer in first_answers.filter(author__in={a.author_id for a in answers})
        }
        return lambda answer: answer_by_key.get((answer.item_id, answer.author_id))
    reference_by_item = references_at(run, options, items) if options.given.reference else {}
    return lambda answer: reference_by_item.get(answer.item_id)


def _loaded_subjects(
    jobs: Sequence[Job],
    ids_by_job: Mapping[int, Sequence[int]],
    answers: Mapping[int, Answer],
    items: Mapping[int, Item],
    reference_of: Callable[[Answer], Answer | None],
) -> Iterator[tuple[int, JudgeSubject]]:
    case_by_item: dict[int, Case | None] = {}  # cache: several jobs are about one item
    for job in jobs:
        item, job_answers = job.item_id or 0, [answers[pk] for pk in ids_by_job[job.pk] if pk in answers]
        if item not in items or not job_answers or len(job_answers) < len(ids_by_job[job.pk]):
            continue
        if item not in case_by_item:
            case_by_item[item] = case_of(items[item])
        second = job_answers[1] if len(job_answers) == 2 else None
        yield job.pk, JudgeSubject(job_answers[0], second, reference_of(job_answers[0]), case_by_item[item])


def _ids(subject: str) -> list[int]:
    """The ids in `answer/12` and `pair/12/13`."""
    return [int(number) for number in subject.split("/")[1:] if number.isdecimal()]
