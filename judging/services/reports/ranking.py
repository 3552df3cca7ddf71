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

    def write(self, project: Project, options: Wanted) -> Written:
        preferences = ratings(project, PREFERENCE)
        chosen_sides = [side for side in sides(project, preferences) if options.judge in ("", side.name)]
        ranked_sides = [
            ranked
            for ranked in rankings(project, given=chosen_sides, davidson=options.davidson)
            if ranked.ranking.battles.n
        ]
        if not ranked_sides:
            why = (
                "Nobody has preferred one answer of this project to another: no votes of people on pairs, no verdicts."
            )
            raise Refused(why + votes_elsewhere(project))
        parts = rankings(project, options.by, given=chosen_sides, davidson=options.davidson) if options.by else []
        first_ranked, *other_ranked = ranked_sides
        value = _whole(first_ranked, options) | {"others": [_whole(ranked, options) for ranked in other_ranked]}
        if options.by:
            value["groups"] = [{"group": ranked.group} | _whole(ranked, options) for ranked in parts]
        value["left_out"] = {side: dict(reasons) for side, reasons in preferences.left_out.items()}
        return Written(value, "\n\n".join(_words(ranked, options) for ranked in [*ranked_sides, *parts]))


def _whole(ranked: Ranked, options: Wanted) -> dict[str, Any]:
    """position: of the battles that were decided, the share that the answer won which stood first. Of a group, all the
    same is about its items alone."""
    row = {"raters": ranked.side.name} | as_json(ranked.ranking)
    row |= {"position": {"first": figure(left_side(ranked.ranking.battles))}, "win_rates": matrix(ranked.ranking)}
    row["people"] = beside_row(ranked.people) if ranked.people else None
    row["style_controlled"] = _styled(ranked)
    row["recognised"] = _recognised(ranked, options)
    if options.beside is not None:
        row["beside"] = beside_row(beside(ranked.ranking, options.beside))
    return row


def _recognised(ranked: Ranked, options: Wanted) -> dict[str, Any] | None:
    """Votes by people who believe to know a model, and the ranking without them."""
    blind_ranking = without_recognised(ranked, davidson=options.davidson)
    return None if blind_ranking is None else {"votes": blind_ranking[0], "without": as_json(blind_ranking[1])}


def _styled(ranked: Ranked) -> dict[str, Any] | None:
    style_result = styled(ranked.side, ranked.fights)
    if style_result is None:
        return None
    fitted, standings = style_result
    weights = {name: figure(weight) for name, weight in fitted.weights.items()}
    return {"models": [model_row(standing) for standing in standings], "weights": weights}


def _words(ranked: Ranked, options: Wanted) -> str:
    heading = f"By {ranked.side.name}" + (f", {ranked.group or 'without a group'}" if ranked.group is not None else "")
    lines = [heading, in_words(ranked.ranking)]
    position = left_side(ranked.ranking.battles)
    if position.value is not None and position.low is not None and position.high is not None:
        bounds = f"{100 * position.low:.1f}–{100 * position.high:.1f}"
        lines.append(
            f"The answer that stood first won {100 * position.value:.1f} % ({bounds}) of {position.n} decided."
        )
    if position.note == ORDER_UNKNOWN:
        lines.append(f"The share that the first answer won: {position.note}")
    blind_ranking = without_recognised(ranked, davidson=options.davidson)
    if blind_ranking is not None:
        order = (
            ", ".join(standing.name for standing in blind_ranking[1].standings if standing.strength is not None)
            or "nobody"
        )
        lines.append(f"Somebody believed to know a model in {blind_ranking[0]} votes. Ranked without them: {order}.")
    if ranked.people and ranked.people.kendall.value is not None:
        lines.append(
            f"Beside people: Kendall {ranked.people.kendall.value:.4f}, n = {ranked.people.kendall.n} authors."
        )
    if options.beside is not None:
        lines.append(_beside_words(beside(ranked.ranking, options.beside)))
    return "\n".join(lines)


def _beside_words(comparison: Beside) -> str:
    figures = (("Kendall", comparison.kendall), ("Spearman", comparison.spearman), ("Pearson", comparison.pearson))
    value_texts = [f"{name} {_value(correlation, comparison.intervals[name.lower()])}" for name, correlation in figures]
    return f"Beside the other leaderboard: {', '.join(value_texts)}; n = {comparison.kendall.n} authors."


def _value(correlation: Correlation, interval: Interval | None) -> str:
    if correlation.value is None:
        return "not defined"
    return f"{correlation.value:.4f}" + (f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else "")


REPORT = RankingReport()
