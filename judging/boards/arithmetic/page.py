"""The arithmetic probe: accuracy by length for each run, the chains behind each number; leads plan a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.engine.endpoints import to_choose_from
from annotate.errors import Refused
from annotate.models import Endpoint, Member, Project
from annotate.runs.plan import plan_run
from annotate.web.access import person, project_page
from judging.boards.arithmetic.report import ArithmeticProbes, ProbeRun, Solved, probe_runs
from judging.boards.board import BoardPage
from judging.boards.options import BoardOptions
from judging.purposes.arithmetic_runs import PURPOSE
from lib.charts.marks import Point, trend
from lib.stats.arithmetic import EACH, ENOUGH, LONGEST, SHORT_TO, SHORTEST

PHONE, WIDE = 330, 700
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
        except Refused as refused:
            form.add_error("endpoint", str(refused))
        else:
            return redirect("run", lead.project.slug, run.pk)
    options = ProbeOptions.parse(request.GET, lead.project)
    context = _context(newest_probes(lead.project, options), options, form)
    return project_page(request, lead, TEMPLATE, context, tab="judging", status=422)


def _context(numbers: ArithmeticProbes, options: ProbeOptions, form: ProbeForm | None) -> dict[str, Any]:
    probes = numbers.runs
    chosen_probe = next((probe for probe in probes if probe.run.pk == options.run), next(iter(probes), None))
    return {
        "form": form,
        "probes": probes,
        "chosen": chosen_probe,
        "charts": _charts(chosen_probe) if chosen_probe and chosen_probe.solved else None,
        "opened": _opened(chosen_probe, options.length) if chosen_probe else [],
        "length": options.length,
        "enough": round(100 * ENOUGH),
        "short": (SHORTEST, SHORT_TO),
        "simulated": any(probe.run.endpoint.simulated for probe in probes),
    }


def _charts(probe: ProbeRun) -> tuple[SafeString, SafeString]:
    """For wide and for narrow screens."""
    points = [
        Point(str(row.length), figure.value, figure.low or 0.0, figure.high or 0.0, thin=figure.n < FEW)
        for row in probe.found.lengths
        for figure in [row.accuracy]
    ]
    label = _("Share of correct sums by length; intervals: 95 %")

    def drawn(width: int) -> SafeString:
        return trend(points, label=label, amount=lambda share: f"{share:.0%}", most=1.0, width=width, height=200)

    return drawn(WIDE), drawn(PHONE)


def _opened(probe: ProbeRun, length: int | None) -> Sequence[Solved]:
    return [solution for solution in probe.solved if solution.trial.length == length]
