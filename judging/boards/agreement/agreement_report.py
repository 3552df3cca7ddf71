"""Agreement report: each two raters, everybody together, people alone, and judges against the majority of people."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from annotate.models import Project
from judging.boards.agreement.numbers import (
    DIVISIONS,
    Against,
    Agreement,
    Headline,
    NobodyChosen,
    RaterAgreement,
    chosen_people,
    compare,
    headline,
)
from judging.boards.agreement.numbers import as_json as headline_json
from judging.boards.agreement.question_agreement import question_report
from judging.boards.report import (
    Refused,
    Report,
    ReportOptions,
    ReportOutput,
    figure_value,
    hundredths,
    table,
    votes_elsewhere,
)
from judging.ratings.raters import ProjectRatings, first_rated, ratings
from judging.ratings.rating_subjects import NAMES, RatingSubject
from judging.ratings.tables import unit_table
from lib.stats.agreement import RESAMPLES, SEED, Level
from lib.stats.agreement.coefficients import as_json
from lib.stats.agreement.pooled import Pooled
from lib.stats.agreement.table import ONE_SIDED
from lib.stats.figures import Figure

SHOWN = ("percent", "cohen_kappa", "weighted_kappa", "krippendorff_alpha", "gwet_ac", "spearman")
SHORT = {
    "krippendorff_alpha": "α",
    "cohen_kappa": "κ",
    "weighted_kappa": "weighted κ",
    "gwet_ac": "AC",
    "spearman": "ρ",
}
COEFFICIENT_NAMES = {
    "kappa_pooled": "Kappa pooled over all pairs of votes",
    "krippendorff_alpha": "Krippendorff's alpha, all ratings",
}
HITS = {"accuracy": "accuracy", "precision": "macro_precision", "recall": "macro_recall", "f1": "macro_f1"}


class AgreementReport(Report):
    slug = "agreement"
    about = "coefficients for each pair of raters, people and judges, with intervals; judges against the human majority"
    divisions = DIVISIONS
    compares = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        if project.kind.defined:
            return question_report(project, options.what)
        rating_kind, project_ratings = (
            (options.what, ratings(project, options.what)) if options.what else first_rated(project)
        )
        if options.judge:
            project_ratings = ProjectRatings(
                (rating for rating in project_ratings if _stays(rating.rater, options.judge)), project_ratings.left_out
            )
        if not project_ratings:
            why = "There are no ratings in this project: no human votes and no judge verdicts."
            raise Refused(why + votes_elsewhere(project))
        if rating_kind == "preference" and options.level not in ("", "nominal"):
            raise Refused("Preferences are labels without an order: use the nominal level.")
        whole = unit_table(project, RatingSubject(rating_kind, NAMES[rating_kind], rating_kind))
        try:
            chosen_material = whole.of_people(chosen_people(whole, options.raters) if options.raters else ())
        except NobodyChosen as nobody:
            raise Refused(str(nobody)) from None
        if options.judge:
            judges = [judge for judge in chosen_material.judges if judge.name == options.judge]
            chosen_material = replace(chosen_material, judges=judges, state=f"{chosen_material.state}:{options.judge}")
        if chosen_material.chosen:
            names = {person.name for person in chosen_material.people}
            chosen_ratings = (
                rating for rating in project_ratings if rating.rater.sort != "person" or rating.rater.name in names
            )
            project_ratings = ProjectRatings(chosen_ratings, project_ratings.left_out)
        level = cast(Level, options.level) or None
        agreement = compare(
            project, rating_kind, project_ratings, by=options.by, level=level, clusters=chosen_material.clusters
        )
        summary = headline(chosen_material, agreement.level)
        value = {
            "headline": headline_json(summary),
            "raters": [person.name for person in chosen_material.people],
        } | agreement_as_json(agreement)
        return ReportOutput(value, "\n".join([*headline_text(summary), "", _text(agreement)]))


def headline_text(headline: Headline) -> Iterator[str]:
    """The first lines: pooled figures with their intervals, the raters, and what was resampled."""
    yield f"{COEFFICIENT_NAMES[headline.coefficient]}, level {headline.level}:"
    yield f"  people: {_pooled(headline.people)}"
    for judge_entry in headline.judges:
        less = judge_entry.both.difference
        between = "" if less.low is None else f" ({less.low:.3f} to {less.high:.3f})"
        difference = f"; difference from people {less.value:.3f}{between}" if less.value is not None else ""
        yield f"  {judge_entry.judge.name}: {_pooled(judge_entry.both.judge)}{difference}"
    if headline.chosen:
        yield f"Selected people: {', '.join(rater.name for rater in headline.raters)}."
    yield f"Intervals: 95 %, bootstrap over {headline.clusters} clusters, by {headline.resampled_by}; seed {SEED}."
    if headline.people.one_sided:
        yield ONE_SIDED


def _pooled(pooled: Pooled) -> str:
    if pooled.value is None:
        return f"– ({pooled.note})"
    between = f" ({pooled.low:.3f} to {pooled.high:.3f})" if pooled.low is not None else ""
    raw_agreement = f"raw agreement {pooled.equal or 0:.3f}"
    return f"{pooled.value:.3f}{between}, {raw_agreement}, {pooled.units} units, {pooled.pairs} pairs"


def _stays(rater: Any, judge: str) -> bool:
    return rater.sort == "person" or rater.name == judge


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """Keys: rows: each two raters by group; all: everybody over all units; people: people alone. Undefined is null."""
    return {
        "rows": [_row(comparison) for comparison in agreement.pairs],
        "all": _row(agreement.everybody),
        "people": _row(agreement.people),
        **({"groups": [_row(comparison) for comparison in agreement.groups]} if agreement.groups else {}),
        "judges": [against_row(judge_hits) for judge_hits in agreement.judges],
        "majority": {label or "none": count for label, count in agreement.majority.items()},
        "what": agreement.what,
        "level": agreement.level,
        "resamples": RESAMPLES,
        "seed": SEED,
        "left_out": {side: dict(reasons) for side, reasons in agreement.left_out.items()},
        "notes": _notes(agreement),
    }


def _row(comparison: RaterAgreement) -> dict[str, Any]:
    return {
        "raters": [rater.name for rater in comparison.raters],
        "group": comparison.group,
        "units": len(comparison.units),
        "skipped": dict(comparison.skipped),
        "coefficients": {name: as_json(coefficient) for name, coefficient in comparison.coefficients.items()},
    }


def against_row(judge_hits: Against) -> dict[str, Any]:
    """0..100 with two decimals; n: units with a majority and a label of the judge."""
    figures = {name: getattr(judge_hits.hits, field) for name, field in HITS.items()}
    return {
        "judge": judge_hits.judge.name,
        "n": judge_hits.hits.accuracy.n,
        **{name: figure_value(figure) for name, figure in figures.items()},
        "interval": {name: _interval(figure) for name, figure in figures.items()},
        "unreadable": judge_hits.unreadable,
        "counted_as_tie": judge_hits.as_ties,
        "skipped": judge_hits.hits.skipped,
    }


def _interval(figure: Figure) -> list[float] | None:
    return None if figure.low is None or figure.high is None else [hundredths(figure.low), hundredths(figure.high)]


def _notes(agreement: Agreement) -> list[str]:
    notes = [
        f"{judge_hits.judge.name}: {judge_hits.as_ties} verdicts could not be read and count as ties against the "
        "majority, as in its published figures; in the coefficients they are missing."
        for judge_hits in agreement.judges
        if judge_hits.as_ties
    ]
    if not agreement.pairs:
        notes.append(agreement.everybody.coefficients["percent"].note)
    if not agreement.resamples:
        notes.append("There are too many pairs of raters for intervals.")
    if len(agreement.axes) > 1:
        notes.append("Rows without a group mix criteria: --by axis separates them.")
    for side, reasons in agreement.left_out.items():
        notes += [f"Left out of the {side}: {count} {why}." for why, count in sorted(reasons.items()) if count]
    notes.append("Intervals are over units: they do not cover other raters.")
    return notes


def _text(agreement: Agreement) -> str:
    header = ["raters", "group", "units", *(SHORT.get(name, name) for name in SHOWN)]
    named_rows = [(" – ".join(rater.name for rater in comparison.raters), comparison) for comparison in agreement.pairs]
    named_rows += [("all", comparison) for comparison in (*agreement.groups, agreement.everybody)]
    named_rows.append(("people", agreement.people))
    lines = [table(header, [_cells(name, comparison) for name, comparison in named_rows], left=2)]
    if agreement.majority:
        counts = ", ".join(f"{label or 'none'} {count}" for label, count in agreement.majority.items())
        lines += ["", f"Human majority: {counts}."]
    if agreement.judges:
        rows = [_hit_cells(judge_hits) for judge_hits in agreement.judges]
        lines += ["", table(["judge", "n", *HITS, "unreadable"], rows)]
    return "\n".join([f"Level: {agreement.level}", "", *lines, "", *_notes(agreement)])


def _cells(name: str, comparison: RaterAgreement) -> list[str]:
    values = [comparison.coefficients[coefficient] for coefficient in SHOWN]
    shown_values = [figure.value if figure.value is not None else figure.mean_over_pairs for figure in values]
    return [
        name,
        comparison.group or "",
        str(len(comparison.units)),
        *("" if value is None else f"{value:.4f}" for value in shown_values),
    ]


def _hit_cells(judge_hits: Against) -> list[str]:
    row = against_row(judge_hits)
    values = ["" if row[name] is None else f"{row[name]:.2f}" for name in HITS]
    return [judge_hits.judge.name, str(row["n"]), *values, str(judge_hits.unreadable)]
