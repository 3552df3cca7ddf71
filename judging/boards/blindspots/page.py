"""The page of blind spots: one judge's heat map, all judges by ability, two ways of asking compared; names."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.models import Member, Project
from judging.boards.blindspots.numbers import (
    Column,
    Spot,
    SpotCompared,
    blind_spots,
    compare_spots,
    judges_of,
    sightings_of,
)
from judging.boards.blindspots.tags import outcome_name, percent, percents
from judging.boards.board import BoardPage
from judging.boards.options import BoardOptions
from judging.verdicts.explanation_readings import runs_of
from lib.charts.bars import Bar, interval_bars
from lib.charts.heat_colours import COOL, HEAT
from lib.charts.heat_map import HeatCell, HeatMap, HeatRow, HeatScale
from lib.charts.marks import fitted
from lib.stats.blindspots import PAIRWISE, REFERENCE, SHAPES, UNPARSED, OutcomeTally
from lib.stats.intervals import wilson


class SpotNames:
    """Names of abilities and categories from the kind's list of groups; others keep their word and come last."""

    def __init__(self, project: Project) -> None:
        listed = project.kind.wanted(project.kind_options)
        self._groups = {group.group: (index, str(group.name), str(group.part)) for index, group in enumerate(listed)}

    def category(self, slug: str) -> str:
        return self._groups[slug][1] if slug in self._groups else slug

    def ability(self, spot: Spot) -> str:
        ability, category = spot
        return self._groups[category][2] if category in self._groups else ability

    def in_order(self, spots: Iterable[Spot]) -> list[Spot]:
        """Abilities by their first category, each with all of its categories."""
        ordered = sorted(spots, key=self._place)
        rank_by_ability: dict[str, int] = {}
        for ability, _category in ordered:
            rank_by_ability.setdefault(ability, len(rank_by_ability))
        return sorted(ordered, key=lambda spot: rank_by_ability[spot[0]])

    def _place(self, spot: Spot) -> tuple[int, Spot]:
        return (self._groups[spot[1]][0] if spot[1] in self._groups else len(self._groups)), spot


# The heat map and the histograms.


THIN = 10  # pairs below which a share says too little for a colour
INVARIANT = "score-invariant"


def matrix(slug: str, columns: Sequence[Column], spots: Sequence[Spot], names: SpotNames) -> HeatMap:
    """The heat map of one judge: a row for each category, a column for each way of asking."""
    groups: dict[str, list[HeatRow]] = defaultdict(list)
    for spot in spots:
        cells = [_cell(slug, column, spot, names) if spot in column.cells else None for column in columns]
        groups[names.ability(spot)].append(HeatRow(names.category(spot[1]), cells))
    scales = [(_("Not noticed, per cent"), HeatScale(HEAT))]
    if any(spot[0] == INVARIANT for spot in spots):
        scales.append((_("score-invariant"), HeatScale(COOL)))
    label = _("Share of perturbations not noticed, by category and strategy; the table below has the same data")
    return HeatMap(label, _("Category"), [column.strategy for column in columns], list(groups.items()), scales)


def _cell(slug: str, column: Column, spot: Spot, names: SpotNames) -> HeatCell:
    cell = column.cells[spot]
    words = {"category": names.category(spot[1]), "strategy": column.strategy, "n": cell.n}
    label = _("%(category)s, %(strategy)s: %(share)s not noticed, interval %(interval)s, n = %(n)d")
    return HeatCell(
        said=percent(cell.share),
        between=percents(cell.interval) if cell.interval else "",
        n=cell.n,
        look=_look(cell, COOL if spot[0] == INVARIANT else HEAT),
        href=pairs_address(slug, column, spot),
        label=label % {**words, "share": percent(cell.share), "interval": percents(cell.interval)},
    )


def _look(cell: OutcomeTally, scale: str) -> str:
    return "" if cell.share is None or cell.divisor < THIN else HeatScale(scale).look(100 * cell.share)


def pairs_address(slug: str, column: Column, spot: Spot) -> str:
    parameters = {"column": column.key, "ability": spot[0], "category": spot[1], "outcome": "missed"}
    return f"{reverse('blindspot_pairs', args=[slug])}?{urlencode(parameters)}"


def histogram(column: Column) -> SafeString:
    """How far below the top the perturbed answers were scored."""
    overall = column.overall or OutcomeTally(REFERENCE, Counter())
    bars = [_bar(overall, outcome) for outcome in REFERENCE.outcomes]
    label = _("Scores of perturbed answers relative to the gold answer: %(strategy)s") % {"strategy": column.strategy}
    return fitted(lambda wide: interval_bars(bars, label=label, wide=wide))


def _bar(overall: OutcomeTally, outcome: str) -> Bar:
    bounds = wilson(overall.counts[outcome], overall.n)
    low, high = bounds if bounds else (None, None)
    value = overall.rate(outcome)
    return Bar(
        outcome_name(outcome),
        None if value is None else 100 * value,
        None if low is None else 100 * low,
        None if high is None else 100 * high,
    )


@dataclass(frozen=True)
class Comparing:
    """Two columns side by side. rows: (ability, category, found)."""

    first: Column
    second: Column
    rows: Sequence[tuple[str, str, SpotCompared]]


class BlindSpotOptions(BoardOptions):
    """judge: a name. first, second: two ways of asking, by the keys of their columns."""

    judge: str = ""
    first: str = ""
    second: str = ""


