"""What each of the printed pages shows, out of the same services as its dashboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Member
from judging.models import Judge
from judging.services.boards import readings
from judging.services.comparing_raters.comparing import compared
from judging.services.comparing_raters.material import Material
from judging.services.one_page import Ground, Recount, recount_agreement, recount_leaderboard, recount_trust
from judging.services.trust.trusting import trust as trusting
from judging.views.agreement.access import agreement_member
from judging.views.agreement.asked import asked as agreement_asked
from judging.views.agreement.page import headline_shown
from judging.views.answers.access import judging_member
from judging.views.leaderboard.asked import asked as board_asked
from judging.views.leaderboard.standings import standings
from judging.views.trust.asked import asked as trust_asked
from judging.views.trust.page import FEW as FEW_IN_TRUST
from judging.views.trust.page import shown as trust_shown
from lib.stats.agreement.names import SEED as AGREEMENT_SEED
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
class Shown:
    """What one page shows. n: units it stands on. excluded: why and how many. options: of the command; None where
    no command prints these numbers. recounted: how they are counted again from a release; None where none can."""

    context: dict[str, Any]
    judges: Sequence[Judge]
    n: int
    excluded: Sequence[tuple[str | Promise, int]]
    formula: Promise
    draws: int
    seed: int
    options: dict[str, str] | None
    recounted: Callable[[Ground], Recount] | None = None


def leaderboard(request: HttpRequest, slug: str) -> tuple[Member, Shown]:
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
    return member, Shown(
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


def agreement(request: HttpRequest, slug: str) -> tuple[Member, Shown]:
    member = agreement_member(request, slug)
    query = agreement_asked(request, member)
    if query is None:
        raise Http404
    comparison = compared(member.project, query.found, query.wish)
    context = {"asked": query, "found": comparison, "few": FEW, "charts": [], **headline_shown(query)}
    judges = list(Judge.objects.filter(pk__in=[judge.number for judge in query.found.judges]))
    counts = dict(comparison.left_out)
    excluded = [(WHY.get(why, why), n) for why, n in counts.items() if n] + _left_out(query.found)
    subject = query.found.subject
    options = None if subject.field else {"what": subject.slug, "level": query.wish.level}
    if options and query.found.chosen:
        options["raters"] = ",".join(query.found.chosen)

    def recounted(ground: Ground) -> Recount:
        blind = {"pseudonyms": not member.leads, "voting": ground.voting}
        return recount_agreement(member.project, query.found, comparison.wanted, query.today, **blind)

    content = Shown(
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


def trust(request: HttpRequest, slug: str) -> tuple[Member, Shown]:
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
    excluded = skipped + _left_out(query.found)
    judges = list(query.judges)

    def recounted(ground: Ground) -> Recount:
        return recount_trust(member.project, trust_figures, pseudonyms=not member.leads, voting=ground.voting)

    n = len(query.found.said)
    return member, Shown(context, judges, n, excluded, FORMULAS["trust"], DRAWS, SEED, options, recounted)


def _left_out(material: Material) -> list[tuple[str | Promise, int]]:
    return [(WHY.get(why, why), n) for reasons in material.left_out.values() for why, n in reasons.items() if n]
