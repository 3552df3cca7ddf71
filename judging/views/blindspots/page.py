from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.models import Project
from annotate.views.pages import project_page
from judging.services.blindspots.cells import Column, blind_spots, judges_of, sighted
from judging.services.blindspots.comparing import SpotCompared, compared
from judging.services.blindspots.explanations import runs_of
from judging.views.blindspots.access import blind_spots_member
from judging.views.blindspots.drawing import histogram, matrix
from judging.views.blindspots.naming import Names
from lib.charts.heat import ramp
from lib.stats.blindspots import PAIRWISE, REFERENCE, SHAPES, UNPARSED, Tally


@dataclass(frozen=True)
class Comparing:
    """Two columns side by side. rows: (ability, category, found)."""

    first: Column
    second: Column
    rows: Sequence[tuple[str, str, SpotCompared]]


@require_safe
@login_required
def blindspots(request: HttpRequest, slug: str) -> HttpResponse:
    """One judge's matrix, and all judges by ability; ?judge= is a name, ?first= and ?second= two ways of asking."""
    member = blind_spots_member(request, slug)
    project = member.project
    columns = _in_order(blind_spots(project, judges_of(project)).columns)
    if not columns:
        return project_page(request, member, "blindspots/empty.html", {}, tab="judging")
    names = Names(project)
    judges = list(dict.fromkeys(column.name for column in columns))
    judge = request.GET.get("judge", "")
    judge = judge if judge in judges else judges[0]
    judge_columns = [column for column in columns if column.name == judge]
    context: dict[str, Any] = {
        "judges": judges,
        "judge": judge,
        "chosen": judge_columns,
        "columns": columns,
        "ramp": ramp(),
    }
    context |= _matrix(project, judge_columns, names) | _by_ability(columns, names) | _ways(judge_columns)
    context |= {"comparing": _comparing(request, project, columns, names, usual=judge_columns[0]), "unparsed": UNPARSED}
    context["readings"] = runs_of(project)
    return project_page(request, member, "blindspots/blindspots.html", context, tab="judging")


def _in_order(columns: Sequence[Column]) -> list[Column]:
    """By judge; single answers first, then pairs, then those beside a reference."""
    ways = list(SHAPES)
    return sorted(columns, key=lambda column: (column.name, ways.index(column.shape), column.strategy))


def _matrix(project: Project, judge_columns: Sequence[Column], names: Names) -> dict[str, Any]:
    spots = names.in_order({spot for column in judge_columns for spot in column.cells})
    rows = [
        (spot, names.ability(spot), names.category(spot[1]), column, column.cells[spot])
        for spot in spots
        for column in judge_columns
        if spot in column.cells
    ]
    return {
        "drawn": matrix(project.slug, judge_columns, spots, names),
        "cells": rows,
        "simulated": any(column.judge.simulated for column in judge_columns),
        "not_fenced": any(column.judge.not_fenced for column in judge_columns),
    }


def _by_ability(columns: Sequence[Column], names: Names) -> dict[str, Any]:
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
    """What only some ways of asking have."""
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


def _ranges(columns: Sequence[Column]) -> list[tuple[Column, Tally | None]]:
    """Columns of one judge whose strategy stands there with another variant, such as another range of scores."""
    same: dict[tuple[str, str], list[Column]] = defaultdict(list)
    for column in columns:
        same[column.judge.strategy, column.shape].append(column)
    return [(column, column.overall) for variants in same.values() if len(variants) > 1 for column in variants]


def _comparing(
    request: HttpRequest, project: Project, columns: Sequence[Column], names: Names, *, usual: Column
) -> Comparing | None:
    if len(columns) < 2:
        return None
    by_key = {column.key: column for column in columns}
    first = by_key.get(request.GET.get("first", ""), usual)
    second = by_key.get(request.GET.get("second", "")) or _usual_other(first, columns)
    comparisons = compared(*(_seen(project, column) for column in (first, second)))
    by_spot = {comparison.spot: comparison for comparison in comparisons}
    ordered = names.in_order(by_spot)
    return Comparing(first, second, [(names.ability(spot), names.category(spot[1]), by_spot[spot]) for spot in ordered])


def _controls(column: Column) -> list[tuple[bool, Tally | None]]:
    """(whether people found it so, outcomes) of what should change nothing."""
    return [(False, column.control), (True, column.control_found)]


def _seen(project: Project, column: Column) -> list[Any]:
    return [sighting for sighting in sighted(project, column.judge) if sighting.shape.name == column.shape]


def _usual_other(first: Column, columns: Sequence[Column]) -> Column:
    """Another judge asked in the same way, else any other."""
    other_columns = [column for column in columns if column.key != first.key]
    alike = [column for column in other_columns if column.strategy == first.strategy and column.shape == first.shape]
    return (alike or other_columns)[0]