def spot_columns(project: Project, options: BlindSpotOptions) -> list[Column]:
    """All judges in all ways of asking; empty if nobody has judged a perturbed answer."""
    return _in_order(blind_spots(project, judges_of(project)).columns)


def blindspots(columns: list[Column], options: BlindSpotOptions, member: Member) -> BoardPage:
    """One judge's matrix, and all judges by ability."""
    if not columns:
        return BoardPage({}, "blindspots/empty.html")
    project, names = member.project, SpotNames(member.project)
    judges = list(dict.fromkeys(column.name for column in columns))
    judge = options.judge if options.judge in judges else judges[0]
    judge_columns = [column for column in columns if column.name == judge]
    context: dict[str, Any] = {
        "judges": judges,
        "judge": judge,
        "chosen": judge_columns,
        "columns": columns,
    }
    context |= _matrix(project, judge_columns, names) | _by_ability(columns, names) | _ways(judge_columns)
    context |= {"comparing": _comparing(options, project, columns, names, usual=judge_columns[0]), "unparsed": UNPARSED}
    context["readings"] = runs_of(project)
    return BoardPage(context)


def _in_order(columns: Sequence[Column]) -> list[Column]:
    """By judge; single answers first, then pairs, then answers with a reference."""
    ways = list(SHAPES)
    return sorted(columns, key=lambda column: (column.name, ways.index(column.shape), column.strategy))


def _matrix(project: Project, judge_columns: Sequence[Column], names: SpotNames) -> dict[str, Any]:
    spots = names.in_order({spot for column in judge_columns for spot in column.cells})
    rows = [
        (spot, names.ability(spot), names.category(spot[1]), column, column.cells[spot])
        for spot in spots
        for column in judge_columns
        if spot in column.cells
    ]
    return {
        "heat": matrix(project.slug, judge_columns, spots, names),
        "cells": rows,
        "simulated": any(column.judge.simulated for column in judge_columns),
        "not_fenced": any(column.judge.not_fenced for column in judge_columns),
    }


def _by_ability(columns: Sequence[Column], names: SpotNames) -> dict[str, Any]:
    """(column, its cell of each ability or None, overall) of every judge."""
    spots = names.in_order({spot for column in columns for spot in column.cells})
    abilities = dict.fromkeys(ability for ability, _category in spots)
    called = {ability: next(names.ability(spot) for spot in spots if spot[0] == ability) for ability in abilities}
    totals = [(column, column.by_ability) for column in columns]
    return {
        "abilities": [(ability, called[ability]) for ability in abilities],
        "totals": [(column, [(a, tallies.get(a)) for a in abilities], column.overall) for column, tallies in totals],
    }


def _ways(judge_columns: Sequence[Column]) -> dict[str, Any]:
    """The parts of the page that only some ways of asking have."""
    references = [column for column in judge_columns if column.shape == REFERENCE.name and column.overall]
    return {
        "pairwise": [
            (column, column.overall) for column in judge_columns if column.shape == PAIRWISE.name and column.overall
        ],
        "pairwise_outcomes": (*PAIRWISE.outcomes, UNPARSED),
        "references": [(column, column.overall, histogram(column)) for column in references],
        "reference_outcomes": (*REFERENCE.outcomes, UNPARSED),
        "controls": [
            (column, is_found, cell) for column in judge_columns for is_found, cell in _controls(column) if cell
        ],
        "explained": [
            (column, column.overall) for column in judge_columns if column.overall and column.overall.found is not None
        ],
        "ranges": _ranges(judge_columns),
    }


def _ranges(columns: Sequence[Column]) -> list[tuple[Column, OutcomeTally | None]]:
    """Columns of one judge whose strategy also has another variant, such as another range of scores."""
    same: dict[tuple[str, str], list[Column]] = defaultdict(list)
    for column in columns:
        same[column.judge.strategy, column.shape].append(column)
    return [(column, column.overall) for variants in same.values() if len(variants) > 1 for column in variants]


def _comparing(
    options: BlindSpotOptions, project: Project, columns: Sequence[Column], names: SpotNames, *, usual: Column
) -> Comparing | None:
    if len(columns) < 2:
        return None
    by_key = {column.key: column for column in columns}
    first = by_key.get(options.first, usual)
    second = by_key.get(options.second) or _usual_other(first, columns)
    comparisons = compare_spots(*(_column_sightings(project, column) for column in (first, second)))
    by_spot = {comparison.spot: comparison for comparison in comparisons}
    ordered = names.in_order(by_spot)
    return Comparing(first, second, [(names.ability(spot), names.category(spot[1]), by_spot[spot]) for spot in ordered])


def _controls(column: Column) -> list[tuple[bool, OutcomeTally | None]]:
    """(whether people say so, outcomes) of the perturbations that should change nothing."""
    return [(False, column.control), (True, column.control_found)]


def _column_sightings(project: Project, column: Column) -> list[Any]:
    return [sighting for sighting in sightings_of(project, column.judge) if sighting.shape.name == column.shape]


def _usual_other(first: Column, columns: Sequence[Column]) -> Column:
    """Another judge asked in the same way, else any other."""
    other_columns = [column for column in columns if column.key != first.key]
    alike = [column for column in other_columns if column.strategy == first.strategy and column.shape == first.shape]
    return (alike or other_columns)[0]
