"""The arithmetic probe: accuracy by length for each run, the chains behind each number; leads plan a run."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.engine.endpoints import to_choose_from
from annotate.errors import Refused
from annotate.models import Endpoint, Member
from annotate.runs.plan import plan_run
from annotate.web.access import person, project_page
from judging.boards.arithmetic.report import ProbeRun, Solved, probe_runs
from judging.purposes.arithmetic_runs import PURPOSE
from lib.charts.marks import Point, trend
from lib.stats.arithmetic import EACH, ENOUGH, LONGEST, SHORT_TO, SHORTEST

PHONE, WIDE = 330, 700
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


def arithmetic(request: HttpRequest, member: Member) -> HttpResponse:
    """?run= the run in the chart, else the newest; ?length= lists its chains of that length."""
    return _page(request, member, ProbeForm() if member.leads else None)


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
    return _page(request, lead, form, status=422)


def _page(request: HttpRequest, member: Member, form: ProbeForm | None, status: int = 200) -> HttpResponse:
    probes = [probe for probe in probe_runs(member.project) if probe.solved or probe.open or probe.failed]
    current_probe = next(
        (probe for probe in probes if str(probe.run.pk) == request.GET.get("run")), probes[0] if probes else None
    )
    length = request.GET.get("length", "")
    context = {
        "form": form,
        "probes": probes,
        "chosen": current_probe,
        "charts": _charts(current_probe) if current_probe and current_probe.solved else None,
        "opened": _opened(current_probe, length) if current_probe else [],
        "length": length,
        "enough": round(100 * ENOUGH),
        "short": (SHORTEST, SHORT_TO),
        "simulated": any(probe.run.endpoint.simulated for probe in probes),
    }
    return project_page(request, member, "arithmetic/arithmetic.html", context, tab="judging", status=status)


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


def _opened(probe: ProbeRun, length: str) -> Sequence[Solved]:
    return [solution for solution in probe.solved if str(solution.trial.length) == length]
