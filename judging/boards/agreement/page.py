"""The page of agreement: chart, choices, slices, the matrix of one judge, and the units behind a number."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.questions.types.spans import Spans
from annotate.models import Member
from annotate.web.access import project_page
from judging.access import sources_of
from judging.boards.agreement.agreement_options import (
    AgreementOptions,
    AgreementQuery,
    QuestionsQuery,
    named_query,
    parse_agreement_query,
)
from judging.boards.agreement.judged_questions import question_headline, similar_pairs
from judging.boards.agreement.numbers import Headline, headline, rates
from judging.boards.agreement.question_agreement import QuestionCoefficient, question_agreement
from judging.boards.agreement.question_pages import questions_context
from judging.boards.agreement.span_retrieval import judged_spans
from judging.boards.board import BoardPage
from judging.ratings.comparisons import RaterComparison, by_field, compare_raters
from judging.ratings.consistency import JudgeRate
from judging.ratings.opened_units import (
    AGREE,
    ALONE,
    DISAGREE,
    JUDGES,
    MAJORITY,
    MISSING,
    PAIR,
    PEOPLE,
    SORTS,
    Number,
    matrix,
    units_behind,
)
from judging.ratings.opened_units import unit_page as opened_units_unit_page
from judging.ratings.rating_subjects import AXIS, DIVISIONS, PERSON, coefficients_of, divisions_of, levels_of
from judging.ratings.tables import Somebody, UnitTable
from judging.templatetags.agreement import axis_name
from lib.charts.dot_plots import AgreementDot, AgreementLine, beside_dots
from lib.charts.marks import fitted
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.agreement.people_and_judges import Mean
from lib.stats.agreement.pooled import ALPHA
from lib.stats.figures import FEW

# Chart: people with people, and below it people with each judge, on the same units.


def lines(comparison: RaterComparison, names: Mapping[str, str]) -> list[AgreementLine]:
    """One line for each judge; people alone if there is no judge. Without a value there is no dot."""
    rows = [(names[row.judges[0].key], row) for row in comparison.judges if row.units] or [
        (_("People"), comparison.people)
    ]
    return [
        AgreementLine(name, _dot(row.chosen.one), _dot(row.chosen.other), thin=row.units < FEW)
        for name, row in rows
        if row.chosen.one.value is not None or row.chosen.other.value is not None
    ]


def _dot(mean: Mean) -> AgreementDot | None:
    return None if mean.value is None else AgreementDot(mean.value, mean.low, mean.high)


OPENED = {MISSING: gettext_lazy("ratings without a value"), ALONE: gettext_lazy("units with only one rating")}
LEFT_OUT = {
    "outdated": gettext_lazy("votes or verdicts on older texts"),
    "undecided": gettext_lazy("verdicts on items that are not accepted yet"),
    "superseded": gettext_lazy("verdicts replaced by a newer one of the same judge"),
    "unreadable": gettext_lazy("texts that can no longer be read"),
}
RESAMPLED_BY = {
    "unit": gettext_lazy("unit"),
    "item": gettext_lazy("item"),
    "related_items": gettext_lazy("related items"),
    "prompt": gettext_lazy("prompt"),
    "document": gettext_lazy("document"),
    "conversation": gettext_lazy("conversation"),
}
MOST_VALUES = 12  # of a matrix; more cannot be read


def agreement(query: AgreementQuery | QuestionsQuery | None, options: AgreementOptions, member: Member) -> BoardPage:
    """People and judges, each two raters, slices, the matrix; every number links to its units."""
    if isinstance(query, QuestionsQuery):
        return BoardPage(questions_context(query), "agreement/questions.html")
    sources = sources_of(member.project, member.user) if member.project.kind.voted else []
    context: dict[str, Any] = {"sources": sources}
    if query is None:
        return BoardPage(context, "agreement/empty.html")
    query = named_query(query, member)
    comparison = compare_raters(member.project, query.found, query.wish)
    context |= {"asked": query, "found": comparison, "few": FEW, **_choices(query), **_charts(query, comparison)}
    context |= {
        "rates": _rates(member, query),
        "left_out": _left_out(member, query, comparison),
        **_matrix(member, query),
    }
    context |= headline_shown(query)
    question = query.today.project.kind.questions().get(query.subject.question)
    context["judged_spans"] = judged_spans(query.today, question) if isinstance(question, Spans) else []
    fields = [subject for subject in query.subjects if subject.field and not subject.what]
    context["fields"] = by_field(member.project, fields, query.wish, query.found.chosen)
    context["simulated"] = any(judge.simulated for judge in query.found.judges)
    context["not_fenced"] = any(judge.not_fenced for judge in query.found.judges)
    return BoardPage(context)


def headline_shown(query: AgreementQuery) -> dict[str, Any]:
    """The pooled figures, in one word what is resampled for their intervals, and the other coefficients that the table
    of questions has for the same answers of people; of answers that agree by degrees each two raters, too."""
    summary = _own_headline(query) or headline(query.found, query.wish.level)
    resampled_by = RESAMPLED_BY.get(summary.resampled_by, summary.resampled_by)
    others = [] if query.found.chosen else _other_coefficients(query, summary)
    pairs = similar_pairs(query.today, query.found) if query.subject.graded else []
    shown = {"headline": summary, "resampled_by": resampled_by, "drawn": (RESAMPLES, SEED)}
    return shown | {"other_coefficients": others, "similar_pairs": pairs}


def _own_headline(query: AgreementQuery) -> Headline | None:
    """Of a question whose answers are sets, orders, spans or parts of an item, which are no values of their own."""
    name = query.subject.question
    question = query.today.project.kind.questions().get(name)
    if question is None or not (question.parted or query.subject.graded):
        return None
    return question_headline(query.today, name, query.found.chosen)


def _other_coefficients(query: AgreementQuery, summary: Headline) -> list[QuestionCoefficient]:
    if not query.subject.question:
        return []
    agreement = question_agreement(query.today.project, query.subject.question, query.today)
    shown = {summary.coefficient, f"alpha_{summary.level}" if summary.coefficient == ALPHA else ""}
    return [coefficient for coefficient in agreement.coefficients if coefficient.name not in shown]


def _choices(query: AgreementQuery) -> dict[str, Any]:
    return {
        "coefficients": coefficients_of(query.subject),
        "levels": levels_of(query.subject),
        "divisions": [(by, DIVISIONS[by]) for by in divisions_of(query.subject)],
    }


def _charts(query: AgreementQuery, comparison: RaterComparison) -> dict[str, Any]:
    chart_lines = lines(comparison, query.names)
    return {"chart": fitted(lambda wide: beside_dots(chart_lines, wide=wide)) if chart_lines else ""}


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


# The units behind a number.


RATERS = {PEOPLE: (0, 50), JUDGES: (1, 50), PAIR: (2, 2), MAJORITY: (1, 1), ALONE: (0, 50), MISSING: (0, 50)}
FURTHEST = 10_000_000


def agreement_units(request: HttpRequest, member: Member) -> HttpResponse:
    """The units behind one number, page by page, with each side's ratings and reasons."""
    query = parse_agreement_query(request, member)
    number = _number(request, query.found)
    unit_page = opened_units_unit_page(
        query.found, number, units_behind(member.project, query.found, number), start=_start(request)
    )
    context: dict[str, Any] = {
        "asked": query,
        "number": number,
        "page": unit_page,
        "division": DIVISIONS.get(number.by, ""),
        "part": _part(query, number),
        "address": _address(request, "start"),
        "address_of_all": _address(request, "start", "which"),
        "address_back": query.address,
        "filters": [("", _("all")), (AGREE, _("agree")), (DISAGREE, _("disagree"))],
        "choosable": number.of not in (ALONE, MISSING),
    }
    return project_page(request, member, "agreement/units.html", context, tab="agreement")


