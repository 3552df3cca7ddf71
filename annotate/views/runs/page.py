"""What the page of a run says: before the start, and while it goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.kinds.causes import Cause
from annotate.llm.budget import cap_is_kept
from annotate.models import PromptVersion, Run
from annotate.purposes import purposes
from annotate.services import runs as engine
from annotate.services.runs import why_cancelled
from annotate.services.runs.items import OF_THE_RUN, filters_of, reasons, stored
from annotate.views.runs.options import PREFIX
from lib.texts import raw_messages

SHORTEST, LONGEST = 3, 30  # seconds between two looks at a run
ENOUGH_FOR_A_FORECAST = 20
FIXED_FILL = {"done": "ok", "leased": "info", "failed": "danger", "cancelled": "2", "pending": "hollow"}
ENDED = (Run.State.FINISHED, Run.State.CANCELLED)


def plan(run: Run) -> dict[str, Any]:
    """The context of a run that was not started yet."""
    estimate = engine.estimate(run)
    too_dear = run.budget is not None and estimate.cost is not None and estimate.cost > run.budget
    return {
        "run": run,
        "estimate": estimate,
        "unit": engine.purpose_of(run).unit,
        "left_out": reasons(run, estimate.jobs),
        "why_nothing": engine.why_nothing(run),
        "too_dear": too_dear,
    } | described(run)


def described(run: Run) -> dict[str, Any]:
    """What a run was planned to do, as its page tells it; one query, for the prompts."""
    purpose = purposes().get(run.purpose)
    return {
        "own_options": purpose.told_options(run) if purpose else {},
        "limit": run.options.get("limit"),
        "filter": urlencode(stored(filters_of(run))),
        "prompts": list(_prompts(run)),
        "another": another(run),
    }


def _prompts(run: Run) -> QuerySet[PromptVersion]:
    """Without their texts, but for whether these are raw messages."""
    used = PromptVersion.objects.filter(runs=run).defer("text")
    return used.annotate(is_raw=Q(text__startswith=raw_messages.TITLE))


def another(run: Run) -> str:
    """The query of a plan form that is filled in as this run was; empty where no form plans such a run."""
    purpose = purposes().get(run.purpose)
    purpose_options = {name: value for name, value in run.options.items() if name not in OF_THE_RUN}
    if purpose is None or not purpose.offered or any(isinstance(value, dict) for value in purpose_options.values()):
        return ""  # no form asks for something as large as the cases of a sample
    parameters = {"run-purpose": run.purpose, "run-endpoint": run.endpoint.name, **stored(filters_of(run))}
    if run.budget is not None:
        parameters["run-budget"] = f"{run.budget.normalize():f}"
    parameters |= {f"run-{PREFIX}{name}": value for name, value in purpose_options.items()}
    return urlencode(parameters, doseq=True)


@dataclass(frozen=True)
class Cost:
    """What was spent, and where it leads. forecast: None while too few jobs have ended to say.

    reserved: for calls in flight, and for those whose price nobody has heard. is_promised: the budget is never passed.
    """

    spent: Decimal
    budget: Decimal | None
    forecast: Decimal | None
    reserved: Decimal = Decimal(0)
    is_promised: bool = True

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """The bar: spent, still to come by the forecast, free up to the budget."""
        to_come = max((self.forecast or self.spent) - self.spent, Decimal(0))
        free = max((self.budget or Decimal(0)) - self.spent - to_come, Decimal(0))
        return [("1", float(self.spent)), ("2", float(to_come)), ("hollow", float(free))]

    @property
    def ends_at_the_budget(self) -> bool:
        return self.budget is not None and self.forecast is not None and self.forecast > self.budget


def cost(run: Run, progress: engine.Progress) -> Cost:
    ended = progress.done + progress.failed
    forecast = None
    if run.state == Run.State.RUNNING and ended >= ENOUGH_FOR_A_FORECAST:
        forecast = progress.cost * (progress.jobs - progress.cancelled) / ended
    is_promised = run.budget is None or cap_is_kept(run.endpoint)
    return Cost(progress.cost, run.budget, forecast, run.reserved, is_promised)


def live(run: Run, *, seen: str = "") -> dict[str, Any]:
    """The context of a run under way or ended. seen: `mark-seconds` of the page before, which says how long to wait."""
    progress = engine.progress(run)
    mark = _mark(run, progress)
    return {
        "run": run,
        "progress": progress,
        "parts": [(fill, getattr(progress, name)) for name, fill in FIXED_FILL.items()],
        "causes": sorted(progress.causes.items(), key=lambda entry: (-entry[1], entry[0])),
        "cost": cost(run, progress),
        "can": possible(run, progress),
        "budget_is_spent": is_spent(run, progress),
        "why_cancelled": why_cancelled(run),
        "why_halted": engine.why_halted(run),
        "mark": mark,
        "period": None if run.state in ENDED and not progress.leased else period(mark, seen),
        "now": timezone.now(),
    }


def _mark(run: Run, progress: engine.Progress) -> str:
    """Equal as long as nothing has changed that the page shows."""
    jobs = (progress.pending, progress.leased, progress.orphaned, progress.done, progress.failed)
    shown_state = (run.state, run.budget, jobs, progress.calls)
    return sha256(repr(shown_state).encode()).hexdigest()[:12]


def period(mark: str, previous_mark: str) -> int:
    """Seconds until the next look: the shortest after a change, twice the time before as long as nothing changes."""
    old_mark, _dash, seconds = previous_mark.partition("-")
    if old_mark != mark or not (seconds.isascii() and seconds.isdigit() and len(seconds) < 4):
        return SHORTEST
    return min(max(2 * int(seconds), SHORTEST), LONGEST)


def is_spent(run: Run, progress: engine.Progress) -> bool:
    """Whether its budget is used up: nothing more is sent before somebody raises it."""
    stopped = run.state == Run.State.PAUSED and run.cause == Cause.BUDGET
    return run.budget is not None and (stopped or progress.cost >= run.budget)


def possible(run: Run, progress: engine.Progress) -> set[str]:
    """What a lead may do with a run in this state."""
    verbs = {
        Run.State.PLANNING: {"cancel"},
        Run.State.RUNNING: {"pause", "cancel"},
        Run.State.PAUSED: {"resume", "cancel"},
        Run.State.FINISHED: set(),
    }.get(Run.State(run.state))
    if verbs is None:
        return set()
    if run.state == Run.State.PLANNING:
        return verbs
    if progress.failed and not is_spent(run, progress):  # else everything would fail for the budget again
        verbs = verbs | {"retry"}
    if run.budget is not None:
        verbs = verbs | {"budget"}
    return verbs
