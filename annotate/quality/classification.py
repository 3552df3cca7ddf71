"""Accuracy of a model's classification: its labels against those that people accepted; and its pages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Concat
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Classification, Item, Job, Run
from annotate.project.overview import TOO_FEW, ShareEstimate
from annotate.web.access import LEADS, membership, project_page
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


# Pages for leads: the runs that classified, the matrix of a run, and the items behind a figure.


RUNS = 20


class CellForm(forms.Form):
    """The figure of the matrix whose items are listed. `model` may be empty, which means "outside the taxonomy"."""

    people = forms.CharField(required=False, max_length=120)
    model = forms.CharField(required=False, max_length=120)
    right = forms.ChoiceField(required=False, choices=[("", ""), ("task", ""), ("label", "")])
    left = forms.ChoiceField(required=False, choices=[("", ""), *WORDS.items()])
    after = forms.IntegerField(required=False, min_value=0, max_value=2**62)

    def given(self) -> dict[str, Any]:
        model = self.cleaned_data["model"] if "model" in self.data else None
        return {**self.cleaned_data, "model": model}


@login_required
def classification(request: HttpRequest, slug: str) -> HttpResponse:
    """Every run that classified, with its accuracy."""
    member = membership(request, slug, LEADS)
    runs = list(runs_of(member.project_id)[:RUNS])
    for run in runs:
        run.project = member.project
    context = {"rows": [(run, accuracy(run)) for run in runs], "too_few": TOO_FEW}
    return project_page(request, member, "classification/runs.html", context, tab="classification")


@login_required
def classification_run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    run = get_object_or_404(runs_of(member.project_id), pk=pk)
    run.project = member.project
    context = {
        "run": run,
        "found": accuracy(run),
        "too_few": TOO_FEW,
        "outside": OUTSIDE,
    }
    return project_page(request, member, "classification/run.html", context, tab="classification")


@login_required
def classification_items(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The items behind one figure."""
    member = membership(request, slug, LEADS)
    run: Run = get_object_or_404(runs_of(member.project_id), pk=pk)
    run.project = member.project
    form = CellForm(request.GET)
    if not form.is_valid():
        context: dict[str, Any] = {"run": run, "refused": True}
        return project_page(request, member, "classification/items.html", context, tab="classification", status=422)
    query = form.given()
    rows, following = page(cell(run, query), query["after"] or 0)
    context = {"run": run, "rows": rows, "given": query, "why": WORDS.get(query["left"])}
    if following is not None:
        parameters = {name: value for name, value in request.GET.items() if name in form.fields}
        address = reverse("classification_items", args=[slug, pk])
        context["older"] = f"{address}?{urlencode({**parameters, 'after': following})}"
    return project_page(request, member, "classification/items.html", context, tab="classification")
