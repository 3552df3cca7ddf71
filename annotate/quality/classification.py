"""Accuracy of a model's classification: its labels against the labels that people accepted; computed on demand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Concat
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Classification, Item, Job, Run
from annotate.project.overview import ShareEstimate
from annotate.web.pager import row_page

Labels = QuerySet[Any]  # of Classification, with the columns of `compared`
OUTSIDE = ""  # the column of labels that the taxonomy does not have
PAGE = 50
WORDS: Mapping[str, str | Promise] = {
    "open": _("not accepted yet"),
    "dropped": _("dropped"),
    "aside": _("calibration, gold or attention items"),
    "unlabelled": _("accepted without a label"),
}


@dataclass(frozen=True)
class UncountedLabels:
    """Classified items that are not in the figures. why: a key of WORDS."""

    why: str
    items: int

    @property
    def reason(self) -> str | Promise:
        return WORDS[self.why]


@dataclass(frozen=True)
class TaskRow:
    """The model's labels of the items with one task by people: column -> count; right: those with the same task."""

    task: str
    counts: Sequence[tuple[str, int]]
    right: ShareEstimate


@dataclass(frozen=True)
class Accuracy:
    """cells: (people's task, the model's task, or OUTSIDE) -> items. hits: labels that are right as a whole.

    n used is the sum of the cells; `left_out` were classified but not used, `without` were planned but have no label.
    """

    cells: Mapping[tuple[str, str], int]
    hits: int
    left_out: Sequence[UncountedLabels]
    without: Mapping[str, int]

    @property
    def n(self) -> int:
        return sum(self.cells.values())

    @property
    def tasks(self) -> ShareEstimate:
        return ShareEstimate(sum(n for (people, model), n in self.cells.items() if people == model), self.n)

    @property
    def labels(self) -> ShareEstimate:
        return ShareEstimate(self.hits, self.n)

    @cached_property
    def columns(self) -> list[str]:
        """Every task that occurs, with OUTSIDE at the end if it has items."""
        tasks = {task for cell in self.cells for task in cell} - {OUTSIDE}
        return [*sorted(tasks), *([OUTSIDE] if any(model == OUTSIDE for _people, model in self.cells) else [])]

    @cached_property
    def rows(self) -> list[TaskRow]:
        people = sorted({task for task, _model in self.cells})
        return [self._row(task) for task in people]

    def _row(self, task: str) -> TaskRow:
        counts = [(column, self.cells.get((task, column), 0)) for column in self.columns]
        return TaskRow(task, counts, ShareEstimate(self.cells.get((task, task), 0), sum(n for _column, n in counts)))


def runs_of(project_id: int) -> "QuerySet[Run]":
    """Runs that classify, the newest first."""
    classifies = Q(purpose="classify") | Q(classifications__isnull=False)
    runs = Run.objects.filter(classifies, project_id=project_id).distinct()
    return runs.select_related("project", "endpoint").order_by("-pk")


def accuracy(run: Run) -> Accuracy:
    """The accuracy of a run, in three queries for any size."""
    counted = used(run).values("task", "people", "model", "label").annotate(items=Count("pk")).order_by()
    cells: Counter[tuple[str, str]] = Counter()
    hits = 0
    for row in counted:
        cells[row["task"], row["model"]] += row["items"]
        hits += row["items"] if row["label"] == row["people"] and row["model"] != OUTSIDE else 0
    sums = compared(run).aggregate(**{why: Count("pk", filter=_uncounted_by_reason()[why]) for why in WORDS})
    exclusions = [UncountedLabels(why, sums[why]) for why in WORDS if sums[why]]
    states = run.jobs.exclude(state=Job.State.DONE).values_list("state").annotate(jobs=Count("pk")).order_by()
    return Accuracy(dict(cells), hits, exclusions, dict(states))


def compared(run: Run) -> Labels:
    """A run's classifications with `task`, `people` (the label that people accepted, "" if none), and `model`."""
    parts = [_part(name) for name in run.project.kind.label_fields]
    whole = (
        Concat(*[part for label_part in parts for part in (Value(";"), label_part)][1:], output_field=CharField())
        if parts[1:]
        else parts[0]
    )
    return Classification.objects.filter(run=run).annotate(
        task=parts[0],
        people=whole,
        model=Case(When(listed=True, then=F("group")), default=Value(OUTSIDE), output_field=CharField()),
    )


def _part(name: str) -> Coalesce:
    return Coalesce(KeyTextTransform(name, "item__base__draft"), Value(""), output_field=CharField())


def used(run: Run) -> Labels:
    """The classifications that count: those of work items that are accepted with a label."""
    return (
        compared(run)
        .exclude(_uncounted_by_reason()["open"] | _uncounted_by_reason()["dropped"] | _uncounted_by_reason()["aside"])
        .exclude(task="")
    )


def uncounted_labels(run: Run, why: str) -> Labels:
    return compared(run).filter(_uncounted_by_reason()[why])


def _uncounted_by_reason() -> dict[str, Q]:
    """The reasons, each item under one only: the first that holds."""
    aside = ~Q(item__purpose=Item.Purpose.WORK)
    dropped = Q(item__state=Item.State.DROPPED)
    accepted = Q(item__state=Item.State.ACCEPTED)
    return {
        "aside": aside,
        "dropped": ~aside & dropped,
        "open": ~aside & ~dropped & ~accepted,
        "unlabelled": ~aside & accepted & Q(task=""),
    }


def right(labels: Labels) -> Labels:
    return labels.filter(listed=True, label=F("people"))


def page(labels: Labels, after: int) -> tuple[list[Classification], int | None]:
    """The next classifications by item, and the cursor of the page after them; None at the end."""
    found = row_page(labels.filter(item_id__gt=after).select_related("item").order_by("item_id"), PAGE)
    return found.rows, found.next.item_id if found.next else None


def cell(run: Run, selection: Mapping[str, Any]) -> Labels:
    """The items behind one figure. selection: people and model (a cell), people alone (a row), right, or left."""
    if selection.get("left"):
        return uncounted_labels(run, selection["left"])
    labels = used(run)
    if selection.get("people"):
        labels = labels.filter(task=selection["people"])
    if selection.get("model") is not None:
        labels = labels.filter(model=selection["model"])
    if selection.get("right") == "task":
        return labels.filter(task=F("model"))
    return right(labels) if selection.get("right") == "label" else labels
