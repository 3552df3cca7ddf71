"""Whether judges may stand in for people: the numbers of the page of that name; shares 0..1, undefined is null."""

from typing import Any

from annotate.models import Project
from judging.models import Judge
from judging.services.comparing_raters.material import Material, material
from judging.services.comparing_raters.subjects import subjects
from judging.services.ratings import WHAT, Today
from judging.services.reports.base import Refused, Report, Wanted, Written, votes_elsewhere
from judging.services.reports.tables import table
from judging.services.trust.biases import BiasCard
from judging.services.trust.trusting import Tested, Trust, trust
from lib.stats.alternative_annotator import EPSILON, NOT_SHOWN, REFUTED, SHOWN
from lib.stats.bootstrap import SEED
from lib.stats.figures import Figure
from lib.stats.needs import Need, needed, two_digits
from lib.stats.prediction_powered import Corrected

TESTS = ["judge", "may stand in", "ω", "people", "advantage", "95 %", "n", "more items"]
MEANS = ["author", "corrected", "95 %", "judge alone", "labels alone", "n labelled", "n judged"]
DECIDED = {SHOWN: True, REFUTED: False, NOT_SHOWN: None}
CARDS = ["bias", "effect", "95 %", "n"]


class TrustReport(Report):
    slug = "trust"
    about = "whether judges may stand in for people: alternative annotator test, corrected means, calibration, biases"
    weighs = True

    def write(self, project: Project, wanted: Wanted) -> Written:
        today = Today(project)
        given = _given(today, wanted)
        judge = rating_judge(given, wanted.judge)
        epsilon = EPSILON if wanted.epsilon is None else wanted.epsilon
        found = trust(project, given, judge, epsilon=epsilon, today=today)
        return Written(told(found, given), _text(found))


def _given(today: Today, wanted: Wanted) -> Material:
    project = today.project
    there = [one for one in subjects(project) if wanted.what in ("", one.slug) and one.slug in WHAT]
    found = next((material(project, one, today) for one in there), None)
    if found is None or not found.judges:
        why = "No judge has rated what people vote on: it takes verdicts of a judge and votes on the same answers."
        raise Refused(why + votes_elsewhere(project))
    return found


def rating_judge(given: Material, name: str) -> Judge:
    """The judge of that name among those that have rated, without a name the first of them. Raises Refused."""
    there = list(Judge.objects.filter(pk__in=[one.number for one in given.judges]).order_by("name", "pk"))
    if not name:
        return there[0]
    found = [judge for judge in there if name == str(judge)] or [judge for judge in there if name == judge.name]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"“{judge}”" for judge in found or there)
    raise Refused(f"{'Several judges are' if found else 'No judge is'} called “{name}”. Judges: {known}.")


def told(found: Trust, given: Material) -> dict[str, Any]:
    """tests: of every judge; all else of the one judge."""
    names = {one.key: one.name for one in given.raters}
    calibrated = found.calibrated
    figures = {name: figure(getattr(calibrated, name)) for name in ("gap", "bias", "slope", "intercept")}
    return {
        "what": found.what,
        "judge": str(found.judge),
        "epsilon": found.epsilon,
        "seed": SEED,
        "tests": [_test(each, names) for each in found.tests],
        "corrected": [
            {
                "author": row.author,
                "skipped": row.skipped,
                "columns": {name: _mean(mean) for name, mean in row.columns.items()},
            }
            for row in found.corrected
        ],
        "labels_drawn_at_random": found.drawn,
        "tasks_together": found.together,
        "calibration": {
            **figures,
            "skipped": calibrated.skipped,
            "bins": [
                {"low": each.low, "high": each.high, "score": each.score, "rate": figure(each.rate)}
                for each in calibrated.bins
            ],
        },
        "biases": [_card(card) for card in found.cards],
        "leniency": [{"rater": names[card.rater], **figure(card.effect)} for card in found.leniency],
        "errors": {
            "labels": list(found.erring.labels),
            "note": found.erring.note,
            "raters": [
                {
                    "rater": names[each.rater],
                    "accuracy": figure(each.accuracy),
                    "errors": [[figure(cell) for cell in line] for line in each.errors],
                    "differing": len(each.differing),
                }
                for each in found.erring.raters
            ],
        },
        "left_out": {side: dict(reasons) for side, reasons in given.left_out.items()},
    }


