"""Pages of the agreement board: the dashboard, its table as CSV, and the ratings behind it as a file with a manifest.

Unknown words in the query string fall back to the defaults.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from annotate.formats.csv_table import csv_line
from annotate.models import Member
from annotate.web.access import person, project_page
from judging.access import agreement_member, sources_of
from judging.boards.address import tab_of
from judging.boards.agreement.numbers import headline, rates, rows_of
from judging.ratings.comparisons import RaterComparison, by_field, compare_raters
from judging.ratings.consistency import JudgeRate
from judging.ratings.opened_units import ALONE, JUDGES, MISSING, PEOPLE, Number, matrix
from judging.ratings.rating_subjects import (
    DIVISIONS,
    FIELD,
    ComparisonOptions,
    RatingSubject,
    coefficients_of,
    comparison_options,
    divisions_of,
    levels_of,
    subjects,
)
from judging.ratings.release import content, manifest_as_bytes, of_ratings
from judging.ratings.tables import Somebody, UnitTable, unit_table
from judging.ratings.units import Today
from lib.charts.dot_plots import AgreementDot, AgreementLine, beside_dots
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.agreement.people_and_judges import Mean

ALL = "all"


@dataclass(frozen=True)
class AgreementQuery:
    """judge: whose matrix is open; None if nobody has judged. all_draws: all resamples, however long they take.

    names: key of a rater -> the name that this member may see.
    """

    subjects: Sequence[RatingSubject]
    today: Today
    found: UnitTable
    wish: ComparisonOptions
    judge: Somebody | None
    all_draws: bool
    names: Mapping[str, str]
    everybody: Sequence[Somebody]  # all people, whether they were chosen or not

    @property
    def subject(self) -> RatingSubject:
        return self.found.subject

    def said(self, **changed: str) -> list[tuple[str, str]]:
        """Name and value of every parameter of the address."""
        parameters = {
            "about": self.subject.slug,
            "coefficient": self.wish.coefficient,
            "level": self.wish.level,
            "by": self.wish.by,
            "draws": ALL if self.all_draws else "",
        } | changed
        return [(name, value) for name, value in parameters.items() if value] + [
            ("raters", key) for key in self.found.chosen
        ]

    @property
    def matrix_of(self) -> Sequence[Somebody]:
        return [self.judge] if self.judge else []

    @property
    def address(self) -> str:
        return urlencode(self.said())

    @property
    def address_with_all_draws(self) -> str:
        return urlencode(self.said(draws=ALL))


def parse_agreement_query(request: HttpRequest, member: Member) -> AgreementQuery | None:
    """The query, parsed; None if the project has nothing to compare."""
    query, project_subjects = request.GET, subjects(member.project)
    if not project_subjects:
        return None
    subject = next(
        (candidate for candidate in project_subjects if candidate.slug == query.get("about", "")), project_subjects[0]
    )
    today = Today(member.project)
    whole = unit_table(member.project, subject, today)
    selection = whole.of_people({person.key for person in whole.people} & set(query.getlist("raters")))
    all_draws = query.get("draws", "") == ALL
    words = {name: query.get(name, "") for name in ("coefficient", "level", "by")}
    judge = next(
        (candidate for candidate in selection.judges if candidate.key == query.get("judge", "")),
        next(iter(selection.judges), None),
    )
    wish = comparison_options(subject, **words, all_draws=all_draws)
    return AgreementQuery(
        project_subjects, today, selection, wish, judge, all_draws, _names(whole, member), whole.people
    )


def _names(material: UnitTable, member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    people = {
        person.key: person.name if member.leads else _("Person %(number)d") % {"number": person.number}
        for person in material.people
    }
    return people | {judge.key: judge.name for judge in material.judges}


# Chart: people with people, and below it people with each judge, on the same units.


FEW_UNITS = 10


def lines(comparison: RaterComparison, names: Mapping[str, str]) -> list[AgreementLine]:
    """One line for each judge; people alone if there is no judge. Without a value there is no dot."""
    rows = [(names[row.judges[0].key], row) for row in comparison.judges if row.units] or [
        (_("People"), comparison.people)
    ]
    return [
        AgreementLine(name, _dot(row.chosen.one), _dot(row.chosen.other), thin=row.units < FEW_UNITS)
        for name, row in rows
        if row.chosen.one.value is not None or row.chosen.other.value is not None
    ]


def _dot(mean: Mean) -> AgreementDot | None:
    return None if mean.value is None else AgreementDot(mean.value, mean.low, mean.high)


FEW = 10
OPENED = {MISSING: gettext_lazy("ratings without a value"), ALONE: gettext_lazy("units that only one has rated")}
LEFT_OUT = {
    "outdated": gettext_lazy("votes or verdicts about older texts"),
    "undecided": gettext_lazy("verdicts about items that nobody has accepted"),
    "superseded": gettext_lazy("verdicts that the same judge has replaced"),
    "unreadable": gettext_lazy("texts that do not read any more"),
}
RESAMPLED_BY = {
    "unit": gettext_lazy("unit"),
    "item": gettext_lazy("item"),
    "prompt": gettext_lazy("prompt"),
    "document": gettext_lazy("document"),
    "conversation": gettext_lazy("conversation"),
}
MOST_VALUES = 12  # of a matrix; more cannot be read


@require_safe
@login_required
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """People and judges, each two raters, slices, the matrix; every number links to its units."""
    member = agreement_member(request, slug)
    query = parse_agreement_query(request, member)
    sources = sources_of(member.project, person(request)) if member.project.kind.voted else []
    context: dict[str, Any] = {"sources": sources}
    if query is None:
        return project_page(request, member, "agreement/empty.html", context, tab=tab_of(member))
    comparison = compare_raters(member.project, query.found, query.wish)
    context |= {"asked": query, "found": comparison, "few": FEW, **_choices(query), **_charts(query, comparison)}
    context |= {
        "rates": _rates(member, query),
        "left_out": _left_out(member, query, comparison),
        **_matrix(member, query),
    }
    context |= headline_shown(query)
    context["fields"] = by_field(
        member.project, [subject for subject in query.subjects if not subject.what], query.wish, query.found.chosen
    )
    context["simulated"] = any(judge.simulated for judge in query.found.judges)
    context["not_fenced"] = any(judge.not_fenced for judge in query.found.judges)
    return project_page(request, member, "agreement/agreement.html", context, tab=tab_of(member))


def headline_shown(query: AgreementQuery) -> dict[str, Any]:
    """The pooled figures, and in one word what is resampled for their intervals."""
    summary = headline(query.found, query.wish.level)
    return {"headline": summary, "resampled_by": RESAMPLED_BY[summary.resampled_by], "drawn": (RESAMPLES, SEED)}


def _choices(query: AgreementQuery) -> dict[str, Any]:
    return {
        "coefficients": coefficients_of(query.subject),
        "levels": levels_of(query.subject),
        "divisions": [(by, DIVISIONS[by]) for by in divisions_of(query.subject)],
    }


def _charts(query: AgreementQuery, comparison: RaterComparison) -> dict[str, Any]:
    """Wide and narrow: the same lines."""
    chart_lines = lines(comparison, query.names)
    return {"charts": [beside_dots(chart_lines, wide=wide) for wide in (720, 330)] if chart_lines else []}


def _rates(member: Member, query: AgreementQuery) -> list[tuple[JudgeRate, list[Somebody]]]:
    by_key = {judge.key: judge for judge in query.found.judges}
    return [(rate, [by_key[f"j{rate.judge.pk}"]]) for rate in rates(member.project, query.found)]


def _left_out(member: Member, query: AgreementQuery, comparison: RaterComparison) -> list[tuple[str, int, str]]:
    """(why, how many, the address of their units, "" where there are none)."""
    address = reverse("agreement_units", args=[member.project.slug])
    about = urlencode({"about": query.subject.slug})
    rows = [(str(OPENED[why]), n, f"{address}?{about}&of={why}") for why, n in comparison.left_out.items()]
    counts = Counter[str]()
    for reasons in query.found.left_out.values():
        counts.update(reasons)
    return rows + [(str(LEFT_OUT.get(why, why)), n, "") for why, n in counts.items() if n]


def _matrix(member: Member, query: AgreementQuery) -> dict[str, Any]:
    number = Number(JUDGES, [query.judge]) if query.judge else Number(PEOPLE)
    values, counts = matrix(member.project, query.found, number)
    if not values or len(values) > MOST_VALUES:
        return {"values": values, "matrix": []}
    rows = [(left, [(right, counts.get((left, right), 0)) for right in values]) for left in values]
    return {"values": values, "matrix": rows}


# CSV: the pooled figures of the page, a row for people and one for each judge.


@require_safe
@login_required
def agreement_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """?raters= and the other parameters as on the page; people have the same names as there."""
    query = parse_agreement_query(request, agreement_member(request, slug))
    if query is None:
        raise Http404
    # Spreadsheets recognise UTF-8 by this byte order mark.
    answer = HttpResponse("\ufeff" + "".join(_lines(query)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-agreement.csv"'
    return answer


def _lines(query: AgreementQuery) -> Iterator[str]:
    summary = headline(query.found, query.wish.level)
    people = "; ".join(query.names[rater.key] for rater in summary.raters)
    resampling: dict[str, Any] = {"resamples": RESAMPLES, "seed": SEED, "people": people}
    rows = [row | resampling for row in rows_of(summary)]
    yield csv_line(rows[0])
    yield from (csv_line(row.values()) for row in rows)


# Files: the ratings behind the page and their manifest, as the command export_ratings writes them.


@require_safe
@login_required
def ratings_file(request: HttpRequest, slug: str) -> HttpResponse:
    """?about= as on the page. As there, only leads see people's names."""
    name, lines, _told = _release(request, slug)
    return _attached(b"".join(lines), "application/jsonl", name)


@require_safe
@login_required
def ratings_manifest(request: HttpRequest, slug: str) -> HttpResponse:
    name, _lines, manifest = _release(request, slug)
    return _attached(manifest_as_bytes(manifest), "application/json", f"{name}.manifest.json")


def _release(request: HttpRequest, slug: str) -> tuple[str, list[bytes], dict[str, Any]]:
    member = agreement_member(request, slug)
    query = parse_agreement_query(request, member)
    if query is None:
        raise Http404
    lines, manifest = content(of_ratings(member.project, query.found, query.today, pseudonyms=not member.leads))
    return f"{slug}-{query.subject.slug.removeprefix(FIELD)}-ratings.jsonl", lines, manifest


def _attached(content: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
