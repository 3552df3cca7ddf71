"""Settings of judge and reference over the same sampled cases (URS): means, rank correlations, differences."""

from typing import Any

from annotate.models import Project
from annotate.services.errors import Refused as Unfit
from judging.services.intents.reading import ALL, has_intents
from judging.services.intents.tables import Row, by_intent
from judging.services.judge_settings.reading import Crossed, Told, crossed, named_runs, sampled_runs
from judging.services.reports.base import Refused, Report, Wanted, Written
from judging.services.reports.tables import table
from lib.stats.figures import Figure
from lib.stats.settings import Pair, pairs

NOTES = [
    "Every setting judged the same cases. Correlations of ranks are over authors: with few of them even 1 says little.",
    "Differences are the second setting less the first, over the cases that both could score.",
    "Intervals: cases drawn again, the same for all; they say nothing about other judges or references.",
]


class JudgeSettingsReport(Report):
    slug = "judge_settings"
    about = "up to five settings of judge and reference over the same sampled cases: means, rank correlations"
    compares_runs = True

    def write(self, project: Project, wanted: Wanted) -> Written:
        if not has_intents(project):
            raise Refused(f"Items of the kind {project.kind_slug} say nothing of what their users wanted.")
        found = _found(project, wanted)
        compared = pairs(found.values()) if found.authors() else []
        rows = [(told, row) for told in found.settings for row in by_intent(told.said) if row.language == ALL]
        value = {
            "sample": {"seed": found.sample.seed, "cases": len(found.sample.items)},
            "settings": [setting_as_json(told) for told in found.settings],
            "rows": [_mean(told, row) for told, row in rows],
            "correlations": [_correlated(found, pair) for pair in compared],
            "differences": [one for pair in compared for one in _differences(found, pair)],
            "notes": NOTES,
        }
        return Written(value, _text(found, compared))


def _found(project: Project, wanted: Wanted) -> Crossed:
    try:
        if wanted.runs:
            return crossed(project, named_runs(project, wanted.runs))
        there = sampled_runs(project)
        if not there:
            raise Refused("No settings are planned yet: judge_settings SLUG --setting ENDPOINT:REFERENCE … --items N.")
        return crossed(project, there[0])
    except Unfit as unfit:
        raise Refused(str(unfit)) from unfit


def setting_as_json(told: Told) -> dict[str, Any]:
    return {
        "run": told.run.pk,
        "judge": told.run.endpoint.model,
        "reference": told.reference,
        "simulated": told.run.endpoint.simulated,
        "n": len(told.said),
        "unread": told.unread,
        "outdated": told.outdated,
        "open": told.open,
        "failed": told.failed,
    }


def _mean(told: Told, row: Row) -> dict[str, Any]:
    return {"run": told.run.pk, "author": row.author, "intent": row.group, **_figure(row.figure, "mean")}


def _correlated(found: Crossed, pair: Pair) -> dict[str, Any]:
    coefficients = {name: _figure(getattr(pair, name), name) for name in ("spearman", "kendall")}
    return {
        "runs": _runs(found, pair),
        "authors": pair.spearman.n,
        **{name: told[name] for name, told in coefficients.items()},
        **{f"{name}_interval": told["interval"] for name, told in coefficients.items()},
        "answers": _figure(pair.answers, "pearson"),
    }


def _differences(found: Crossed, pair: Pair) -> list[dict[str, Any]]:
    each = zip([*found.authors(), ALL], [*pair.by_author, pair.mean], strict=True)
    return [{"runs": _runs(found, pair), "author": author, **_figure(figure, "difference")} for author, figure in each]


def _runs(found: Crossed, pair: Pair) -> list[int]:
    return [found.settings[place].run.pk for place in (pair.first, pair.second)]


def _figure(figure: Figure, name: str) -> dict[str, Any]:
    interval = None if figure.low is None or figure.high is None else [figure.low, figure.high]
    return {name: figure.value, "interval": interval, "n": figure.n} | ({"note": figure.note} if figure.note else {})


def _text(found: Crossed, compared: list[Pair]) -> str:
    authors = sorted({one.author for told in found.settings for one in told.said})
    means = [[f"{told.run.pk}", told.name, *_cells(told, authors)] for told in found.settings]
    ranks = [
        [" – ".join(map(str, _runs(found, pair))), _coefficient(pair.spearman), _coefficient(pair.kendall),
         _coefficient(pair.answers), _coefficient(pair.mean)]
        for pair in compared
    ]  # fmt: skip
    lines = [table(["run", "judge / reference", *authors], means, left=2), ""]
    if ranks:
        lines += [table(["runs", "Spearman", "Kendall", "answers (r)", "difference"], ranks), ""]
    head = f"{len(found.sample.items)} cases, drawn with the seed {found.sample.seed}."
    return "\n".join([head, "", *lines, *NOTES])


def _cells(told: Told, authors: list[str]) -> list[str]:
    means = {row.author: row.figure.value for row in by_intent(told.said) if (row.group, row.language) == (ALL, ALL)}
    return ["" if means.get(author) is None else f"{means[author]:.2f}" for author in authors]


def _coefficient(figure: Figure) -> str:
    if figure.value is None:
        return ""
    between = "" if figure.low is None or figure.high is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{between}"


REPORT = JudgeSettingsReport()