def figure(each: Figure) -> dict[str, Any]:
    return {"value": each.value, "low": each.low, "high": each.high, "n": each.n, "note": each.note}


def _test(each: Tested, names: dict[str, str]) -> dict[str, Any]:
    result = each.result
    return {
        "judge": each.judge.name,
        "state": result.state,
        "passes": DECIDED[result.state],
        "winning_rate": figure(result.winning_rate),
        "advantage": figure(result.advantage),
        "more_items": _planned(result.more_items),
        "skipped": dict(result.skipped),
        "people": [
            {
                "person": names[who.key],
                "judge": figure(one.judge),
                "left_out": figure(one.left_out),
                "p": one.p,
                "p_published": one.p_published,
                "p_adjusted": one.p_adjusted,
                "p_worse_adjusted": one.worse_adjusted,
                "state": one.state,
                "wins": DECIDED[one.state],
                **_more(one.need),
                "note": one.note,
            }
            for who, one in zip(each.raters, result.people, strict=True)
        ],
    }


def _planned(each: Figure) -> dict[str, Any]:
    """A number to plan with: of two digits."""
    bounds = {"value": each.value, "low": each.low, "high": each.high}
    return figure(each) | {name: None if one is None else two_digits(one) for name, one in bounds.items()}


def _more(need: Need) -> dict[str, Any]:
    bounds = {"more": need.value, "more_low": need.low, "more_high": need.high}
    told: dict[str, Any] = {name: None if one is None else two_digits(one) for name, one in bounds.items()}
    return told | {"near_margin": need.near}


def _mean(mean: Corrected) -> dict[str, Any]:
    return {
        "corrected": figure(mean.corrected),
        "labelled_only": figure(mean.labelled_only),
        "judged_only": figure(mean.judged_only),
        "weight": mean.weight,
        "worth": mean.worth,
    }


def _card(card: BiasCard) -> dict[str, Any]:
    return {"bias": card.named, **figure(card.effect), "showing": len(card.leaning)}


def _text(found: Trust) -> str:
    tests = [_test_cells(each) for each in found.tests]
    means = [_mean_cells(row.author, row.columns["overall"]) for row in found.corrected]
    cards = [[card.named, _share(card.effect.value), _range(card.effect), str(card.effect.n)] for card in found.cards]
    notes = dict.fromkeys(each.result.more_items.note for each in found.tests if each.result.more_items.note)
    parts = [f"Alternative annotator test, ε = {found.epsilon}", "", table(TESTS, tests), "", *notes, ""]
    if means:
        parts += [f"Means, corrected by people's labels: {found.judge}", "", table(MEANS, means), ""]
    if not found.drawn:
        parts += ["Some votes come from files: the correction is valid only if their items were drawn at random.", ""]
    if found.together:
        parts += ["Groups count for nothing in these means: some have fewer than two labelled items.", ""]
    gap = found.calibrated.gap
    parts += [f"Calibration: gap {_share(gap.value)} ({_range(gap) or gap.note}), n = {gap.n}", ""]
    return "\n".join([*parts, table(CARDS, cards)])


def _test_cells(each: Tested) -> list[str]:
    result = each.result
    more = needed(result.more_items.value, result.more_items.low, result.more_items.high)
    rate, advantage = result.winning_rate, result.advantage
    return [
        each.judge.name, result.state.replace("_", " "), "" if rate.value is None else f"{rate.value:.2f}", str(rate.n),
        _share(advantage.value), _range(advantage), str(advantage.n), more,
    ]  # fmt: skip


def _mean_cells(author: str, mean: Corrected) -> list[str]:
    shown = [_share(each.value) for each in (mean.judged_only, mean.labelled_only)]
    counts = [str(mean.labelled_only.n), str(mean.judged_only.n)]
    return [author, _share(mean.corrected.value), _range(mean.corrected), *shown, *counts]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value * 100:.2f}"


def _range(each: Figure) -> str:
    return "" if each.low is None or each.high is None else f"{each.low * 100:.1f}–{each.high * 100:.1f}"


REPORT = TrustReport()
