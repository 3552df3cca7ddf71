"""The list of a project's runs, newest first, with the numbers of their jobs and of their failed jobs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotate.models import Item, Job, Project, Run
from annotate.web.pager import row_page

PAGE = 25
SHOWN_FOR_ITEM = 5


@dataclass(frozen=True)
class RunRow:
    run: Run
    jobs: int
    done: int
    failed: int


@dataclass(frozen=True)
class RunPage:
    """newer, older: the id before or after which the next page begins; None if there is none."""

    rows: Sequence[RunRow]
    newer: int | None
    older: int | None


def runs_page(project: Project, *, before: int | None = None, after: int | None = None, size: int = PAGE) -> RunPage:
    """One page of runs by descending id, in two queries. before: only older ones; after: the next newer ones."""
    stored_runs = _of(project).order_by("-pk")
    if after is not None:
        page = row_page(stored_runs.filter(pk__gt=after).reverse(), size, before=True)
    elif before is not None:
        page = row_page(stored_runs.filter(pk__lt=before), size, after=True)
    else:
        page = row_page(stored_runs, size)
    return RunPage(_rows(page.rows), page.previous.pk if page.previous else None, page.next.pk if page.next else None)


def _of(project: Project) -> QuerySet[Run]:
    return Run.objects.filter(project=project).select_related("endpoint", "created_by")


def _rows(runs: Sequence[Run]) -> list[RunRow]:
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    jobs = Job.objects.filter(run__in=[run.pk for run in runs]).order_by()
    for run, state, n in jobs.values_list("run", "state").annotate(Count("pk")):
        counts[run][state] = n
    states = [(run, counts[run.pk]) for run in runs]
    return [RunRow(run, sum(n.values()), n.get(Job.State.DONE, 0), n.get(Job.State.FAILED, 0)) for run, n in states]


def under_way(project: Project) -> list[Run]:
    """The runs that models work on now, or would if they were not paused."""
    return list(_of(project).filter(state__in=[Run.State.RUNNING, Run.State.PAUSED])[:10])


def jobs_of_item(item: Item) -> list[Job]:
    """The newest jobs about an item, each with its run."""
    return list(Job.objects.filter(item=item).select_related("run__endpoint").order_by("-pk")[:SHOWN_FOR_ITEM])
