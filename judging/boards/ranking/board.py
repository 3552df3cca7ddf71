"""The page of a ranking: its query string, the table and charts, parts on request, and the battles behind numbers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotate.kinds.questions.model_names import name_targets
from annotate.models import Item, Member, Project
from annotate.web.access import project_page
from judging.access import everywhere, pair_questions, ranks_models, sources_of
from judging.boards.board import FIGURE_TOOLS, Board, BoardPage, Place, SubPage
from judging.boards.item_filters import ItemFilterOptions
from judging.boards.model_pages import ModelPageOptions
from judging.boards.needs import PREFERENCES
from judging.boards.ranking.charts import rating_chart, win_rates
from judging.boards.ranking.numbers import DIVISIONS as STYLE_DIVISIONS
from judging.boards.ranking.numbers import (
    BadLines,
    Ranked,
    compared_pair,
    head_to_head,
    pasted_scores,
    rankings,
    side_by_side,
    styled,
)
from judging.boards.ranking.question_sides import (
    UNNAMED,
    may_see_models,
    question_sides,
)
from judging.boards.ranking.ranked_pages import ranked_page
from judging.boards.ranking.ranking_report import RankingReport
from judging.ratings.consistency import groups_of
from judging.ratings.preferences import BattleSide, Fight, sides
from judging.ratings.units import Today
from judging.studies.progress import pairs_are_voted_on
from lib.stats.bootstrap import DRAWS
from lib.stats.figures import FEW
from lib.stats.ranking.report import RankingComparison, beside, left_side, neighbours
from lib.stats.ranking.standings import RankedModel

PEOPLE = "people"


@dataclass(frozen=True)
class RankingQuery:
    """sides: all with preferences; side: the chosen one, None if there is none. divide: one of DIVISIONS, or "".
    pasted: another leaderboard as typed; beside: the same, parsed; fault: why it cannot be parsed. unnamed: answers and
    verdicts about texts whose models have no names."""

    sides: list[tuple[str, BattleSide]]
    by: str = ""
    side: BattleSide | None = None
    divide: str = ""
    davidson: bool = False
    pasted: str = ""
    beside: Mapping[str, float] = field(default_factory=dict)
    fault: str = ""
    unnamed: int = 0


class RankingOptions(ModelPageOptions, ItemFilterOptions):
    """about: an own question, "" for the first one. by: `people` or the number of a judge. divide: one of DIVISIONS.

    ties: "davidson", an outcome of their own. rating: what the chart shows, one of RATINGS. pair: two models that are
    compared. beside: another leaderboard as typed.
    """

    about: str = ""
    by: str = ""
    divide: str = ""
    ties: str = ""
    rating: str = ""
    pair: tuple[str, ...] = ()
    beside: str = ""

    @property
    def selection_address(self) -> str:
        about = urlencode({"about": self.about}) if self.about else ""
        return "&".join(filter(None, [about, super().selection_address]))


def ranking_query(project: Project, options: RankingOptions) -> RankingQuery:
    """By default the first side; an unknown one gives 404. Only fights about the items that count."""
    items = None if options.selection.is_all else options.selection.items(project)
    all_sides = question_sides(Today(project), options.about) if project.kind.defined else sides(project)
    side_rows = [(_word(side), _about(side, items)) for side in all_sides if side.fights]
    matches = [(word, side) for word, side in side_rows if word == options.by] if options.by else side_rows[:1]
    if options.by and not matches:
        raise Http404
    word, side = matches[0] if matches else ("", None)
    other_board, fault = _read_pasted(options.beside)
    return RankingQuery(
        side_rows,
        word,
        side,
        options.divide if options.divide in STYLE_DIVISIONS else "",
        options.ties == "davidson",
        options.beside,
        other_board,
        fault,
        sum(side.skipped.get(UNNAMED, 0) for side in all_sides),
    )


def _about(side: BattleSide, items: Collection[int] | None) -> BattleSide:
    """The side with its fights about these items. How many votes were skipped is known of all items only."""
    if items is None:
        return side
    return replace(side, fights=[fight for fight in side.fights if fight.item in items], skipped={})


def _read_pasted(pasted: str) -> tuple[Mapping[str, float], str]:
    try:
        return pasted_scores(pasted), ""
    except BadLines as bad:
        return {}, str(bad)


def _word(side: BattleSide) -> str:
    return str(side.rater.pk) if side.rater else PEOPLE


# On request: rankings of parts of the items, and the comparison with another leaderboard.


DIVISIONS = {"group": gettext_lazy("Group"), "language": gettext_lazy("Language")}
MOST_PARTS, MOST_ROWS = 30, 10  # those with most battles; the strongest
# For the intervals of many fits while somebody waits for the page; the report draws as many as for all items.
FEWER_DRAWS = 200


@dataclass(frozen=True)
class RankingPart:
    """The ranking of one group or language. more: how many authors are not shown; address: of its battles."""

    name: str
    n: int
    rows: Sequence[RankedModel]
    more: int
    notes: Sequence[str]
    address: str


def parts(project: Project, query: RankingQuery, address: str) -> dict[str, Any]:
    context: dict[str, Any] = {"divisions": DIVISIONS.items(), "parts": [], "more_parts": 0, "draws": FEWER_DRAWS}
    if not query.divide or query.side is None:
        return context
    ranked_parts = rankings(project, query.divide, given=[query.side], davidson=query.davidson, count=FEWER_DRAWS)
    most = sorted(ranked_parts, key=lambda ranked_part: (-ranked_part.ranking.battles.n, ranked_part.group or ""))
    part_rows = [
        _part(ranked_part, f"{address}&{urlencode({'divide': query.divide, 'part': ranked_part.group})}")
        for ranked_part in most
    ]
    return context | {"parts": part_rows[:MOST_PARTS], "more_parts": len(part_rows[MOST_PARTS:])}


def _part(ranked_part: Ranked, address: str) -> RankingPart:
    rows = ranked_part.ranking.standings
    notes = [gettext(note.text) % note.values for note in ranked_part.ranking.notes]
    return RankingPart(
        ranked_part.group or "", ranked_part.ranking.battles.n, rows[:MOST_ROWS], len(rows[MOST_ROWS:]), notes, address
    )


def other_board(query: RankingQuery, ranked_sides: Sequence[Ranked]) -> dict[str, Any]:
    """The correlation of people and of each judge with the pasted leaderboard."""
    compared: list[tuple[Ranked, RankingComparison]] = []
    if query.beside:
        compared = [(ranked_side, beside(ranked_side.ranking, query.beside)) for ranked_side in ranked_sides]
    return {"compared": compared}


MOST = 20  # authors side by side; a longer table is not read


def ranking_page(query: RankingQuery, options: RankingOptions, member: Member) -> BoardPage:
    """The ranking by people or by a judge; every number links to its battles."""
    if query.side is None:
        context = {"sources": sources_of(member.project, member.user), "unnamed": query.unnamed}
        context["name_targets"] = list(name_targets(member.project.kind))
        return BoardPage(context, "ranking/empty.html")
    if not query.side.fights:
        return BoardPage({"asked": query}, "ranking/unmatched.html")
    sides = [side for _word, side in query.sides if side.fights]
    draws = FEWER_DRAWS if query.davidson else DRAWS
    ranked_sides = rankings(member.project, given=sides, davidson=query.davidson, count=draws)
    ranked_side = next(candidate for candidate in ranked_sides if candidate.side is query.side)
    query_string = "&".join(filter(None, [urlencode({"by": query.by}), options.selection_address]))
    address = f"{reverse('ranking_battles', args=[member.project.slug])}?{query_string}"
    context = {
        "asked": query,
        "few": FEW,
        "all_draws": draws,
        "address": address,
        **_ranking_context(ranked_side, options),
        **_sides(query, ranked_sides),
    }
    context["questions"] = [(question.name, question.label()) for question in pair_questions(member.project.kind)]
    context["still_voted"] = pairs_are_voted_on(member.project)
    context |= win_rates(ranked_side.ranking, options, address) | parts(member.project, query, address)
    context |= other_board(query, ranked_sides)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if query.fault else HTTPStatus.OK
    return BoardPage(context, status=status)


def _ranking_context(ranked_side: Ranked, options: RankingOptions) -> dict[str, Any]:
    """The table, the chart and the sentences of one ranking."""
    controlled, standings = styled(ranked_side.side), ranked_side.ranking.standings
    shown_standings = [standing for standing in standings if options.shows(standing.name)]
    adjusted = {row.name: row for row in controlled[1]} if controlled else {}
    rows = [(standing, adjusted.get(standing.name)) for standing in shown_standings]
    names = [standing.name for standing in standings]
    weights = sorted(controlled[0].weights.items()) if controlled else []
    page_context = ranked_page(rows, options, among=len(names), styled=bool(weights))
    page = page_context["model_page"]
    return {
        **page_context,
        "one": ranked_side,
        "named_models": names,
        "all_models": list(dict.fromkeys([*options.models, *page.names])) if page.is_long else names,
        "chart": rating_chart(options, standings, controlled[1] if controlled else (), set(page.names)),
        "notes": [gettext(note.text) % note.values for note in ranked_side.ranking.notes],
        "skipped": sorted(ranked_side.ranking.battles.skipped.items()),
        "hints": [neighbour for neighbour in neighbours(ranked_side.ranking) if neighbour.votes or neighbour.near][:10],
        "weights": weights,
    }


def _sides(query: RankingQuery, ranked_sides: Sequence[Ranked]) -> dict[str, Any]:
    """People and judges side by side: the place of each author, the position bias, and the correlation of judges with
    people."""
    words = {id(side): word for word, side in query.sides}
    side_rows = [
        (words[id(ranked_side.side)], ranked_side, left_side(ranked_side.ranking.battles))
        for ranked_side in ranked_sides
    ]
    lines = side_by_side(ranked_sides)
    return {"beside": side_rows, "lines": lines[:MOST], "more_lines": len(lines[MOST:])}


PAGE = 50
WINNERS = ("left", "right", "tie")
MOST_DIGITS = 9


@dataclass(frozen=True)
class OpenedBattle:
    """One battle as the page shows it. winner: an author, "" for a tie."""

    item: Item
    authors: tuple[str, str]
    winner: str


def ranking_battles(request: HttpRequest, member: Member) -> HttpResponse:
    """The battles behind a number: of ?author=, against ?other=, with ?outcome= won, lost or tie, in the ?part= that
    ?divide= makes, from ?start=."""
    _refuse_hidden_names(member)
    query = ranking_query(member.project, RankingOptions.parse(request.GET, member.project))
    filters = {name: request.GET.get(name, "") for name in ("author", "other", "outcome")}
    fights = [fight for fight in _inside(request, member.project, query) if _fits(fight, **filters)]
    start = _start_of_page(request.GET.get("start", ""), len(fights))
    page_fights = fights[start : start + PAGE]
    items = Item.objects.filter(project=member.project).in_bulk([fight.item for fight in page_fights])
    context = {
        "asked": query,
        "said": filters,
        "part": request.GET.get("part", "") if query.divide else None,
        "total": len(fights),
        "opened": [OpenedBattle(items[fight.item], fight.authors, _winner(fight)) for fight in page_fights],
        "before": start - PAGE if start else None,
        "after": start + PAGE if start + PAGE < len(fights) else None,
        "address": _address(request),
    }
    return project_page(request, member, "ranking/battles.html", context, tab="ranking")


def _refuse_hidden_names(member: Member) -> None:
    if not may_see_models(RankingOptions(), member):
        raise Http404


def _inside(request: HttpRequest, project: Project, query: RankingQuery) -> Sequence[Fight]:
    """The fights of the chosen part of the items, or all."""
    fights = query.side.fights if query.side else ()
    groups = groups_of(project, query.divide)
    if groups is None:
        return fights
    part = request.GET.get("part", "")
    return [fight for fight in fights if groups[fight.item] == part]


def _fits(fight: Fight, author: str, other: str, outcome: str) -> bool:
    if author and author not in fight.authors:
        return False
    if other and (other not in fight.authors or other == author):
        return False
    winner = _winner(fight)
    return {"won": winner == author, "lost": winner not in ("", author), "tie": not winner}.get(outcome, True)


def _winner(fight: Fight) -> str:
    return "" if fight.winner == "tie" else fight.authors[WINNERS.index(fight.winner)]


def _start_of_page(start_text: str, total: int) -> int:
    """The start of an existing page."""
    number = (
        int(start_text) if start_text.isascii() and start_text.isdecimal() and len(start_text) <= MOST_DIGITS else 0
    )
    return min(number, max(total - 1, 0)) // PAGE * PAGE


def _address(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("start", None)
    return query.urlencode()


# Two models against each other.


def ranking_compare(request: HttpRequest, member: Member) -> HttpResponse:
    """Two models, by people and by each judge: the battles between them, and the difference of their Elo. ?pair= twice
    names them; without two, the two strongest."""
    _refuse_hidden_names(member)
    options = RankingOptions.parse(request.GET, member.project)
    query = ranking_query(member.project, options)
    ranked_sides = rankings(member.project, given=[side for _word, side in query.sides if side.fights])
    names = list(dict.fromkeys(row.name for ranked_side in ranked_sides for row in ranked_side.ranking.standings))
    pair = compared_pair(options.pair, names)
    context: dict[str, Any] = {"options": options, "names": names, "pair": pair, "few": FEW, "figures": FIGURE_TOOLS}
    if pair:
        words = {id(side): word for word, side in query.sides}
        context["rows"] = [(words[id(ranked.side)], head_to_head(ranked, *pair)) for ranked in ranked_sides]
    return project_page(request, member, "ranking/compare.html", context, tab="ranking")


BOARD = Board(
    slug="ranking",
    name=gettext_lazy("Ranking"),
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    place=Place(60, asks=gettext_lazy("Who is better?"), needs=(PREFERENCES,), led_to=ranks_models),
    Options=RankingOptions,
    numbers=ranking_query,
    state=None,
    admits=may_see_models,
    page=ranking_page,
    template="ranking/ranking.html",
    formats=(),
    sub_pages=(
        SubPage("ranking/battles/", "ranking_battles", ranking_battles),
        SubPage("ranking/compare/", "ranking_compare", ranking_compare),
    ),
    saves_views=False,
    reports=(RankingReport(),),
)
