"""Printable one-page figures: the numbers of the dashboard with the same query string, and what they are based on.

The numbers come from the same services as the dashboard's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.models import Member
from judging.access import agreement_member, judging_member
from judging.boards.address import parse_leaderboard_query as board_asked
from judging.boards.agreement.page import headline_shown
from judging.boards.agreement.page import parse_agreement_query as agreement_asked
from judging.boards.leaderboard.charts import standings
from judging.boards.one_page.numbers import (
    Ground,
    Recount,
    command,
    ground,
    recount_agreement,
    recount_leaderboard,
    recount_trust,
)
from judging.boards.trust.numbers import trust as trusting
from judging.boards.trust.page import FEW as FEW_IN_TRUST
from judging.boards.trust.page import parse_trust_query as trust_asked
from judging.boards.trust.page import trust_context as trust_shown
from judging.models import Judge
from judging.ratings.comparisons import compare_raters
from judging.ratings.leaderboards import readings
from judging.ratings.tables import UnitTable
from lib.stats.agreement.table import SEED as AGREEMENT_SEED
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import FEW

WHY: dict[str, str | Promise] = {
    "outdated": _("about an older text: left out"),
    "unjudged": _("answers without a verdict: left out"),
    "failed": _("calls that failed: count 0, as published averages have it"),
    "unparsed": _("of these, replies that could not be read"),
    "undecided": _("about items that nobody has accepted: left out"),
    "superseded": _("replaced by the same judge: left out"),
    "unreadable": _("texts that do not read any more: left out"),
    "no_judge": _("units of people without a verdict: left out of the test"),
    "fewer_than_two_people": _("units with fewer than two people: left out of the test"),
    "one side": _("answers that only one side has scored: left out of the calibration"),
    "alone": _("units that one rater alone has rated"),
    "missing": _("units that somebody could not tell, or that could not be read"),
}
FORMULAS: dict[str, Promise] = {
    "leaderboard": _(
        "Each column is the mean of its tasks' means; overall is the mean over all tasks of all scenarios. "
        "Intervals: 95 %, items drawn again within their task."
    ),
    "agreement": _(
        "Means over pairs of raters on the same units; coefficients as the manual has them. Intervals: 95 %, units "
        "drawn again; they say nothing about other raters."
    ),
    "trust": _(
        "Alternative annotator test with the larger p of the t test and the score test, Benjamini–Yekutieli at 5 %; "
        "means by tuned prediction-powered inference within tasks; calibration in ten bins; Dawid–Skene. "
        "Intervals: 95 %."
    ),
}


@dataclass(frozen=True)
class PrintedPart:
    """What one page shows. n: units it is based on. excluded: reasons and counts. options: of the command; None if no
    command prints these numbers. recounted: how to recompute them from a release; None if impossible."""

    context: dict[str, Any]
    judges: Sequence[Judge]
    n: int
    excluded: Sequence[tuple[str | Promise, int]]
    formula: Promise
    draws: int
    seed: int
    options: dict[str, str] | None
    recounted: Callable[[Ground], Recount] | None = None


def leaderboard(request: HttpRequest, slug: str) -> tuple[Member, PrintedPart]:
    member = judging_member(request, slug)
    query = board_asked(request, member.project)
    if query.judge is None:
        raise Http404
    (reading,) = readings(member.project, [query.judge])
    context = standings(reading, query)
    context |= {"asked": query}
    n = sum(row.n for row in reading.board.standings)
    counts = context["left_out"]
    excluded = [(WHY[why], counts[why]) for why in ("outdated", "unjudged", "failed", "unparsed") if counts[why]]
    options = {"judge": str(query.judge)}
    return member, PrintedPart(
        context,
        [query.judge],
        n,
        excluded,
        FORMULAS["leaderboard"],
        DRAWS,
        SEED,
        options,
        lambda _of: recount_leaderboard(reading),
    )


def agreement(request: HttpRequest, slug: str) -> tuple[Member, PrintedPart]:
    member = agreement_member(request, slug)
    query = agreement_asked(request, member)
    if query is None:
        raise Http404
    comparison = compare_raters(member.project, query.found, query.wish)
    context = {"asked": query, "found": comparison, "few": FEW, "charts": [], **headline_shown(query)}
    judges = list(Judge.objects.filter(pk__in=[judge.number for judge in query.found.judges]))
    counts = dict(comparison.left_out)
    excluded = [(WHY.get(why, why), n) for why, n in counts.items() if n] + _left_out_counts(query.found)
    subject = query.found.subject
    options = None if subject.field else {"what": subject.slug, "level": query.wish.level}
    if options and query.found.chosen:
        options["raters"] = ",".join(query.found.chosen)

    def recounted(ground: Ground) -> Recount:
        blind = {"pseudonyms": not member.leads, "voting": ground.voting}
        return recount_agreement(member.project, query.found, comparison.wanted, query.today, **blind)

    content = PrintedPart(
        context,
        judges,
        len(query.found.said),
        excluded,
        FORMULAS["agreement"],
        comparison.wanted.draws,
        AGREEMENT_SEED,
        options,
        recounted,
    )
    return member, content


def trust(request: HttpRequest, slug: str) -> tuple[Member, PrintedPart]:
    member = agreement_member(request, slug)
    query = trust_asked(request, member)
    if query is None:
        raise Http404
    trust_figures = trusting(member.project, query.found, query.judge, epsilon=query.epsilon, today=query.today)
    context = {"asked": query, "few": FEW_IN_TRUST, **trust_shown(query, trust_figures)}
    skipped = [(WHY[why], n) for why, n in context["own"].result.skipped.items()]
    if trust_figures.calibrated.skipped:
        skipped.append((WHY["one side"], trust_figures.calibrated.skipped))
    options = {"what": trust_figures.what, "judge": str(query.judge), "epsilon": str(query.epsilon)}
    excluded = skipped + _left_out_counts(query.found)
    judges = list(query.judges)

    def recounted(ground: Ground) -> Recount:
        return recount_trust(member.project, trust_figures, pseudonyms=not member.leads, voting=ground.voting)

    n = len(query.found.said)
    return member, PrintedPart(context, judges, n, excluded, FORMULAS["trust"], DRAWS, SEED, options, recounted)


def _left_out_counts(material: UnitTable) -> list[tuple[str | Promise, int]]:
    return [(WHY.get(why, why), n) for reasons in material.left_out.values() for why, n in reasons.items() if n]


# The view of all parts.


Part = Callable[[HttpRequest, str], tuple[Member, PrintedPart]]
# Part of the page -> its title, the report with the same numbers, and the function that makes it.
PARTS: Mapping[str, tuple[Promise, Part]] = {
    "leaderboard": (_("Leaderboard"), leaderboard),
    "agreement": (_("Who agrees with whom?"), agreement),
    "trust": (_("May a judge stand in for people?"), trust),
}


@require_safe
@login_required
def one_page(request: HttpRequest, slug: str, of: str) -> HttpResponse:
    """The query string is that of the dashboard."""
    title, part = PARTS[of]
    member, content = part(request, slug)
    stands_on = ground(member.project, content.judges)
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "title": title,
        "of": of,
        "shown": content,
        "ground": stands_on,
        "recount": content.recounted(stands_on) if content.recounted else None,
        "command": command(member.project, of, content.options) if content.options is not None else "",
        "made_at": timezone.now(),
        "address": request.GET.urlencode(),
    }
    return render(request, "one_page/one_page.html", context | content.context)
