"""Trust report: whether judges can replace people, with the numbers of the page; shares 0..1, undefined is null."""

from typing import Any

from annotate.models import Project
from judging.boards.report import Refused, Report, ReportOptions, ReportOutput, table, votes_elsewhere
from judging.boards.trust.biases import JudgeBiasCard
from judging.boards.trust.judge_tests import Tested
from judging.boards.trust.numbers import Trust, trust
from judging.models import Judge
from judging.ratings.rating_subjects import weighed_subjects, why_not_compared
from judging.ratings.tables import UnitTable, unit_table
from judging.ratings.units import Today
from lib.stats.alternative_annotator import EPSILON, NOT_SHOWN, REFUTED, SHOWN
from lib.stats.bootstrap import SEED
from lib.stats.figures import Figure
from lib.stats.leave_one_out import SimilarityToOthers
from lib.stats.prediction_powered import CorrectedMean
from lib.stats.sample_size import Need, needed, two_digits

TESTS = ["judge", "can replace", "ω", "people", "advantage", "95 %", "n", "more items"]
MEANS = ["author", "corrected", "95 %", "judge only", "labels only", "n labelled", "n judged"]
LIKENESS = ["judge", "person left out", "95 %", "judge instead", "95 %", "difference", "95 %", "n"]
DECIDED = {SHOWN: True, REFUTED: False, NOT_SHOWN: None}
CARDS = ["bias", "effect", "95 %", "n"]


class TrustReport(Report):
    slug = "trust"
    about = (
        "whether judges can replace human annotators: alternative annotator test, corrected means, calibration, biases"
    )
    weighs = True

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        today = Today(project)
        material = _unit_table(today, options)
        judge = rating_judge(material, options.judge)
        epsilon = EPSILON if options.epsilon is None else options.epsilon
        trust_result = trust(project, material, judge, epsilon=epsilon, today=today)
        return ReportOutput(trust_as_json(trust_result, material), _text(trust_result))


def _unit_table(today: Today, options: ReportOptions) -> UnitTable:
    project = today.project
    rated_subjects = [
        subject for subject in weighed_subjects(project) if options.what in ("", subject.slug, subject.question)
    ]
    subject_material = next((unit_table(project, subject, today) for subject in rated_subjects), None)
    if reason := why_not_compared(project.kind, options.what):
        raise Refused(reason)
    if subject_material is None or not subject_material.judges:
        why = (
            "There are no verdicts on the answers that people vote on: judge verdicts and votes on the same "
            "answers, or answers of both to own questions, are needed."
        )
        raise Refused(why + votes_elsewhere(project))
    return subject_material


def rating_judge(material: UnitTable, name: str) -> Judge:
    """The judge with that name among those that have rated; without a name the first of them. Raises Refused."""
    judges = list(Judge.objects.filter(pk__in=[rater.number for rater in material.judges]).order_by("name", "pk"))
    if not name:
        return judges[0]
    matches = [judge for judge in judges if name == str(judge)] or [judge for judge in judges if name == judge.name]
    if len(matches) == 1:
        return matches[0]
    judge_names = ", ".join(f"“{judge}”" for judge in matches or judges)
    raise Refused(f"{'Several judges are' if matches else 'No judge is'} called “{name}”. Judges: {judge_names}.")


def trust_as_json(trust_result: Trust, material: UnitTable) -> dict[str, Any]:
    """The JSON; `tests` covers every judge, everything else the one judge."""
    names = {rater.key: rater.name for rater in material.raters}
    calibrated = trust_result.calibrated
    figures = {name: figure(getattr(calibrated, name)) for name in ("gap", "bias", "slope", "intercept")}
    return {
        "what": material.subject.word,
        "judge": str(trust_result.judge),
        "epsilon": trust_result.epsilon,
        "seed": SEED,
        "tests": [_test(test, names, material.subject.graded or "equal") for test in trust_result.tests],
        "corrected": [
            {
                "author": row.author,
                "skipped": row.skipped,
                "columns": {name: _mean(mean) for name, mean in row.columns.items()},
            }
            for row in trust_result.corrected
        ],
        "labels_drawn_at_random": trust_result.drawn,
        "tasks_together": trust_result.together,
        "calibration": {
            **figures,
            "skipped": calibrated.skipped,
            "bins": [
                {"low": score_bin.low, "high": score_bin.high, "score": score_bin.score, "rate": figure(score_bin.rate)}
                for score_bin in calibrated.bins
            ],
        },
        "biases": [_card(card) for card in trust_result.cards],
        "leniency": [{"rater": names[card.rater], **figure(card.effect)} for card in trust_result.leniency],
        "errors": {
            "labels": list(trust_result.erring.labels),
            "note": trust_result.erring.note,
            "raters": [
                {
                    "rater": names[rater_errors.rater],
                    "accuracy": figure(rater_errors.accuracy),
                    "errors": [[figure(cell) for cell in line] for line in rater_errors.errors],
                    "differing": len(rater_errors.differing),
                }
                for rater_errors in trust_result.erring.raters
            ],
        },
        "left_out": {side: dict(reasons) for side, reasons in material.left_out.items()},
    }


