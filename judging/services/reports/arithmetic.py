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

    def write(self, project: Project, wanted: Wanted) -> Written:
        found = probe_runs(project, wanted.runs)
        missing = sorted(set(wanted.runs) - {one.run.pk for one in found})
        if missing:
            raise Refused(f"Run {missing[0]} is no arithmetic probe of this project.")
        if not any(one.solved for one in found):
            raise Refused("No model has added anything up yet: arithmetic SLUG --endpoint NAME --wait.")
        notes = _notes(found)
        return Written({"rows": [as_json(one) for one in found], "notes": notes}, _text(found, notes))


def as_json(one: ProbeRun) -> dict[str, Any]:
    """One run."""
    return {
        "run": one.run.pk,
        "model": one.run.endpoint.model,
        "simulated": one.run.endpoint.simulated,
        **one.options.model_dump(include={"seed", "language"}),
        "lengths": [{"length": each.length, **_told(each)} for each in one.found.lengths],
        "longest": one.found.longest,
        "short": {"lengths": [SHORTEST, SHORT_TO], **_told(one.found.short)},
        "unparsed": one.found.unparsed,
        "failed": one.failed,
        "open": one.open,
    }


def _told(each: OfLength) -> dict[str, Any]:
    figure = each.accuracy
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    told: dict[str, Any] = {"n": figure.n, "right": each.right, "unparsed": each.unparsed}
    told |= {"accuracy": figure.value, "interval": interval}
    return told | ({"note": figure.note} if figure.note else {})


def _notes(found: list[ProbeRun]) -> list[str]:
    notes = [f"Longest: the longest chain with at least {ENOUGH:.0%} right. Short: lengths {SHORTEST} to {SHORT_TO}."]
    if unparsed := sum(one.found.unparsed for one in found):
        notes.append(f"{unparsed} replies said no single number as the sum; they count as wrong.")
    if lost := sum(one.failed + one.open for one in found):
        notes.append(f"{lost} chains have no reply; they are no trials.")
    return notes


def _text(found: list[ProbeRun], notes: list[str]) -> str:
    lines = []
    for one in found:
        name = [one.run.endpoint.model, str(one.run.pk)]
        lines += [[*name, str(each.length), *_cells(each)] for each in one.found.lengths]
        lines.append([*name, f"{SHORTEST}–{SHORT_TO}", *_cells(one.found.short)])
        lines.append([*name, "longest", "" if one.found.longest is None else str(one.found.longest), "", "", "", ""])
    return "\n".join([table(HEADER, lines, left=2), "", *notes])


def _cells(each: OfLength) -> list[str]:
    return [str(each.right), str(each.accuracy.n), _share(each.accuracy), _between(each.accuracy), str(each.unparsed)]


def _share(figure: Figure) -> str:
    return "" if figure.value is None else f"{figure.value:.2f}"


def _between(figure: Figure) -> str:
    return "" if figure.low is None or figure.high is None else f"{figure.low:.2f}–{figure.high:.2f}"


REPORT = ArithmeticReport()
