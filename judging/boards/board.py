"""The base of all reports, tables of text, the registry of reports, and saved views of dashboards.

A report gives the numbers of one project as one JSON object, and the same as a table to read.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

import judging.boards
from annotate.errors import Refused as NotSaved
from annotate.models import Member, Project, User
from judging.models import Judge, SavedView
from judging.verdicts.verdict_scores import judges
from lib.stats.figures import Figure


class Refused(ValueError):
    """There is no such report; the message says why and what to do."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report. by: a division, or ""; judge: a name, or "".

    what: one kind of ratings, or "" for the one that exists; level: of measurement, or "" for the default.
    epsilon: the margin by which a judge may be worse than a person; None for the default.
    runs: the runs that are compared; () for the newest that were planned together.
    raters: only these people, by name or pattern; () for all.
    davidson: ties as an outcome of their own. beside: another leaderboard, name -> score; None for none.
    """

    by: str = ""
    judge: str = ""
    what: str = ""
    level: str = ""
    epsilon: float | None = None
    runs: Sequence[int] = ()
    raters: Sequence[str] = ()
    davidson: bool = False
    beside: Mapping[str, float] | None = None


@dataclass(frozen=True)
class ReportOutput:
    """value: the JSON object, without NaN or Infinity; text: the same for people."""

    value: dict[str, Any]
    text: str


class Report(ABC):
    """One report. The module `board` of each folder lists its instances in `REPORTS`; they are found by slug."""

    slug: ClassVar[str]
    about: ClassVar[str]
    divisions: ClassVar[Sequence[str]] = ()  # the allowed values of `by`
    compares: ClassVar[bool] = False  # ratings: `what` and `level` have a meaning
    compares_runs: ClassVar[bool] = False  # `runs` has a meaning
    weighs: ClassVar[bool] = False  # judges against people: `what` and `epsilon` have a meaning
    ranks: ClassVar[bool] = False  # by battles: `davidson` and `beside` have a meaning

    @abstractmethod
    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        """The report. Raises Refused if there is nothing to report on."""


def votes_elsewhere(project: Project) -> str:
    """Says where the votes of a study of this project are reported; "" if no study is voted on here."""
    sources = Project.objects.filter(studies__project=project).exclude(pk=project.pk).distinct().order_by("slug")
    slugs = ", ".join(sources.values_list("slug", flat=True))
    return f" What people vote on here are answers of {slugs}: ask for the report of that project." if slugs else ""


def judge_named(project: Project, name: str) -> Judge:
    """The judge with that name, short or in full; without a name the one with most verdicts.

    Raises Refused if nobody has judged, or if no judge or several judges have that name.
    """
    project_judges = judges(project)
    if not project_judges:
        raise Refused(
            "No judge has judged an answer yet: import judgements (import_judgements) or run a judge (judge)."
        )
    if not name:
        return project_judges[0]
    matches = [judge for judge in project_judges if name == str(judge)] or [
        judge for judge in project_judges if name == judge.name
    ]
    if len(matches) == 1:
        return matches[0]
    judge_names = ", ".join(f"“{judge}”" for judge in matches or project_judges)
    raise Refused(f"{'Several judges are' if matches else 'No judge is'} called “{name}”. Judges: {judge_names}.")


# Tables of text for terminals.


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Aligned columns: the first `left` of them to the left, the others to the right."""
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    lines = [_line(row, widths, left) for row in [header, ["─" * column_width for column_width in widths], *rows]]
    return "\n".join(lines)


def width(text: str) -> int:
    """Width of a text in a terminal: Chinese characters take two places."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [
        cell + " " * (wide - width(cell)) if index < left else " " * (wide - width(cell)) + cell
        for index, (cell, wide) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


# Registry: reports by slug; the module `board` of each folder lists them in `REPORTS`.


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    folders = [module.name for module in iter_modules(judging.boards.__path__, "judging.boards.") if module.ispkg]
    modules = [import_module(f"{folder}.board") for folder in folders if find_spec(f"{folder}.board")]
    found_reports = [report for module in modules for report in module.REPORTS]
    return {report.slug: report for report in sorted(found_reports, key=lambda report: report.slug)}


# Saved views: the query string of a dashboard under a name, for one person or for all readers of the project.


PAGES = ("leaderboard", "blindspots", "agreement", "trust")  # by the names of their addresses
MOST = 50  # of one person in one project


def views_for(user: User, project: Project) -> QuerySet[SavedView]:
    """The user's own views, and those that leads have shared."""
    return SavedView.objects.filter(project=project).filter(Q(owner=user) | Q(shared=True)).select_related("owner")


def shown_on(page: str, member: Member) -> Sequence[SavedView]:
    return list(views_for(member.user, member.project).filter(page=page))


def save(*, member: Member, page: str, name: str, query: str, shared: bool) -> SavedView:
    """Save a view; the same name replaces the earlier one. Only leads share views: those of others stay private.

    Raises Refused if the person has saved too many.
    """
    with transaction.atomic():
        own_views = SavedView.objects.filter(project=member.project, owner=member.user)
        if own_views.count() >= MOST and not own_views.filter(page=page, name=name).exists():
            raise NotSaved(_("You have saved %(n)d views here; delete one first.") % {"n": MOST})
        view, _made = SavedView.objects.update_or_create(
            project=member.project,
            owner=member.user,
            page=page,
            name=name,
            defaults={"query": query, "shared": shared and member.leads},
        )
    return view


def deletable_by(member: Member) -> QuerySet[SavedView]:
    """The member's own views; leads may also delete shared ones."""
    condition = Q(owner=member.user) | Q(shared=True) if member.leads else Q(owner=member.user)
    return SavedView.objects.filter(condition, project=member.project)


# Figures as reports give them: 0..100 with two decimals.
FIGURES = ("agreement", "consistency", "accuracy", "agreement_of_consistent")


def figure_value(figure: Figure) -> float | None:
    return None if figure.value is None else hundredths(figure.value)


def hundredths(value: float) -> float:
    """0..1 as 0..100 with two decimals."""
    return round(value * 100, 2)
