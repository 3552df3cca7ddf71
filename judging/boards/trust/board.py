"""The print of trust."""

from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.boards.board import Board, Place, SubPage, everywhere
from judging.boards.printing import (
    EXCLUDED,
    Ground,
    PrintedPart,
    Recount,
    left_out_of,
    recount_flags,
    recount_lines,
)
from judging.boards.trust.numbers import Trust
from judging.boards.trust.page import (
    FEW,
    TrustOptions,
    TrustQuery,
    named_query,
    trust_context,
    trust_of,
    trust_page,
    trust_query,
    trust_units,
)
from judging.boards.trust.report import TrustReport
from lib.stats.bootstrap import DRAWS, SEED

TITLE = _("Can this judge replace a human annotator?")
FORMULA = _(
    "Alternative annotator test with the larger p of the t test and the score test, Benjamini–Yekutieli at 5 %; "
    "means by tuned prediction-powered inference within tasks; calibration in ten bins; Dawid–Skene. "
    "Intervals: 95 %."
)


def printed(query: TrustQuery | None, options: TrustOptions, member: Member) -> PrintedPart:
    assert query is not None
    query, project = named_query(query, member), member.project
    figures = trust_of(query, project)
    context = {"asked": query, "few": FEW, **trust_context(query, figures)}
    skipped = [(EXCLUDED[why], n) for why, n in context["own"].result.skipped.items()]
    if figures.calibrated.skipped:
        skipped.append((EXCLUDED["one side"], figures.calibrated.skipped))

    def recounted(ground: Ground) -> Recount:
        return recount_trust(project, figures, pseudonyms=not member.leads, voting=ground.voting)

    return PrintedPart(
        context=context,
        judges=list(query.judges),
        n=len(query.found.said),
        excluded=skipped + left_out_of(query.found),
        formula=FORMULA,
        draws=DRAWS,
        seed=SEED,
        options={"what": figures.what, "judge": str(query.judge), "epsilon": str(query.epsilon)},
        recounted=recounted,
        title=TITLE,
        template="trust/_printed.html",
    )


def recount_trust(project: Project, figures: Trust, *, pseudonyms: bool, voting: bool) -> Recount:
    """pseudonyms: people appear under their numbers. voting: people still vote, so the file is partial."""
    file = f"{project.slug}-{figures.what}-trust.jsonl"
    flags = recount_flags(pseudonyms=pseudonyms, voting=voting)
    export_args = ["--of", "trust", "--what", figures.what, "--judge", str(figures.judge), *flags]
    lines = recount_lines(project, file, export_args, ["recount", file, "--epsilon", str(figures.epsilon)])
    return Recount(figures.sha256[pseudonyms], lines)


BOARD = Board(
    slug="trust",
    name=_("Trust"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(80),
    Options=TrustOptions,
    numbers=trust_query,
    state=None,  # the test is cached by itself
    page=trust_page,
    template="trust/trust.html",
    formats=(),
    printed=printed,
    sub_pages=(SubPage("trust/units/", "trust_units", trust_units),),
    reports=(TrustReport(),),
)
