"""The arithmetic probe: accuracy by length of chained additions, the longest with 80 % right, lengths 2 to 10."""

from typing import Any

from annotate.models import Project
from judging.services.arithmetic import ProbeRun, probe_runs
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.arithmetic import ENOUGH, SHORT_TO, SHORTEST, OfLength
from lib.stats.figures import Figure

HEADER = ["model", "run", "length", "right", "of", "accuracy", "95 %", "not readable"]


class ArithmeticReport(Report):
    slug = "arithmetic"
    about = "chained additions of two-digit numbers: accuracy by length, the longest with 80 % right"
    compares_runs = True

    def write(self, project: Project, options: Wanted) -> Written:
        probes = probe_runs(project, options.runs)
        missing = sorted(set(options.runs) - {probe.run.pk for probe in probes})
        if missing:
            raise Refused(f"Run {missing[0]} is no arithmetic probe of this project.")
        if not any(probe.solved for probe in probes):
            raise Refused("No model has added anything up yet: arithmetic SLUG --endpoint NAME --wait.")
        notes = _notes(probes)
        return Written({"rows": [as_json(probe) for probe in probes], "notes": notes}, _text(probes, notes))


def as_json(probe: ProbeRun) -> dict[str, Any]:
    """One run."""
    return {
        "run": probe.run.pk,
        "model": probe.run.endpoint.model,
        "simulated": probe.run.endpoint.simulated,
        **probe.options.model_dump(include={"seed", "language"}),
        "lengths": [{"length": length_row.length, **_told(length_row)} for length_row in probe.found.lengths],
        "longest": probe.found.longest,
        "short": {"lengths": [SHORTEST, SHORT_TO], **_told(probe.found.short)},
        "unparsed": probe.found.unparsed,
        "failed": probe.failed,
        "open": probe.open,
    }


def _told(length_row: OfLength) -> dict[str, Any]:
    figure = length_row.accuracy
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    row: dict[str, Any] = {"n": figure.n, "right": length_row.right, "unparsed": length_row.unparsed}
    row |= {"accuracy": figure.value, "interval": interval}
    return row | ({"note": figure.note} if figure.note else {})


def _notes(probes: list[ProbeRun]) -> list[str]:
    notes = [f"Longest: the longest chain with at least {ENOUGH:.0%} right. Short: lengths {SHORTEST} to {SHORT_TO}."]
    if unparsed := sum(probe.found.unparsed for probe in probes):
        notes.append(f"{unparsed} replies said no single number as the sum; they count as wrong.")
    if lost := sum(probe.failed + probe.open for probe in probes):
        notes.append(f"{lost} chains have no reply; they are no trials.")
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


REPORT = ArithmeticReport()
