"""A ranking as people read it in a terminal."""

from collections.abc import Iterator

from judging.services.reports.tables import table
from lib.stats.needs import needed
from lib.stats.ranking.separating import Separation, neighbours
from lib.stats.ranking.standings import Ranking, Standing

HEADER = ["ranks", "model", "strength", "95 %", "Elo", "battles", "wins", "ties"]
MOST_HINTS = 10


def in_words(found: Ranking) -> str:
    return "\n".join(_lines(found)).rstrip()


def _lines(found: Ranking) -> Iterator[str]:
    yield f"{found.battles.n} battles"
    yield ""
    yield table(HEADER, [_cells(each) for each in found.standings], left=2)
    yield ""
    yield from map(str, found.notes)
    skipped = ", ".join(f"{times} {reason}" for reason, times in found.battles.skipped.items())
    if skipped:
        yield f"Skipped: {skipped}."
    for other in found.others:
        yield table(HEADER, [_cells(each) for each in other.standings], left=2)
        yield ""
    yield from hints(found)


def hints(found: Ranking) -> list[str]:
    """What it would take to tell neighbours apart, where that is a number of votes to think of."""
    told = [hint for each in neighbours(found) if (hint := _hint(each))]
    more = [f"… and {len(told) - MOST_HINTS} more pairs."] if len(told) > MOST_HINTS else []
    return [*told[:MOST_HINTS], *more]


def _hint(each: Separation) -> str:
    if each.near:
        return f"{each.stronger} and {each.weaker} are too close for a number of votes to mean anything."
    if not each.votes:
        return ""
    return (
        f"About {needed(each.votes, each.votes_low, each.votes_high)} more votes to separate {each.stronger} "
        f"and {each.weaker}."
    )


def _cells(each: Standing) -> list[str]:
    counts = [str(each.battles), str(each.wins), str(each.ties)]
    if each.strength is None or each.elo is None:
        return ["", each.name, "", "", "", *counts]
    between = "" if each.low is None else f"{each.low:.4f}–{each.high:.4f}"
    ranks = f"{each.rank_low}–{each.rank_high}" if each.rank_low != each.rank_high else str(each.rank_low)
    return [ranks, each.name, f"{each.strength:.4f}", between, f"{each.elo:.0f}", *counts]
