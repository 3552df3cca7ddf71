"""How far people and judges agree: each two of them, all together, people alone, judges against people's majority."""

from typing import Any, cast

from annotate.models import Project
from judging.metrics.agreement import RESAMPLES, SEED, Level
from judging.metrics.agreement.told import as_json
from judging.metrics.figures import Figure
from judging.services.ratings import Found, first_rated, ratings
from judging.services.ratings.comparing import DIVISIONS, Against, Agreement, Compared, compare
from judging.services.reports.base import Refused, Report, Wanted, Written, votes_elsewhere
from judging.services.reports.consistency import hundredths, shown
from judging.services.reports.tables import table

SHOWN = ("percent", "cohen_kappa", "weighted_kappa", "krippendorff_alpha", "gwet_ac", "spearman")
SHORT = {
    "krippendorff_alpha": "α",
    "cohen_kappa": "κ",
    "weighted_kappa": "weighted κ",
    "gwet_ac": "AC",
    "spearman": "ρ",
}
HITS = {"accuracy": "accuracy", "precision": "macro_precision", "recall": "macro_recall", "f1": "macro_f1"}


class AgreementReport(Report):
    slug = "agreement"
    about = "coefficients of each two raters, people and judges, with intervals; judges against people's majority"
    divisions = DIVISIONS
    compares = True

    def write(self, project: Project, wanted: Wanted) -> Written:
        what, given = (wanted.what, ratings(project, wanted.what)) if wanted.what else first_rated(project)
        if wanted.judge:
            given = Found((one for one in given if _stays(one.rater, wanted.judge)), given.left_out)
        if not given:
            why = "Nobody has rated answers of this project: no votes of people, no verdicts of judges."
            raise Refused(why + votes_elsewhere(project))
        if what == "preference" and wanted.level not in ("", "nominal"):
            raise Refused("Preferences are labels without an order: compare them on the nominal level.")
        found = compare(project, what, given, by=wanted.by, level=cast(Level, wanted.level) or None)
        return Written(told(found), _text(found))


def _stays(rater: Any, judge: str) -> bool:
    return rater.sort == "person" or rater.name == judge


def told(found: Agreement) -> dict[str, Any]:
    """rows: each two raters in each group; all: everybody over all units; people: they alone. Undefined is null."""
    return {
        "rows": [_row(each) for each in found.pairs],
        "all": _row(found.everybody),
        "people": _row(found.people),
        **({"groups": [_row(each) for each in found.groups]} if found.groups else {}),
        "judges": [against_row(each) for each in found.judges],
        "majority": {label or "none": count for label, count in found.majority.items()},
        "what": found.what,
        "level": found.level,
        "resamples": RESAMPLES,
        "seed": SEED,
        "left_out": {side: dict(reasons) for side, reasons in found.left_out.items()},
        "notes": _notes(found),
    }


def _row(each: Compared) -> dict[str, Any]:
    return {
        "raters": [rater.name for rater in each.raters],
        "group": each.group,
        "units": len(each.units),
        "skipped": dict(each.skipped),
        "coefficients": {name: as_json(one) for name, one in each.coefficients.items()},
    }


def against_row(each: Against) -> dict[str, Any]:
    """0..100 with two decimals; n: units with a majority and a label of the judge."""
    figures = {name: getattr(each.hits, field) for name, field in HITS.items()}
    return {
        "judge": each.judge.name,
        "n": each.hits.accuracy.n,
        **{name: shown(figure) for name, figure in figures.items()},
        "interval": {name: _interval(figure) for name, figure in figures.items()},
        "unreadable": each.unreadable,
        "counted_as_tie": each.as_ties,
        "skipped": each.hits.skipped,
    }


def _interval(figure: Figure) -> list[float] | None:
    return None if figure.low is None or figure.high is None else [hundredths(figure.low), hundredths(figure.high)]


def _notes(found: Agreement) -> list[str]:
    notes = [
        f"{one.judge.name}: {one.as_ties} verdicts could not be read and count as ties against the majority, as in its "
        "published figures; in the coefficients they are missing."
        for one in found.judges
        if one.as_ties
    ]
    if not found.pairs:
        notes.append(found.everybody.coefficients["percent"].note)
    if not found.resamples:
        notes.append("Of so many pairs of raters only the values are given, without intervals.")
    if len(found.axes) > 1:
        notes.append("Criteria are mixed where no group is named: --by axis takes them apart.")
    for side, reasons in found.left_out.items():
        notes += [f"Left out of the {side}: {count} {why}." for why, count in sorted(reasons.items()) if count]
    notes.append("Intervals are over units: they say nothing about other raters.")
    return notes


def _text(found: Agreement) -> str:
    header = ["raters", "group", "units", *(SHORT.get(name, name) for name in SHOWN)]
    named = [(" – ".join(rater.name for rater in each.raters), each) for each in found.pairs]
    named += [("all", each) for each in (*found.groups, found.everybody)]
    named.append(("people", found.people))
    lines = [table(header, [_cells(name, each) for name, each in named], left=2)]
    if found.majority:
        counts = ", ".join(f"{label or 'none'} {count}" for label, count in found.majority.items())
        lines += ["", f"Majority of people: {counts}."]
    if found.judges:
        rows = [_hit_cells(each) for each in found.judges]
        lines += ["", table(["judge", "n", *HITS, "unreadable"], rows)]
    return "\n".join([f"Level: {found.level}", "", *lines, "", *_notes(found)])


def _cells(name: str, each: Compared) -> list[str]:
    values = [each.coefficients[coefficient] for coefficient in SHOWN]
    shown_values = [one.value if one.value is not None else one.mean_over_pairs for one in values]
    return [
        name,
        each.group or "",
        str(len(each.units)),
        *("" if one is None else f"{one:.4f}" for one in shown_values),
    ]


def _hit_cells(each: Against) -> list[str]:
    row = against_row(each)
    values = ["" if row[name] is None else f"{row[name]:.2f}" for name in HITS]
    return [each.judge.name, str(row["n"]), *values, str(each.unreadable)]


REPORT = AgreementReport()