def _part(query: AgreementQuery, number: Number) -> str:
    if number.by == AXIS:
        return axis_name(number.part, query.subject.what)
    return query.names.get(number.part, number.part) if number.by == PERSON else number.part


def _number(request: HttpRequest, material: UnitTable) -> Number:
    """The number that the address names; 404 if it names unknown raters."""
    query = request.GET
    sort, which, by = query.get("of", ""), query.get("which", ""), query.get("by", "")
    sort = sort if sort in SORTS else PEOPLE
    raters = _raters(request, material)
    least, most = RATERS[sort]
    if not least <= len(raters) <= most or (
        sort in (PEOPLE, JUDGES, MAJORITY) and not all(rater.is_judge for rater in raters)
    ):
        raise Http404
    cell = "left" in query and "right" in query
    part = query.get("part")
    return Number(
        sort,
        raters,
        by=by if by in DIVISIONS and part is not None else "",
        part=part or "",
        which=which if which in (AGREE, DISAGREE) else "",
        left=query["left"] if cell else None,
        right=query["right"] if cell else None,
    )


def _raters(request: HttpRequest, material: UnitTable) -> list[Somebody]:
    by_key = {rater.key: rater for rater in material.raters}
    keys = list(dict.fromkeys(request.GET.getlist("rater")))
    if not set(keys) <= by_key.keys():
        raise Http404
    return [by_key[key] for key in keys]


def _start(request: HttpRequest) -> int:
    text = request.GET.get("start", "")
    return min(int(text), FURTHEST) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0


def _address(request: HttpRequest, *without: str) -> str:
    query = request.GET.copy()
    for name in without:
        query.pop(name, None)
    return query.urlencode()
