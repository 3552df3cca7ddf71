"""Trust: whether a judge can replace people, the units behind each number, and the print.

An unknown judge in the query string gives 404; other unknown words fall back to the defaults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Member, Project
from annotate.web.access import project_page
from judging.access import everywhere, weighed
from judging.boards.board import Board, BoardPage, Place, SubPage
from judging.boards.model_pages import ModelPageOptions
from judging.boards.needs import ANSWERS, VERDICTS, VOTES
from judging.boards.options import judge_in
from judging.boards.printing import EXCLUDED, Ground, PrintedPart, Recount, left_out_of, recount_flags, recount_lines
from judging.boards.trust.mean_pages import mean_page
from judging.boards.trust.numbers import EPSILONS, Trust, key, trust, units_of
from judging.boards.trust.trust_report import TrustReport
from judging.models import Judge
from judging.ratings.opened_units import PAGE, Number, unit_page
from judging.ratings.rating_subjects import QUESTION, RatingSubject, weighed_subjects
from judging.ratings.tables import UnitTable, unit_table
from judging.ratings.units import Today
from judging.templatetags.scores import points
from lib.charts.forest import ForestWords, mean_forest
from lib.charts.marks import fitted
from lib.charts.scatter import ScatterDot, ScatterWords, scatter
from lib.stats.alternative_annotator import EPSILON
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.calibration import Calibration
from lib.stats.prediction_powered import LabelledRow


@dataclass(frozen=True)
class TrustQuery:
    """subjects: what people or judges have rated. names: key of a rater -> the name that this member may see."""

    subjects: Sequence[RatingSubject]
    today: Today
    found: UnitTable
    judges: Sequence[Judge]
    judge: Judge
    epsilon: float
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def said(self) -> str:
        """The query string, for links to the same numbers."""
        return urlencode({"about": self.found.subject.slug, "judge": self.judge.pk, "epsilon": self.epsilon})


class TrustOptions(ModelPageOptions):
    """about: what was rated. judge: its number; one that has rated nothing gives 404. epsilon: one of EPSILONS."""

    about: str = ""
    judge: str = ""
    epsilon: str = ""


def trust_query(project: Project, options: TrustOptions) -> TrustQuery | None:
    """The ratings that the options name, without names of people; None if no judge has rated anything."""
    project_subjects = weighed_subjects(project)
    about = next(
        (subject for subject in project_subjects if subject.slug == options.about),
        next(iter(project_subjects), None),
    )
    if about is None:
        return None
    today = Today(project)
    subject_material = unit_table(project, about, today, clustered=False)
    judges = judges_of(subject_material, today)
    if not judges:
        return None
    judge = judge_in({"judge": options.judge}, judges)
    assert judge is not None
    return TrustQuery(project_subjects, today, subject_material, judges, judge, _epsilon(options.epsilon))


def named_query(query: TrustQuery, member: Member) -> TrustQuery:
    """With the names that this member may see."""
    return replace(query, names=names_for(query.found, member))


def trust_of(query: TrustQuery, project: Project) -> Trust:
    return trust(project, query.found, query.judge, epsilon=query.epsilon, today=query.today)


def judges_of(material: UnitTable, today: Today) -> list[Judge]:
    """The judges that have rated something, by name."""
    numbers = {judge.number for judge in material.judges}
    return sorted((judge for judge in today.judges if judge.pk in numbers), key=lambda judge: (judge.name, judge.pk))


def _epsilon(text: str) -> float:
    return next((epsilon for epsilon in EPSILONS if text == str(epsilon)), EPSILON)


def names_for(material: UnitTable, member: Member) -> dict[str, str]:
    """Only leads read people's names."""
    people = {
        person.key: person.name if member.leads else _("Person %(number)d") % {"number": person.number}
        for person in material.people
    }
    return people | {judge.key: judge.name for judge in material.judges}


FEW = 20


def trust_page(query: TrustQuery | None, options: TrustOptions, member: Member) -> BoardPage:
    """The numbers by which a lead decides whether a judge can replace people."""
    if query is None:
        return BoardPage({}, "trust/empty.html")
    query = named_query(query, member)
    context = {"asked": query, "epsilons": EPSILONS, **trust_context(query, options, trust_of(query, member.project))}
    return BoardPage(context)


def trust_context(query: TrustQuery, options: TrustOptions, trust_figures: Trust) -> dict[str, Any]:
    """The context of the page and of its printed version."""
    corrected = mean_page(trust_figures.corrected, options)
    judge_test = next(test for test in trust_figures.tests if test.judge.key == key(query.judge))
    return {
        "found": trust_figures,
        "few": FEW,
        "own": judge_test,
        "advantages": list(zip(judge_test.raters, judge_test.result.people, strict=True)),
        "numbers": {
            author: number for number, author in enumerate(sorted(row.author for row in trust_figures.corrected))
        },
        "bins": [
            (f"bin-{index}", score_bin)
            for index, score_bin in enumerate(trust_figures.calibrated.bins)
            if score_bin.score is not None
        ],
        "chart": _chart(trust_figures.calibrated, query.judge),
        "columns": trust_figures.columns[:-1],
        "forest": _forest(corrected["means"], trust_figures.corrected),
        **corrected,
    }


