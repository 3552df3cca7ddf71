"""A ranking as people read it in a terminal."""

from collections.abc import Iterator

from judging.services.reports.tables import table
from lib.stats.needs import needed
from lib.stats.ranking.separating import Separation, neighbours
from lib.stats.ranking.standings import Ranking, Standing

HEADER = ["ranks", "model", "strength", "95 %", "Elo", "battles", "wins", "ties"]
MOST_HINTS = 10


def in_words(ranking: Ranking) -> str:
    return "\n".join(_lines(ranking)).rstrip()


def _lines(ranking: Ranking) -> Iterator[str]:
    yield f"{ranking.battles.n} battles"
    yield ""
    yield table(HEADER, [_cells(standing) for standing in ranking.standings], left=2)
    yield ""
    yield from map(str, ranking.notes)
    skipped = ", ".join(f"{times} {reason}" for reason, times in ranking.battles.skipped.items())
    if skipped:
        yield f"Skipped: {skipped}."
    for other_ranking in ranking.others:
        yield table(HEADER, [_cells(standing) for standing in other_ranking.standings], left=2)
        yield ""
    yield from hints(ranking)


def hints(ranking: Ranking) -> list[str]:
    """What it would take to tell neighbours apart, where that is a number of votes to think of."""
    hint_lines = [hint for separation in neighbours(ranking) if (hint := _hint(separation))]
    more = [f"… and {len(hint_lines) - MOST_HINTS} more pairs."] if len(hint_lines) > MOST_HINTS else []
    return [*hint_lines[:MOST_HINTS], *more]


def _hint(separation: Separation) -> str:
    if separation.near:
        return f"{separation.stronger} and {separation.weaker} are too close for a number of votes to mean anything."
    if not separation.votes:
        return ""
    return (
        f"About {needed(separation.votes, separation.votes_low, separation.votes_high)} more votes to separate "
        f"{separation.stronger} and {separation.weaker}."
    )


def _cells(standing: Standing) -> list[str]:
    counts = [str(standing.battles), str(standing.wins), str(standing.ties)]
    if standing.strength is None or standing.elo is None:
        return ["", standing.name, "", "", "", *counts]
    between = "" if standing.low is None else f"{standing.low:.4f}–{standing.high:.4f}"
    ranks = (
        f"{standing.rank_low}–{standing.rank_high}"
        if standing.rank_low != standing.rank_high
        else str(standing.rank_low)
    )
    return [ranks, standing.name, f"{standing.strength:.4f}", between, f"{standing.elo:.0f}", *counts]
