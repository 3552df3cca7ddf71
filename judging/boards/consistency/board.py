"""Consistency report: judges in both orders of a pair, and on checklists against people; 0..100 with two decimals."""

from typing import Any

from annotate.models import Project
from judging.access import everywhere
from judging.boards.board import Board
from judging.boards.options import BoardOptions
from judging.boards.report import (
    FIGURES,
    Refused,
    Report,
    ReportOptions,
    ReportOutput,
    figure_value,
    hundredths,
    table,
    votes_elsewhere,
)
from judging.models import Judge
from judging.ratings.branch_pairs import labels_of
from judging.ratings.consistency import (
    DIVISIONS,
    JudgeRate,
    Steadiness,
    SteadinessRow,
    consistency_rates,
    steadiness,
    without_ties,
)
from judging.ratings.raters import ratings
from judging.ratings.units import CHECKLIST, PREFERENCE
from lib.stats.figures import Figure

HEADER = ["judge", "group", "n", "agreement", "consistency", "acc. first order", "acc. consistent", "left out"]
RATES = ["judge", "author", "questions", "agreement", "answers", "full agreement"]


class Consistency(Report):
    slug = "consistency"
    about = "whether judges are consistent in both orders of a pair and agree with people; checklist consistency rate"
    divisions = DIVISIONS

    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        preferences, checklists = ratings(project, PREFERENCE), ratings(project, CHECKLIST)
        judge_steadiness = steadiness(project, options.by, given=preferences)
        rows = [row for row in judge_steadiness.rows if options.judge in ("", row.judge.name)]
        rates = [
            judge_rate
            for judge_rate in consistency_rates(project, given=checklists)
            if options.judge in ("", judge_rate.judge.name)
        ]
        if not rows and not rates:
            why = "There are no verdicts on pairs of answers, and no human votes on checklists that a judge answered."
            raise Refused(why + votes_elsewhere(project))
        without = [row for row in without_ties(judge_steadiness).rows if options.judge in ("", row.judge.name)]
        notes = [*_notes(judge_steadiness), *_labels(rows)]
        value = {
            "rows": [as_json(row) for row in rows],
            "without_ties": [as_json(row) for row in without],
            "checklists": [rate_as_json(judge_rate) for judge_rate in rates],
            "notes": notes,
        }
        return ReportOutput(value, _text(rows, without, rates, notes))


def as_json(row: SteadinessRow) -> dict[str, Any]:
    """One judge in one group; group is null for all pairs."""
    shares = {name: figure_value(getattr(row.orders, name)) for name in FIGURES}
    return {"judge": row.judge.name, "group": row.group, "n": row.orders.n, **shares}


def rate_as_json(judge_rate: JudgeRate) -> dict[str, Any]:
    """The consistency rate of FB-Bench: by evaluated author, then their plain mean."""
    rate = judge_rate.rate
    return {
        "judge": judge_rate.judge.name,
        "per_question": None if rate.per_question is None else hundredths(rate.per_question),
        "per_sample": None if rate.per_sample is None else hundredths(rate.per_sample),
        "authors": [
            {
                "author": author,
                "questions": alike.questions,
                "per_question": hundredths(alike.per_question),
                "samples": alike.samples,
                "per_sample": hundredths(alike.per_sample),
            }
            for author, alike in rate.authors.items()
        ],
        "skipped": {"one side says nothing": rate.skipped, "people are split": judge_rate.split},
    }


def _notes(judge_steadiness: Steadiness) -> list[str]:
    """Notes that a reader of the numbers needs."""
    notes = [
        f"{judge}: {count} verdicts could not be read and count as ties, as in its published figures."
        for judge, count in judge_steadiness.ties.items()
    ]
    for row in judge_steadiness.rows:
        pair_reasons = ", ".join(f"{count} with {why}" for why, count in sorted(row.left_out.items()))
        if pair_reasons:
            notes.append(f"{row.judge.name}{f' ({row.group})' if row.group else ''}: pairs left out: {pair_reasons}.")
    for side, reasons in judge_steadiness.left_out.items():
        notes += [f"Left out of the {side}: {count} {why}." for why, count in sorted(reasons.items()) if count]
    return notes


def _labels(rows: list[SteadinessRow]) -> list[str]:
    """For judges that we asked: whether the labels were kept or exchanged in the other order."""
    judges = {judge.pk: labels_of(judge) for judge in Judge.objects.filter(pk__in={row.judge.pk for row in rows})}
    labels_by_judge = {
        row.judge.name: judges.get(row.judge.pk or 0, "") for row in rows if row.orders.consistency.value is not None
    }
    return [f"{name}: labels in the swapped order: {labels}." for name, labels in labels_by_judge.items() if labels]


def _text(rows: list[SteadinessRow], without: list[SteadinessRow], rates: list[JudgeRate], notes: list[str]) -> str:
    parts = []
    if rows:
        about = "Per cent of n pairs. Agreement: consistent in both orders and equal to the human majority."
        parts += [about, "", table(HEADER, [_cells(row) for row in rows], left=2), ""]
    if without:
        about = "Without pairs where the human majority is “equal”:"
        parts += [about, "", table(HEADER, [_cells(row) for row in without], left=2), ""]
    if rates:
        about = "Per cent of checklist questions, and of whole answers, where the judge agrees with the human majority."
        lines = [line for judge_rate in rates for line in _rate_cells(judge_rate)]
        parts += [about, "", table(RATES, lines, left=2), ""]
    return "\n".join([*parts, *notes]).rstrip()


def _cells(row: SteadinessRow) -> list[str]:
    figures = [_number(getattr(row.orders, name)) for name in FIGURES]
    return [row.judge.name, row.group or "", str(row.orders.n), *figures, str(sum(row.left_out.values()))]


def _number(figure: Figure) -> str:
    return "" if figure.value is None else f"{hundredths(figure.value):.2f}"


def _rate_cells(judge_rate: JudgeRate) -> list[list[str]]:
    rate_row = rate_as_json(judge_rate)
    lines = [
        [judge_rate.judge.name, row["author"], str(row["questions"]), f"{row['per_question']:.2f}", str(row["samples"]),
         f"{row['per_sample']:.2f}"]
        for row in rate_row["authors"]
    ]  # fmt: skip
    if rate_row["per_question"] is None:
        return lines
    mean = [
        judge_rate.judge.name,
        "mean of authors",
        "",
        f"{rate_row['per_question']:.2f}",
        "",
        f"{rate_row['per_sample']:.2f}",
    ]
    return [*lines, mean]


BOARD: Board[BoardOptions, None] = Board(
    slug="consistency",
    name="Consistency",
    suits=everywhere,
    names_authors=False,
    shows_agreement=True,
    saves_views=False,
    reports=(Consistency(),),
)
