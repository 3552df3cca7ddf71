"""Files and print of agreement: its pooled figures as CSV, the ratings behind it with a manifest, and the print."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.access import everywhere
from judging.boards.agreement.agreement_options import (
    AgreementOptions,
    AgreementQuery,
    QuestionsQuery,
    agreement_query,
    named_query,
    parse_agreement_query,
)
from judging.boards.agreement.agreement_report import AgreementReport
from judging.boards.agreement.numbers import headline, rows_of
from judging.boards.agreement.page import agreement, agreement_units, headline_shown
from judging.boards.agreement.question_pages import agreement_item, question_rows, questions_context
from judging.boards.board import Board, Place, SubPage
from judging.boards.needs import TWO_RATINGS
from judging.boards.printing import (
    Ground,
    PrintedPart,
    Recount,
    excluded_counts,
    left_out_of,
    recount_flags,
    recount_lines,
)
from judging.models import Judge
from judging.ratings.comparisons import compare_raters
from judging.ratings.rating_subjects import FIELD, ComparisonOptions, RatingSubject
from judging.ratings.release import content, manifest_as_bytes, of_ratings
from judging.ratings.release_rows import digest
from judging.ratings.tables import UnitTable
from judging.ratings.units import Today
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.agreement.table import SEED as TABLE_SEED
from lib.stats.figures import FEW

AnyQuery = AgreementQuery | QuestionsQuery


def pooled_rows(query: AnyQuery | None, options: AgreementOptions, member: Member) -> Sequence[dict[str, Any]]:
    """The pooled figures of the page, a row for people and one for each judge; people have the names of the page."""
    if isinstance(query, QuestionsQuery):
        return question_rows(query.today)
    assert query is not None
    query = named_query(query, member)
    summary = headline(query.found, query.wish.level)
    people = "; ".join(query.names[rater.key] for rater in summary.raters)
    resampling: dict[str, Any] = {"resamples": RESAMPLES, "seed": SEED, "people": people}
    return [row | resampling for row in rows_of(summary)]


# The ratings behind the page and their manifest, as the command export_ratings writes them.


def ratings_file(request: HttpRequest, member: Member) -> HttpResponse:
    """?about= as on the page. As there, only leads see people's names."""
    name, lines, _told = _release(request, member)
    return _attached(b"".join(lines), "application/jsonl", name)


def ratings_manifest(request: HttpRequest, member: Member) -> HttpResponse:
    name, _lines, manifest = _release(request, member)
    return _attached(manifest_as_bytes(manifest), "application/json", f"{name}.manifest.json")


def _release(request: HttpRequest, member: Member) -> tuple[str, list[bytes], dict[str, Any]]:
    query = parse_agreement_query(request, member)
    lines, manifest = content(of_ratings(member.project, query.found, query.today, pseudonyms=not member.leads))
    return _file_name(member.project, query.subject), lines, manifest


def _file_name(project: Project, subject: RatingSubject) -> str:
    return f"{project.slug}-{subject.word.removeprefix(FIELD)}-ratings.jsonl"


def _attached(content: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


# The print.


TITLE = _("Who agrees with whom?")
FORMULA = _(
    "Means over pairs of raters on the same units; the manual defines the coefficients. Intervals: 95 %, "
    "bootstrap over units; they do not cover other raters."
)
FORMULA_OF_QUESTIONS = _(
    "Each question is compared at its level, people alone; a judge with people over the items that two people and the "
    "judge have answered. Intervals: 95 %, bootstrap over items, or over what belongs together."
)


def printed(query: AnyQuery | None, options: AgreementOptions, member: Member) -> PrintedPart:
    if isinstance(query, QuestionsQuery):
        return _printed_questions(query)
    assert query is not None
    query, project = named_query(query, member), member.project
    comparison = compare_raters(project, query.found, query.wish)
    subject = query.found.subject
    report_options = None if subject.field else {"what": subject.slug, "level": query.wish.level}
    if report_options and query.found.chosen:
        report_options["raters"] = ",".join(query.found.chosen)

    def recounted(ground: Ground) -> Recount:
        blind = {"pseudonyms": not member.leads, "voting": ground.voting}
        return recount_agreement(project, query.found, comparison.wanted, query.today, **blind)

    return PrintedPart(
        context={"asked": query, "found": comparison, "few": FEW, "charts": [], **headline_shown(query)},
        judges=list(Judge.objects.filter(pk__in=[judge.number for judge in query.found.judges])),
        n=len(query.found.said),
        excluded=excluded_counts(dict(comparison.left_out)) + left_out_of(query.found),
        formula=FORMULA,
        draws=comparison.wanted.draws,
        seed=TABLE_SEED,
        options=report_options,
        recounted=recounted,
        title=TITLE,
        template="agreement/_printed.html",
    )


def _printed_questions(query: QuestionsQuery) -> PrintedPart:
    context = questions_context(query)
    return PrintedPart(
        context={**context, "is_printed": True},
        judges=list(query.today.judges),
        n=context["texts"],
        excluded=excluded_counts(context["left_out"]),
        formula=FORMULA_OF_QUESTIONS,
        draws=RESAMPLES,
        seed=SEED,
        options={},
        title=TITLE,
        template="agreement/_questions.html",
    )


def recount_agreement(
    project: Project, material: UnitTable, wish: ComparisonOptions, today: Today, *, pseudonyms: bool, voting: bool
) -> Recount:
    """pseudonyms: people appear under their numbers. voting: people still vote, so the file is partial."""
    subject = material.subject
    file = _file_name(project, subject)
    counted = ["--level", wish.level, "--beside", wish.coefficient]
    resample_args = ["--resamples", str(wish.draws), "--seed", str(wish.seed)]
    people = ["--raters", ",".join(material.chosen)] if material.chosen else []
    export_args = ["--what", subject.word, *people, *recount_flags(pseudonyms=pseudonyms, voting=voting)]
    lines = recount_lines(project, file, export_args, ["agreement", file, *counted, *resample_args])
    sha256 = digest(project, material, today, pseudonyms=pseudonyms)
    return Recount(sha256, lines, file="agreement_ratings", manifest="agreement_ratings_manifest")


BOARD: Board[AgreementOptions, AnyQuery] = Board(
    slug="agreement",
    name=_("Agreement"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(70, asks=_("Who agrees with whom?"), needs=(TWO_RATINGS,)),
    Options=AgreementOptions,
    numbers=agreement_query,
    state=None,  # a table of units and what is counted from it are cached by themselves
    page=agreement,
    template="agreement/agreement.html",
    formats=("csv",),
    as_rows=pooled_rows,
    printed=printed,
    sub_pages=(
        SubPage("agreement/units/", "agreement_units", agreement_units),
        SubPage("agreement/items/<int:pk>/", "agreement_item", agreement_item),
        SubPage("agreement/ratings/", "agreement_ratings", ratings_file),
        SubPage("agreement/ratings/manifest/", "agreement_ratings_manifest", ratings_manifest),
    ),
    reports=(AgreementReport(),),
)
