"""What the ledger of a run proves after kills, retries and a budget; and what tests ask it in between."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.support.installation import Installation

LEDGER = """
from collections import Counter, defaultdict
from judging.models import Answer, Verdict
run = Run.objects.get(pk=pk)
calls = list(Call.objects.filter(job__run=run).order_by("pk").values("pk", "job", "step", "digest", "cause", "sent_at",
                                                                 "milliseconds", "cost", "attempt"))
read = Counter((c["job"], c["step"], c["digest"]) for c in calls if c["cause"] == "")
back = {(c["job"], c["step"], c["digest"]): c["pk"] for c in calls if c["cause"] == ""}
suggestions = Counter(Annotation.objects.filter(run=run).values_list("item", flat=True))
suggestions += Counter(Answer.objects.filter(job__run=run).values_list("job", flat=True))
suggestions += Counter(Verdict.objects.filter(job__run=run).values_list("job", flat=True))
result = {
    "state": run.state,
    "jobs": dict(Counter(run.jobs.values_list("state", flat=True))),
    "causes": dict(Counter(run.jobs.filter(state="failed").values_list("cause", flat=True))),
    "rows": len(calls),
    "read": sum(read.values()),
    "read_twice": sum(times > 1 for times in read.values()),
    "sent_after_a_reply": sum(c["pk"] > back.get((c["job"], c["step"], c["digest"]), c["pk"]) for c in calls),
    "unanswered": sum(c["cause"] is None for c in calls),
    "failed_calls": sum(bool(c["cause"]) for c in calls),
    "suggestions": sum(suggestions.values()),
    "most_suggestions": max(suggestions.values(), default=0),
    "subjects": run.jobs.values("subject").distinct().count(),
    "counted": run.calls,
    "cost": str(run.cost),
    "summed_cost": str(sum((c["cost"] for c in calls), 0)),
    "dearest": str(max((c["cost"] for c in calls), default=0)),
}
"""


@dataclass(frozen=True)
class Ledger:
    """suggestions: what its jobs left; of runs of judging answers and verdicts. causes: of failed jobs.

    unanswered: rows whose reply was never recorded, in flight at a kill.
    """

    state: str
    jobs: dict[str, int]
    causes: dict[str, int]
    rows: int
    read: int
    read_twice: int
    sent_after_a_reply: int
    unanswered: int
    failed_calls: int
    suggestions: int
    most_suggestions: int
    subjects: int
    counted: int
    cost: Decimal
    summed_cost: Decimal
    dearest: Decimal

    @property
    def done(self) -> int:
        return self.jobs.get("done", 0)

    def holds(self, *, jobs: int, kills: int, places: int) -> None:
        """Nothing lost, nothing doubled, nothing asked again whose reply was committed, every cent counted."""
        assert sum(self.jobs.values()) == self.subjects == jobs
        assert self.suggestions == self.done
        assert self.most_suggestions <= 1
        assert (self.read_twice, self.sent_after_a_reply) == (0, 0)
        assert self.unanswered <= kills * places
        assert self.rows == self.counted == self.read + self.failed_calls + self.unanswered
        assert self.cost == self.summed_cost


def ledger_of(installation: Installation, run: int) -> Ledger:
    told: dict[str, Any] = installation.python(LEDGER, pk=run)
    money = {name: Decimal(told[name]) for name in ("cost", "summed_cost", "dearest")}
    return Ledger(**told | money)
