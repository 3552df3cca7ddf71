"""Report: settings of judge and reference over the same sampled cases (URS): means, rank correlations, differences."""

from typing import Any

from annotate.errors import Refused as Unfit
from annotate.models import Project
from judging.access import has_intents
from judging.boards.judge_settings.numbers import Crossed, SettingScores, crossed, named_runs, sampled_runs
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table
from judging.ratings.intent_scores import ALL, IntentMean, by_intent
from lib.stats.figures import Figure
from lib.stats.settings import SettingPair, pairs

NOTES = [
    "Every setting judged the same cases. Rank correlations are over authors: with few authors, even 1 means little.",
    "Differences: second setting minus first, over the cases that both scored.",
    "Intervals: paired bootstrap over cases; they do not cover other judges or references.",
]


class JudgeSettingsReport(Report):
    slug = "judge_settings"
    about = "up to five settings of judge and reference on the same sampled cases: means, rank correlations"
    compares_runs = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} have no user intents.")
        crossing = _crossed_settings(project, options)
        return ReportOutput(crossed_as_json(crossing), _text(crossing))


def crossed_as_json(crossing: Crossed) -> dict[str, Any]:
    compared = _pairs(crossing)
    rows = [(setting, row) for setting in crossing.settings for row in by_intent(setting.said) if row.language == ALL]
    return {
        "sample": {"seed": crossing.sample.seed, "cases": len(crossing.sample.items)},
        "settings": [setting_as_json(setting) for setting in crossing.settings],
        "rows": [_mean(setting, row) for setting, row in rows],
        "correlations": [_correlated(crossing, pair) for pair in compared],
        "differences": [difference for pair in compared for difference in _differences(crossing, pair)],
        "notes": NOTES,
    }


def _pairs(crossing: Crossed) -> list[SettingPair]:
    return pairs(crossing.values()) if crossing.authors() else []


def _crossed_settings(project: Project, options: ReportOptions) -> Crossed:
    try:
        if options.runs:
            return crossed(project, named_runs(project, options.runs))
        run_groups = sampled_runs(project)
        if not run_groups:
            raise Refused("No settings are planned yet: judge_settings SLUG --setting ENDPOINT:REFERENCE … --items N.")
        return crossed(project, run_groups[0])
    except Unfit as unfit:
        raise Refused(str(unfit)) from unfit


def setting_as_json(setting: SettingScores) -> dict[str, Any]:
    return {
        "run": setting.run.pk,
        "judge": setting.run.endpoint.model,
        "reference": setting.reference,
        "simulated": setting.run.endpoint.simulated,
        "n": len(setting.said),
        "unread": setting.unread,
        "outdated": setting.outdated,
        "open": setting.open,
        "failed": setting.failed,
    }


def _mean(setting: SettingScores, row: IntentMean) -> dict[str, Any]:
    return {"run": setting.run.pk, "author": row.author, "intent": row.group, **_figure(row.figure, "mean")}


def _correlated(crossing: Crossed, pair: SettingPair) -> dict[str, Any]:
    coefficients = {name: _figure(getattr(pair, name), name) for name in ("spearman", "kendall")}
    return {
        "runs": _runs(crossing, pair),
        "authors": pair.spearman.n,
        **{name: figure_row[name] for name, figure_row in coefficients.items()},
        **{f"{name}_interval": figure_row["interval"] for name, figure_row in coefficients.items()},
        "answers": _figure(pair.answers, "pearson"),
    }


def _differences(crossing: Crossed, pair: SettingPair) -> list[dict[str, Any]]:
    figures = zip([*crossing.authors(), ALL], [*pair.by_author, pair.mean], strict=True)
    return [
        {"runs": _runs(crossing, pair), "author": author, **_figure(figure, "difference")} for author, figure in figures
    ]


def _runs(crossing: Crossed, pair: SettingPair) -> list[int]:
    return [crossing.settings[index].run.pk for index in (pair.first, pair.second)]


def _figure(figure: Figure, name: str) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    return {name: figure.value, "interval": interval, "n": figure.n} | ({"note": figure.note} if figure.note else {})


def _text(crossing: Crossed) -> str:
    authors = sorted({score.author for setting in crossing.settings for score in setting.said})
    means = [[f"{setting.run.pk}", setting.name, *_cells(setting, authors)] for setting in crossing.settings]
    ranks = [
        [" – ".join(map(str, _runs(crossing, pair))), _coefficient(pair.spearman), _coefficient(pair.kendall),
         _coefficient(pair.answers), _coefficient(pair.mean)]
        for pair in _pairs(crossing)
    ]  # fmt: skip
    lines = [table(["run", "judge / reference", *authors], means, left=2), ""]
    if ranks:
        lines += [table(["runs", "Spearman", "Kendall", "answers (r)", "difference"], ranks), ""]
    head = f"{len(crossing.sample.items)} cases, drawn with seed {crossing.sample.seed}."
    return "\n".join([head, "", *lines, *NOTES])


def _cells(setting: SettingScores, authors: list[str]) -> list[str]:
    means = {row.author: row.figure.value for row in by_intent(setting.said) if (row.group, row.language) == (ALL, ALL)}
    return ["" if means.get(author) is None else f"{means[author]:.2f}" for author in authors]


def _coefficient(figure: Figure) -> str:
    if figure.value is None:
        return ""
    between = "" if figure.low is None or figure.high is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{between}"
