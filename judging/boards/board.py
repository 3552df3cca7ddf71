"""The contract of boards: pages of numbers about the answers, votes and judges of a project.

Each board is one folder in judging/boards/ whose module `board` holds `BOARD`; docs/boards.md is a walk-through.
The frame (judging/boards/frame.py) serves its addresses; navigation, saved views and the command `report` find it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from typing import Any, Generic, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise

from annotate.models import Member, Project
from annotate.web.access import READERS
from judging.access import board_member, has_answers
from judging.boards.files import csv_rows, json_object
from judging.boards.needs import Need
from judging.boards.options import BoardOptions
from judging.boards.printing import PrintedPart
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.cache import cached, state_of_all
from lib.discovery import discover

OptionsT = TypeVar("OptionsT", bound=BoardOptions)
NumbersT = TypeVar("NumbersT")
FRAME_PAGE = "boards/board.html"
FIGURE_TOOLS = "boards/_figures.html"  # `figures` of a page with charts and tables: scripts that sort and export them
POST = ("POST",)  # the methods of a sub-page that changes something


@dataclass(frozen=True)
class Place:
    """Where a board stands among the results. order: ascending. asks: the question that it answers.

    needs: what it is made of; without them it is listed as one without data. aside: it stands only in the list of all
    results, not in the row. for_leads: nobody else is led there. led_to: the projects that link to the board; None for
    all that it suits.
    """

    order: int
    asks: str | Promise
    needs: Sequence[Need] = ()
    aside: bool = False
    for_leads: bool = False
    led_to: Callable[[Project], bool] | None = None


@dataclass(frozen=True)
class BoardPage:
    """What a page shows. template: "" for the board's own."""

    context: Mapping[str, Any]
    template: str = ""
    status: int = 200


@dataclass(frozen=True)
class OpenedRow:
    """One item behind a number. cells: heading -> what the list shows of it."""

    item: int
    cells: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SubPage:
    """Another page of a board. address: below that of the project. view: takes the request, the member whom the board
    admits in one of the roles, and the parts of the address."""

    address: str
    name: str
    view: Callable[..., HttpResponseBase]
    roles: tuple[str, ...] = READERS
    methods: tuple[str, ...] = ("GET", "HEAD")


Fragment = tuple[str, Callable[[Any, Any], Mapping[str, Any]]]  # template, and its context from numbers and options


def state_of_judging(project: Project, options: Any) -> str:
    """Changes with every verdict, answer and item of the project; not with votes and annotations of people."""
    return state_of_all(project)


@dataclass(frozen=True, kw_only=True)
class Board(Generic[OptionsT, NumbersT]):
    """One board. What it leaves out it does not have: without `numbers` only its place, its access and its reports.

    slug: its name in addresses, commands and saved views. suits: 404 in other projects.
    names_authors: people who vote on the answers may not see it. shows_agreement: sealed while a study is open.
    Options: the parameters of its address. numbers: what it shows, a frozen dataclass; None where there is nothing yet.
    state: changes whenever numbers may change, for the cache; None for numbers that are cheap or cached elsewhere.
    admits: whether a member may have these options, 404 otherwise; all that the board admits may have all without it.
    page: the context for the template, which is a whole page, or with `body` a fragment that the frame's page includes.
    fragments: id of an element -> what htmx may request alone. units: the items behind the number with this key; None
    for an unknown key. formats: of its files. as_json, as_rows: their content, by default the fields of the numbers
    and their `rows`. columns: of a CSV without rows. file_name: after the project's slug.
    formula: what the print says of how numbers are made. printed: what the print shows; by default the body.
    sub_pages: further pages with the same access.
    saves_views: its page offers saved views. reports: of the command; by default one with the JSON of the numbers.
    """

    slug: str
    name: str | Promise
    about: str = ""
    suits: Callable[[Project], bool] = has_answers
    names_authors: bool = True
    shows_agreement: bool = False
    place: Place | None = None
    Options: type[OptionsT] | None = None
    numbers: Callable[[Project, OptionsT], NumbersT | None] | None = None
    state: Callable[[Project, OptionsT], str] | None = state_of_judging
    admits: Callable[[OptionsT, Member], bool] | None = None
    page: Callable[[NumbersT, OptionsT, Member], BoardPage] | None = None
    template: str = FRAME_PAGE
    body: str = ""
    fragments: Mapping[str, Fragment] = field(default_factory=dict)
    units: Callable[[NumbersT, str], Sequence[OpenedRow] | None] | None = None
    formats: Sequence[str] = ("json", "csv")
    as_json: Callable[[NumbersT, OptionsT], Mapping[str, Any]] | None = None
    as_rows: Callable[[NumbersT, OptionsT, Member], Iterable[Mapping[str, Any]]] | None = None
    columns: Sequence[str] = ()
    file_name: Callable[[OptionsT], str] | None = None
    formula: str | Promise = ""
    printed: Callable[[NumbersT, OptionsT, Member], PrintedPart] | None = None
    sub_pages: Sequence[SubPage] = ()
    saves_views: bool = True
    reports: Sequence[Report] = ()

    @property
    def path(self) -> str:
        """Its part of the address."""
        return self.slug.replace("_", "-")

    def member(self, request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
        """The member who may see the board. Raises Http404 and PermissionDenied."""
        access = {"names_authors": self.names_authors, "shows_agreement": self.shows_agreement}
        return board_member(request, slug, roles, suits=self.suits, **access)

    def numbers_of(self, project: Project, options: OptionsT) -> NumbersT | None:
        """The numbers, from the cache if nothing has changed that they were made of: data, options or source code."""
        assert self.numbers is not None
        make = self.numbers
        if self.state is None:
            return make(project, options)
        words = sha256(repr(options.parameters).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return cached(f"{self.slug}:{words}", self.state(project, options), partial(make, project, options))

    def json_of(self, numbers: NumbersT, options: OptionsT) -> Mapping[str, Any]:
        return self.as_json(numbers, options) if self.as_json else json_object(numbers)

    def rows_of(self, numbers: NumbersT, options: OptionsT, member: Member) -> Iterable[Mapping[str, Any]]:
        return self.as_rows(numbers, options, member) if self.as_rows else csv_rows(json_object(numbers))

    def all_reports(self) -> Sequence[Report]:
        """Its own, or the one with its JSON."""
        return self.reports or ([NumbersReport(self)] if self.numbers and "json" in self.formats else [])


class NumbersReport(Report):
    """The numbers of a board as its JSON, and its rows as a table."""

    takes_words = True

    def __init__(self, board: Board[Any, Any]) -> None:
        self.slug, self.about, self._board = board.slug, board.about or str(board.name), board

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        board = self._board
        if not board.suits(project):
            raise Refused(f"A project of the kind {project.kind_slug} has no such report.")
        assert board.Options is not None
        board_options = board.Options.of_report(project, options)
        numbers = board.numbers_of(project, board_options)
        value = None if numbers is None else board.json_of(numbers, board_options)
        if not value:
            raise Refused("There is nothing to report on yet.")
        rows = csv_rows(value)
        cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
        return ReportOutput(dict(value), table(list(rows[0]), cells) if rows else "No rows.")


@cache
def boards() -> dict[str, Board[Any, Any]]:
    """slug -> board, in the order of the slugs."""
    found_boards = discover("judging.boards", "BOARD", "board")
    return {board.slug: board for board in sorted(found_boards, key=lambda board: board.slug)}


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    found_reports = [report for board in boards().values() for report in board.all_reports()]
    return {report.slug: report for report in sorted(found_reports, key=lambda report: report.slug)}
