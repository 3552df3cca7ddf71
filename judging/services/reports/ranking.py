"""Who is better, out of people's preferences and out of judges' verdicts on pairs, side by side."""

from typing import Any

from annotate.models import Project
from judging.services.ranking_words import in_words
from judging.services.rankings.fights import sides
from judging.services.rankings.ranked import DIVISIONS, Ranked, rankings, without_recognised
from judging.services.rankings.styled import styled
from judging.services.ratings import PREFERENCE, ratings
from judging.services.reports.base import Refused, Report, Wanted, Written, votes_elsewhere
from lib.stats.correlation import Correlation
from lib.stats.correlation_intervals import Interval
from lib.stats.notes import ORDER_UNKNOWN
from lib.stats.ranking.beside import Beside, beside, left_side
from lib.stats.ranking.told import as_json, beside_row, figure, matrix, model_row


class RankingReport(Report):
    slug = "ranking"
    about = "authors by people's preferences, and by judges' verdicts on pairs, with intervals and rank ranges"
    divisions = DIVISIONS
    ranks = True

    def write(self, project: Project, wanted: Wanted) -> Written:
        given = ratings(project, PREFERENCE)
        there = [one for one in sides(project, given) if wanted.judge in ("", one.name)]
        found = [one for one in rankings(project, given=there, davidson=wanted.davidson) if one.ranking.battles.n]
        if not found:
            why = (
                "Nobody has preferred one answer of this project to another: no votes of people on pairs, no verdicts."
            )
            raise Refused(why + votes_elsewhere(project))
        parts = rankings(project, wanted.by, given=there, davidson=wanted.davidson) if wanted.by else []
        first, *others = found
        value = _whole(first, wanted) | {"others": [_whole(one, wanted) for one in others]}
        if wanted.by:
            value["groups"] = [{"group": one.group} | _whole(one, wanted) for one in parts]
        value["left_out"] = {side: dict(reasons) for side, reasons in given.left_out.items()}
        return Written(value, "\n\n".join(_words(one, wanted) for one in [*found, *parts]))


def _whole(one: Ranked, wanted: Wanted) -> dict[str, Any]:
    """position: of the battles that were decided, the share that the answer won which stood first. Of a group, all the
    same is about its items alone."""
    told = {"raters": one.side.name} | as_json(one.ranking)
    told |= {"position": {"first": figure(left_side(one.ranking.battles))}, "win_rates": matrix(one.ranking)}
    told["people"] = beside_row(one.people) if one.people else None
    told["style_controlled"] = _styled(one)
    told["recognised"] = _recognised(one, wanted)
    if wanted.beside is not None:
        told["beside"] = beside_row(beside(one.ranking, wanted.beside))
    return told


def _recognised(one: Ranked, wanted: Wanted) -> dict[str, Any] | None:
    """Votes by people who believe to know a model, and the ranking without them."""
    found = without_recognised(one, davidson=wanted.davidson)
    return None if found is None else {"votes": found[0], "without": as_json(found[1])}


def _styled(one: Ranked) -> dict[str, Any] | None:
    found = styled(one.side, one.fights)
    if found is None:
        return None
    fitted, standings = found
    weights = {name: figure(weight) for name, weight in fitted.weights.items()}
    return {"models": [model_row(each) for each in standings], "weights": weights}


def _words(one: Ranked, wanted: Wanted) -> str:
    heading = f"By {one.side.name}" + (f", {one.group or 'without a group'}" if one.group is not None else "")
    lines = [heading, in_words(one.ranking)]
    position = left_side(one.ranking.battles)
    if position.value is not None and position.low is not None and position.high is not None:
        bounds = f"{100 * position.low:.1f}–{100 * position.high:.1f}"
        lines.append(
            f"The answer that stood first won {100 * position.value:.1f} % ({bounds}) of {position.n} decided."
        )
    if position.note == ORDER_UNKNOWN:
        lines.append(f"The share that the first answer won: {position.note}")
    known = without_recognised(one, davidson=wanted.davidson)
    if known is not None:
        order = ", ".join(each.name for each in known[1].standings if each.strength is not None) or "nobody"
        lines.append(f"Somebody believed to know a model in {known[0]} votes. Ranked without them: {order}.")
    if one.people and one.people.kendall.value is not None:
        lines.append(f"Beside people: Kendall {one.people.kendall.value:.4f}, n = {one.people.kendall.n} authors.")
    if wanted.beside is not None:
        lines.append(_beside_words(beside(one.ranking, wanted.beside)))
    return "\n".join(lines)


def _beside_words(other: Beside) -> str:
    figures = (("Kendall", other.kendall), ("Spearman", other.spearman), ("Pearson", other.pearson))
    said = [f"{name} {_value(one, other.intervals[name.lower()])}" for name, one in figures]
    return f"Beside the other leaderboard: {', '.join(said)}; n = {other.kendall.n} authors."


def _value(one: Correlation, interval: Interval | None) -> str:
    if one.value is None:
        return "not defined"
    return f"{one.value:.4f}" + (f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else "")


REPORT = RankingReport()