def _forest(means: Sequence[LabelledRow], all_means: Sequence[LabelledRow]) -> SafeString:
    """Corrected overall means of a page, and the mean of all; n: of the answers with a label and a verdict."""
    words = ForestWords(
        label=_("Corrected means with 95 %% intervals; dotted line: their mean, %(reference)s"),
        name=_("Model"),
        value=_("Corrected (95 %)"),
        n=_("n labelled"),
        figure=lambda value: points(value / 100, 1),
    )
    figures = [(row.author, row.columns["overall"].corrected) for row in means]
    values = [row.columns["overall"].corrected.value for row in all_means]
    return mean_forest(figures, words, among=values, times=100, few=FEW)


def _chart(calibration: Calibration, judge: Judge) -> SafeString | None:
    """Score against people's rate; None below two bins."""
    dots = [
        ScatterDot(
            str(score_bin.rate.n),
            100 * score_bin.score,
            100 * score_bin.rate.value,
            y_interval=_interval(score_bin.rate.low, score_bin.rate.high),
        )
        for score_bin in calibration.bins
        if score_bin.score is not None and score_bin.rate.value is not None
    ]
    if len(dots) < 2:
        return None
    label = _("Scores of %(judge)s vs. human rate") % {"judge": judge}
    words = ScatterWords(label, _("judge score"), _("human rate"), _("too strict"), _("too lenient"))
    return fitted(lambda size: scatter(dots, words, size=size), square=True)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (100 * low, 100 * high)


MOST_DIGITS = 9


def trust_units(request: HttpRequest, member: Member) -> HttpResponse:
    """The units behind one number, with ratings and reasons of people and judges: ?of= the number, ?start= its start.

    Without a number: all units.
    """
    unnamed_query = trust_query(member.project, TrustOptions.parse(request.GET, member.project))
    if unnamed_query is None:
        raise Http404
    query = named_query(unnamed_query, member)
    trust_figures = trust_of(query, member.project)
    number_name, start = request.GET.get("of", ""), request.GET.get("start", "")
    if number_name and number_name not in trust_figures.behind:
        raise Http404
    units = units_of(query.found, trust_figures.behind[number_name] if number_name else list(query.found.said))
    judges = [judge for judge in query.found.judges if judge.key == _judge_of(number_name, key(query.judge))]
    position = int(start) if start.isascii() and start.isdecimal() and len(start) <= MOST_DIGITS else 0
    opened = unit_page(query.found, Number(raters=judges), units, start=position - position % PAGE)
    context = {"asked": query, "of": number_name, "sort": number_name.partition("-")[0], "page": opened}
    return project_page(request, member, "trust/units.html", context, tab="trust")


def _judge_of(number_name: str, default: str) -> str:
    """The judge that a number is about, by its key."""
    return next((word for word in number_name.split("-") if word[:1] == "j" and word[1:].isdecimal()), default)


TITLE = gettext_lazy("Can this judge replace a human annotator?")
FORMULA = gettext_lazy(
    "Alternative annotator test with the larger p of the t test and the score test, Benjamini–Yekutieli at 5 %; "
    "means by tuned prediction-powered inference within tasks; calibration in ten bins; Dawid–Skene. "
    "Intervals: 95 %."
)


def printed(query: TrustQuery | None, options: TrustOptions, member: Member) -> PrintedPart:
    assert query is not None
    query, project = named_query(query, member), member.project
    figures = trust_of(query, project)
    all_rows = options.model_copy(update={"rows": "all", "find": ""})
    context = {"asked": query, "few": FEW, **trust_context(query, all_rows, figures)}
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
        options={"what": query.found.subject.word, "judge": str(query.judge), "epsilon": str(query.epsilon)},
        recounted=recounted,
        title=TITLE,
        template="trust/_printed.html",
    )


def recount_trust(project: Project, figures: Trust, *, pseudonyms: bool, voting: bool) -> Recount:
    """pseudonyms: people appear under their numbers. voting: people still vote, so the file is partial."""
    question_name = figures.what.removeprefix(QUESTION)
    file = f"{project.slug}-{question_name}-trust.jsonl"
    flags = recount_flags(pseudonyms=pseudonyms, voting=voting)
    export_args = ["--of", "trust", "--what", question_name, "--judge", str(figures.judge), *flags]
    lines = recount_lines(project, file, export_args, ["recount", file, "--epsilon", str(figures.epsilon)])
    return Recount(figures.sha256[pseudonyms], lines)


BOARD = Board(
    slug="trust",
    name=gettext_lazy("Trust"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(
        80,
        asks=gettext_lazy("Can this judge replace a human annotator?"),
        needs=(ANSWERS, VERDICTS, VOTES),
        led_to=weighed,
    ),
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
