"""What judges of own questions cost, beside their agreement with people about criteria."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Sum

from judging.boards.agreement.judged_questions import question_headline
from judging.boards.agreement.numbers import Headline, JudgeHeadline
from judging.models import Judge, JudgeRun, Verdict
from judging.ratings.units import Today

SUMS = ("calls", "tokens_in", "tokens_out", "cost")  # of a run


@dataclass(frozen=True)
class JudgeCost:
    """items: those that the judge has answered about. calls, tokens_in, tokens_out, cost (USD): of all its runs, for
    all questions that it is asked. agreements: with people, for each of the questions with criteria; None without any.
    """

    judge: Judge
    items: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    agreements: Sequence[JudgeHeadline | None] = ()

    @property
    def calls_an_item(self) -> float | None:
        return self.calls / self.items if self.items else None

    @property
    def cost_an_item(self) -> Decimal | None:
        return self.cost / self.items if self.items and self.cost else None

    def as_json(self) -> dict[str, Any]:
        row = {"name": str(self.judge), "items": self.items, **{name: getattr(self, name) for name in SUMS[:-1]}}
        return row | {"cost": float(self.cost)}


def judge_costs(today: Today, names: Sequence[str]) -> list[JudgeCost]:
    """Of the judges that this program has asked, two queries. names: of the questions with criteria."""
    runs = JudgeRun.objects.filter(judge__project=today.project).values("judge").order_by()
    sums: Mapping[int, Mapping[str, Any]] = {
        row["judge"]: row for row in runs.annotate(**{name: Sum(f"run__{name}") for name in SUMS})
    }
    verdicts = Verdict.objects.filter(judge__in=sums).values("judge").order_by()
    items = dict(verdicts.annotate(n=Count("item", distinct=True)).values_list("judge", "n"))
    headlines = [question_headline(today, name) for name in names]
    return [
        JudgeCost(
            judge,
            items.get(judge.pk, 0),
            **{name: sums[judge.pk][name] for name in SUMS},
            agreements=[_with_people(headline, judge) for headline in headlines],
        )
        for judge in today.judges
        if judge.pk in sums
    ]


def _with_people(headline: Headline | None, judge: Judge) -> JudgeHeadline | None:
    judges = headline.judges if headline else ()
    return next((entry for entry in judges if entry.judge.number == judge.pk), None)
