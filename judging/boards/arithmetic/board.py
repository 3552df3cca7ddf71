"""Arithmetic probe: accuracy by length of chained additions, the longest with 80 % right, lengths 2 to 10.

The trials of a run are read from the ledger of calls. Leads plan a run on the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate import errors
from annotate.engine.endpoints import to_choose_from
from annotate.engine.replies import without_thoughts
from annotate.models import Call, Endpoint, Job, Member, Project, Run
from annotate.runs.plan import plan_run
from annotate.web.access import LEADS, person, project_page
from judging.access import has_intents
from judging.boards.board import POST, Board, BoardPage, Place, SubPage
from judging.boards.needs import PROBES
from judging.boards.options import BoardOptions
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.purposes.arithmetic_runs import PURPOSE, ArithmeticOptions, numbers_of
from lib.charts.marks import Point, fitted, trend
from lib.stats.arithmetic import (
    EACH,
    ENOUGH,
    LONGEST,
    SHORT_TO,
    SHORTEST,
    ArithmeticTrial,
    OfLength,
    Probed,
    final_number,
    probed,
)
from lib.stats.figures import Figure

OPEN = (Job.State.PENDING, Job.State.LEASED)
NEWEST = 20  # runs that are shown; others can be named


@dataclass(frozen=True)
class Solved:
    """One chain with the reply to it."""

    job_id: int
    numbers: Sequence[int]
    reply: str
    trial: ArithmeticTrial


@dataclass(frozen=True)
class ProbeRun:
    """open, failed: jobs without a reply; they do not count as trials."""

    run: Run
    options: ArithmeticOptions
    solved: Sequence[Solved]
    found: Probed
    open: int = 0
    failed: int = 0


@dataclass(frozen=True)
class ArithmeticProbes:
    """runs: the newest first."""

    runs: Sequence[ProbeRun]

    def as_json(self) -> dict[str, Any]:
        return {"rows": [as_json(probe) for probe in self.runs], "notes": _notes(self.runs)}


def probe_runs(project: Project, numbers: Sequence[int] = ()) -> list[ProbeRun]:
    """The newest runs of the probe, or those with these numbers, newest first. Always three queries."""
    all_runs = Run.objects.filter(project=project, purpose=PURPOSE.slug).exclude(state=Run.State.CANCELLED)
    runs = list(
        (all_runs.filter(pk__in=numbers) if numbers else all_runs).select_related("endpoint").order_by("-pk")[:NEWEST]
    )
    open_count, lost = Count("pk", filter=Q(state__in=OPEN)), Count("pk", filter=Q(state=Job.State.FAILED))
    counted = Job.objects.filter(run__in=runs).order_by().values_list("run").annotate(open=open_count, failed=lost)
    counts = {run: (open_, failed) for run, open_, failed in counted}
    solved = _solved(runs)
    return [_probe(run, solved[run.pk], *counts.get(run.pk, (0, 0))) for run in runs]


def _solved(runs: Sequence[Run]) -> dict[int, list[Solved]]:
    """run -> its chains with a reply, by length and number; if a job was asked again, its newest reply counts."""
    by_run, replies = {run.pk: run for run in runs}, {}
    calls = Call.objects.filter(job__run__in=runs, job__state=Job.State.DONE, cause="").order_by("pk")
    for run, job, subject, reply in calls.values_list("job__run_id", "job_id", "job__subject", "reply").iterator(2000):
        replies[job] = (run, subject, without_thoughts(reply))
    solved_by_run: dict[int, list[Solved]] = {run.pk: [] for run in runs}
    for job, (run, subject, reply) in replies.items():
        numbers = numbers_of(by_run[run], subject)
        solved_by_run[run].append(
            Solved(job, numbers, reply, ArithmeticTrial(len(numbers), sum(numbers), final_number(reply)))
        )
    return {
        run: sorted(rows, key=lambda chain: (chain.trial.length, chain.job_id)) for run, rows in solved_by_run.items()
    }


def _probe(run: Run, solved: Sequence[Solved], open_count: int, lost: int) -> ProbeRun:
    options = ArithmeticOptions.model_validate(run.options)
    return ProbeRun(run, options, solved, probed([chain.trial for chain in solved]), open_count, lost)


# Report: the accuracies of each run as JSON and as text.


HEADER = ["model", "run", "length", "right", "of", "accuracy", "95 %", "not readable"]


class ArithmeticReport(Report):
    slug = "arithmetic"
    about = "chained additions of two-digit numbers: accuracy by length, the longest chain with 80 % correct"
    compares_runs = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        probes = probe_runs(project, options.runs)
        missing = sorted(set(options.runs) - {probe.run.pk for probe in probes})
        if missing:
            raise Refused(f"Run {missing[0]} is not an arithmetic probe of this project.")
        if not any(probe.solved for probe in probes):
            raise Refused("There are no probe results yet: arithmetic SLUG --endpoint NAME --wait.")
        value = ArithmeticProbes(probes).as_json()
        return ReportOutput(value, _text(probes, value["notes"]))


def as_json(probe: ProbeRun) -> dict[str, Any]:
    """One run."""
    return {
        "run": probe.run.pk,
        "model": probe.run.endpoint.model,
        "simulated": probe.run.endpoint.simulated,
        **probe.options.model_dump(include={"seed", "language"}),
        "lengths": [{"length": length_row.length, **_length_as_json(length_row)} for length_row in probe.found.lengths],
        "longest": probe.found.longest,
        "short": {"lengths": [SHORTEST, SHORT_TO], **_length_as_json(probe.found.short)},
        "unparsed": probe.found.unparsed,
        "failed": probe.failed,
        "open": probe.open,
    }


def _length_as_json(length_row: OfLength) -> dict[str, Any]:
    figure = length_row.accuracy
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    row: dict[str, Any] = {"n": figure.n, "right": length_row.right, "unparsed": length_row.unparsed}
    row |= {"accuracy": figure.value, "interval": interval}
    return row | ({"note": figure.note} if figure.note else {})


def _notes(probes: Sequence[ProbeRun]) -> list[str]:
    notes = [f"Longest: the longest chain with at least {ENOUGH:.0%} correct. Short: lengths {SHORTEST} to {SHORT_TO}."]
    if unparsed := sum(probe.found.unparsed for probe in probes):
        notes.append(f"{unparsed} replies did not contain a single number as the sum; they count as wrong.")
    if lost := sum(probe.failed + probe.open for probe in probes):
        notes.append(f"{lost} chains have no reply and are left out.")
    return notes


def _text(probes: list[ProbeRun], notes: list[str]) -> str:
    lines = []
    for probe in probes:
        name = [probe.run.endpoint.model, str(probe.run.pk)]
        lines += [[*name, str(length_row.length), *_cells(length_row)] for length_row in probe.found.lengths]
        lines.append([*name, f"{SHORTEST}–{SHORT_TO}", *_cells(probe.found.short)])
        lines.append(
            [*name, "longest", "" if probe.found.longest is None else str(probe.found.longest), "", "", "", ""]
        )
    return "\n".join([table(HEADER, lines, left=2), "", *notes])


def _cells(length_row: OfLength) -> list[str]:
    return [
        str(length_row.right),
        str(length_row.accuracy.n),
        _share(length_row.accuracy),
        _between(length_row.accuracy),
        str(length_row.unparsed),
    ]


def _share(figure: Figure) -> str:
    return "" if figure.value is None else f"{figure.value:.2f}"


def _between(figure: Figure) -> str:
    return "" if figure.low is None or figure.high is None else f"{figure.low:.2f}–{figure.high:.2f}"


# The page.


TEMPLATE = "arithmetic/arithmetic.html"
FEW = 5  # cases of a length; fewer say little
LANGUAGES = (("en", gettext_lazy("English")), ("zh", gettext_lazy("Chinese")))


class ProbeForm(forms.Form):
    """endpoint: by its name."""

    endpoint = forms.ModelChoiceField(
        label=gettext_lazy("Endpoint"), queryset=Endpoint.objects.none(), to_field_name="name", empty_label=None
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=gettext_lazy("The same seed gives the same sample."),
    )
    longest = forms.IntegerField(
        label=gettext_lazy("Longest chain"), min_value=SHORTEST, max_value=100, initial=LONGEST
    )
    each = forms.IntegerField(label=gettext_lazy("Cases per length"), min_value=1, max_value=100, initial=EACH)
    language = forms.ChoiceField(label=gettext_lazy("Language of the question"), choices=LANGUAGES, initial="en")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        endpoints: Any = self.fields["endpoint"]
        endpoints.queryset = to_choose_from()

    def options(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "endpoint"}


class ProbeOptions(BoardOptions):
    """run: the one in the chart; None for the newest. length: lists its chains of that length; None for none."""

    run: int | None = None
    length: int | None = None


def newest_probes(project: Project, options: ProbeOptions) -> ArithmeticProbes:
    return ArithmeticProbes([probe for probe in probe_runs(project) if probe.solved or probe.open or probe.failed])


COLUMNS = ("run", "model", "simulated", "length", "n", "right", "unparsed", "accuracy", "low", "high")


def probes_json(probes: ArithmeticProbes, options: ProbeOptions) -> Mapping[str, Any]:
    return probes.as_json()


def probes_rows(probes: ArithmeticProbes, options: ProbeOptions, member: Member) -> Iterator[Mapping[str, Any]]:
    """A row for each length of each run; the interval as low and high, 0..1."""
    for probe in probes.runs:
        run = (probe.run.pk, probe.run.endpoint.model, probe.run.endpoint.simulated)
        for row in probe.found.lengths:
            figure = row.accuracy
            cells = (row.length, figure.n, row.right, row.unparsed, figure.value, figure.low, figure.high)
            yield dict(zip(COLUMNS, (*run, *cells), strict=True))


def arithmetic(probes: ArithmeticProbes, options: ProbeOptions, member: Member) -> BoardPage:
    return BoardPage(_context(probes, options, ProbeForm() if member.leads else None))


def arithmetic_plan(request: HttpRequest, lead: Member) -> HttpResponse:
    """Plan a run. Its page shows what it will need before anything is sent."""
    form = ProbeForm(request.POST)
    if form.is_valid():
        endpoint, by = form.cleaned_data["endpoint"], person(request)
        try:
            run = plan_run(
                project=lead.project,
                purpose=PURPOSE.slug,
                endpoint=endpoint,
                by=by,
                options=form.options(),
            )
        except errors.Refused as refused:
            form.add_error("endpoint", str(refused))
        else:
            return redirect("run", lead.project.slug, run.pk)
    options = ProbeOptions.parse(request.GET, lead.project)
    context = _context(newest_probes(lead.project, options), options, form)
    return project_page(request, lead, TEMPLATE, context, tab="arithmetic", status=422)


def _context(numbers: ArithmeticProbes, options: ProbeOptions, form: ProbeForm | None) -> dict[str, Any]:
    probes = numbers.runs
    chosen_probe = next((probe for probe in probes if probe.run.pk == options.run), next(iter(probes), None))
    return {
        "form": form,
        "probes": probes,
        "chosen": chosen_probe,
        "chart": _chart(chosen_probe) if chosen_probe and chosen_probe.solved else None,
        "opened": _opened(chosen_probe, options.length) if chosen_probe else [],
        "length": options.length,
        "enough": round(100 * ENOUGH),
        "short": (SHORTEST, SHORT_TO),
        "simulated": any(probe.run.endpoint.simulated for probe in probes),
    }


def _chart(probe: ProbeRun) -> SafeString:
    points = [
        Point(str(row.length), figure.value, figure.low or 0.0, figure.high or 0.0, thin=figure.n < FEW)
        for row in probe.found.lengths
        for figure in [row.accuracy]
    ]
    label = _("Share of correct sums by length; intervals: 95 %")

    def drawn(width: int) -> SafeString:
        return trend(points, label=label, amount=lambda share: f"{share:.0%}", most=1.0, width=width, height=200)

    return fitted(drawn)


def _opened(probe: ProbeRun, length: int | None) -> Sequence[Solved]:
    return [solution for solution in probe.solved if solution.trial.length == length]


BOARD = Board(
    slug="arithmetic",
    name=gettext_lazy("Arithmetic"),
    place=Place(
        160, asks=gettext_lazy("How well does a model calculate?"), needs=(PROBES,), aside=True, led_to=has_intents
    ),
    Options=ProbeOptions,
    numbers=newest_probes,
    state=None,  # jobs end without a verdict
    page=arithmetic,
    template=TEMPLATE,
    as_json=probes_json,
    as_rows=probes_rows,
    columns=COLUMNS,
    sub_pages=(SubPage("arithmetic/plan/", "arithmetic_plan", arithmetic_plan, roles=LEADS, methods=POST),),
    saves_views=False,
    reports=(ArithmeticReport(),),
)
