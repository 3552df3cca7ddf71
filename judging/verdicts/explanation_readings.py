"""Readings of judges' explanations by models: every verdict that was read, the run, and the outcome."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import CharField, Count, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from annotate.models import Job, Project, Run
from annotate.web.pager import row_page
from judging.models import Answer, Author, Verdict

PURPOSE = "explanations"
PAGE = 25
YES, NO, FAILED = "yes", "no", "failed"
ON_PERTURBED = Q(second__author__sort=Author.Sort.PERTURBED) | Q(first__author__sort=Author.Sort.PERTURBED)


@dataclass(frozen=True)
class ExplanationReading:
    """One explanation that a model was shown. verdict: None if it was deleted. came: yes, no, failed."""

    job: Job
    verdict: Verdict | None

    @property
    def came(self) -> str:
        if self.job.state == Job.State.FAILED or self.verdict is None:
            return FAILED
        return YES if self.verdict.found_in_explanation else NO


@dataclass(frozen=True)
class ReadingRun:
    """A run over explanations. counts: state of its jobs -> how many."""

    run: Run
    counts: Mapping[str, int]

    @property
    def shown(self) -> str:
        """The texts that its reader is shown, in words."""
        return str(Verdict.FoundFrom(self.run.options.get("shown", Verdict.FoundFrom.EXPLANATION_ONLY)).label)

    @property
    def read(self) -> int:
        return self.counts.get(Job.State.DONE, 0)

    @property
    def failed(self) -> int:
        return self.counts.get(Job.State.FAILED, 0)

    @property
    def waiting(self) -> int:
        return self.counts.get(Job.State.PENDING, 0) + self.counts.get(Job.State.LEASED, 0)


@dataclass(frozen=True)
class ReadingPage:
    """after: the job at which the next page begins; None if there is none."""

    readings: Sequence[ExplanationReading]
    after: int | None


def runs_of(project: Project) -> list[ReadingRun]:
    """The newest first, in two queries."""
    runs = list(project.runs.filter(purpose=PURPOSE).select_related("endpoint").order_by("-pk"))
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    rows = Job.objects.filter(run__in=runs).values_list("run", "state").annotate(n=Count("pk")).order_by()
    for run, state, number in rows:
        counts[run][state] = number
    return [ReadingRun(run, counts[run.pk]) for run in runs]


def explanation_page(
    project: Project, *, run: int = 0, came: str = "", after: int = 0, size: int = PAGE
) -> ReadingPage:
    """Ended jobs in order, two queries. run: only of this one; 0 for all. came: yes, no, failed."""
    ended = _that_came(_ended(project), project, came).filter(pk__gt=after)
    page = row_page(ended.filter(run=run) if run else ended, size)
    return ReadingPage(list(_with_verdicts(page.rows)), page.next.pk if page.next else None)


def _ended(project: Project) -> QuerySet[Job]:
    states = [Job.State.DONE, Job.State.FAILED]
    ended = Job.objects.filter(run__project=project, run__purpose=PURPOSE, state__in=states)
    return ended.select_related("run__endpoint", "item").order_by("pk")


def _that_came(ended: QuerySet[Job], project: Project, came: str) -> QuerySet[Job]:
    """Jobs with this outcome; all of them if `came` is none of the three."""
    if came == FAILED:
        return ended.filter(state=Job.State.FAILED)
    if came not in (YES, NO):
        return ended
    verdicts = Verdict.objects.filter(judge__project=project, found_in_explanation=came == YES)
    subject = Concat(Value("verdict/"), Cast("pk", CharField()))
    return ended.filter(state=Job.State.DONE, subject__in=verdicts.annotate(subject=subject).values("subject"))


def _with_verdicts(jobs: Sequence[Job]) -> Iterator[ExplanationReading]:
    verdicts = Verdict.objects.select_related("judge").in_bulk([_verdict(job) for job in jobs])
    return (ExplanationReading(job, verdicts.get(_verdict(job))) for job in jobs)


def _verdict(job: Job) -> int:
    return int(job.subject.rpartition("/")[2])


def gold_texts(items: Iterable[int]) -> dict[int, str]:
    """item -> its current gold answer, if known: a reader needs it to see what the mistake is."""
    current = Answer.objects.current().filter(item__in=set(items), author__sort=Author.Sort.GOLD, known=True, sample=1)
    return dict(current.values_list("item_id", "text"))


def label_of_perturbed(verdict: Verdict) -> str:
    """The judge's label of the perturbed answer, A or B; "" if it saw no other answer."""
    return "" if verdict.second_id is None else "A" if verdict.swapped else "B"


def decided(verdict: Verdict) -> str:
    """The judge's score or choice as it saw the answers: `8`, `A`, `both good`."""
    if verdict.second_id is None:
        return "" if verdict.score_first is None else f"{verdict.score_first:g}"
    letters = {"first": "B", "second": "A"} if verdict.swapped else {"first": "A", "second": "B"}
    return letters.get(verdict.choice, verdict.choice.replace("_", " "))