def figure(estimate: Figure) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n, "note": estimate.note}


def _test(test: Tested, names: dict[str, str], measure: str) -> dict[str, Any]:
    result, likeness = test.result, test.likeness[1] if test.likeness else ()
    return {
        "judge": test.judge.name,
        "state": result.state,
        "passes": DECIDED[result.state],
        "winning_rate": figure(result.winning_rate),
        "advantage": figure(result.advantage),
        "more_items": _planned(result.more_items),
        "skipped": dict(result.skipped),
        **({"similarity": {"measure": measure, **_likeness(test.likeness[0])}} if test.likeness else {}),
        "people": [
            {
                "person": names[who.key],
                "judge": figure(person_result.judge),
                "left_out": figure(person_result.left_out),
                "p": person_result.p,
                "p_published": person_result.p_published,
                "p_adjusted": person_result.p_adjusted,
                "p_worse_adjusted": person_result.worse_adjusted,
                "state": person_result.state,
                "wins": DECIDED[person_result.state],
                **_more(person_result.need),
                "note": person_result.note,
                **({"similarity": _likeness(likeness[number])} if likeness else {}),
            }
            for number, (who, person_result) in enumerate(zip(test.raters, result.people, strict=True))
        ],
    }


def _likeness(similarity: SimilarityToOthers) -> dict[str, Any]:
    return {name: figure(getattr(similarity, name)) for name in ("person", "judge", "difference")}


def _planned(estimate: Figure) -> dict[str, Any]:
    """A number for planning, rounded to two digits."""
    bounds = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return figure(estimate) | {name: None if bound is None else two_digits(bound) for name, bound in bounds.items()}


def _more(need: Need) -> dict[str, Any]:
    bounds = {"more": need.value, "more_low": need.low, "more_high": need.high}
    row: dict[str, Any] = {name: None if bound is None else two_digits(bound) for name, bound in bounds.items()}
    return row | {"near_margin": need.near}


def _mean(mean: CorrectedMean) -> dict[str, Any]:
    return {
        "corrected": figure(mean.corrected),
        "labelled_only": figure(mean.labelled_only),
        "judged_only": figure(mean.judged_only),
        "weight": mean.weight,
        "worth": mean.worth,
    }


def _card(card: JudgeBiasCard) -> dict[str, Any]:
    return {"bias": card.named, **figure(card.effect), "showing": len(card.leaning)}


def _text(trust_result: Trust) -> str:
    tests = [_test_cells(test) for test in trust_result.tests]
    means = [_mean_cells(row.author, row.columns["overall"]) for row in trust_result.corrected]
    cards = [
        [card.named, _share(card.effect.value), _range(card.effect), str(card.effect.n)] for card in trust_result.cards
    ]
    notes = dict.fromkeys(test.result.more_items.note for test in trust_result.tests if test.result.more_items.note)
    parts = [f"Alternative annotator test, ε = {trust_result.epsilon}", "", table(TESTS, tests), "", *notes, ""]
    likeness = [_likeness_cells(test.judge.name, test.likeness[0]) for test in trust_result.tests if test.likeness]
    if likeness:
        parts += ["Mean similarity with the other people", "", table(LIKENESS, likeness), ""]
    if means:
        parts += [f"Means corrected with human labels: {trust_result.judge}", "", table(MEANS, means), ""]
    if not trust_result.drawn:
        parts += ["Some votes come from files: the correction is valid only if their items were drawn at random.", ""]
    if trust_result.together:
        parts += ["Groups are ignored in these means: some have fewer than two labelled items.", ""]
    gap = trust_result.calibrated.gap
    parts += [f"Calibration: gap {_share(gap.value)} ({_range(gap) or gap.note}), n = {gap.n}", ""]
    return "\n".join([*parts, table(CARDS, cards)])


def _test_cells(test: Tested) -> list[str]:
    result = test.result
    more = needed(result.more_items.value, result.more_items.low, result.more_items.high)
    rate, advantage = result.winning_rate, result.advantage
    return [
        test.judge.name, result.state.replace("_", " "), "" if rate.value is None else f"{rate.value:.2f}", str(rate.n),
        _share(advantage.value), _range(advantage), str(advantage.n), more,
    ]  # fmt: skip


def _likeness_cells(judge: str, similarity: SimilarityToOthers) -> list[str]:
    figures = (similarity.person, similarity.judge, similarity.difference)
    cells = [cell for estimate in figures for cell in (_share(estimate.value), _range(estimate))]
    return [judge, *cells, str(similarity.judge.n)]


def _mean_cells(author: str, mean: CorrectedMean) -> list[str]:
    shares = [_share(estimate.value) for estimate in (mean.judged_only, mean.labelled_only)]
    counts = [str(mean.labelled_only.n), str(mean.judged_only.n)]
    return [author, _share(mean.corrected.value), _range(mean.corrected), *shares, *counts]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value * 100:.2f}"


def _range(estimate: Figure) -> str:
    return (
        "" if estimate.low is None or estimate.high is None else f"{estimate.low * 100:.1f}–{estimate.high * 100:.1f}"
    )
