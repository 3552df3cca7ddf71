"""How far people and judges agree: each two of them, all together, people alone, judges against people's majority."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from annotate.models import Project
from judging.services.comparing_raters.choosing import NobodyChosen, chosen_people
from judging.services.comparing_raters.headline import Headline, headline
from judging.services.comparing_raters.headline import as_json as headline_json
from judging.services.comparing_raters.material import material
from judging.services.comparing_raters.subjects import NAMES, Subject
from judging.services.ratings import Found, first_rated, ratings
from judging.services.ratings.comparing import DIVISIONS, Against, Agreement, Compared, compare
from judging.services.reports.base import Refused, Report, Wanted, Written, votes_elsewhere
from judging.services.reports.consistency import hundredths, shown
from judging.services.reports.tables import table
from lib.stats.agreement import RESAMPLES, SEED, Level
from lib.stats.agreement.notes import ONE_SIDED
from lib.stats.agreement.pooled import Pooled
from lib.stats.agreement.told import as_json
from lib.stats.figures import Figure

SHOWN = ("percent", "cohen_kappa", "weighted_kappa", "krippendorff_alpha", "gwet_ac", "spearman")
SHORT = {
    "krippendorff_alpha": "α",
    "cohen_kappa": "κ",
    "weighted_kappa": "weighted κ",
    "gwet_ac": "AC",
    "spearman": "ρ",
}
CALLED = {
    "kappa_pooled": "Kappa pooled over all pairs of votes",
    "krippendorff_alpha": "Krippendorff's alpha, all ratings",
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
        whole = material(project, Subject(what, NAMES[what], what))
        try:
            chosen = whole.of_people(chosen_people(whole, wanted.raters) if wanted.raters else ())
        except NobodyChosen as nobody:
            raise Refused(str(nobody)) from None
        if wanted.judge:
            judges = [one for one in chosen.judges if one.name == wanted.judge]
            chosen = replace(chosen, judges=judges, state=f"{chosen.state}:{wanted.judge}")
        if chosen.chosen:
            names = {one.name for one in chosen.people}
            given = Found((one for one in given if one.rater.sort != "person" or one.rater.name in names),
                          given.left_out)  # fmt: skip
        level = cast(Level, wanted.level) or None
        found = compare(project, what, given, by=wanted.by, level=level, clusters=chosen.clusters)
        first = headline(chosen, found.level)
        value = {"headline": headline_json(first), "raters": [one.name for one in chosen.people]} | told(found)
        return Written(value, "\n".join([*headline_text(first), "", _text(found)]))


def headline_text(found: Headline) -> Iterator[str]:
    """What stands first: pooled figures with their intervals, of whom, and what was resampled."""
    yield f"{CALLED[found.coefficient]}, level {found.level}:"
    yield f"  people: {_pooled(found.people)}"
    for one in found.judges:
        less = one.both.difference
        between = "" if less.low is None else f" ({less.low:.3f} to {less.high:.3f})"
        difference = f"; less people {less.value:.3f}{between}" if less.value is not None else ""
        yield f"  {one.judge.name}: {_pooled(one.both.judge)}{difference}"
    if found.chosen:
        yield f"People chosen: {', '.join(one.name for one in found.raters)}."
    yield f"Intervals: 95 %, {found.clusters} clusters resampled, by {found.resampled_by}; seed {SEED}."
    if found.people.one_sided:
        yield ONE_SIDED


def _pooled(one: Pooled) -> str:
    if one.value is None:
        return f"– ({one.note})"
    between = f" ({one.low:.3f} to {one.high:.3f})" if one.low is not None else ""
    return f"{one.value:.3f}{between}, equal {one.equal or 0:.3f}, {one.units} units, {one.pairs} pairs"


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
