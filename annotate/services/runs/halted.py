"""Why a run paused by itself, for people: the cause, what the service said, and what can be done."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.kinds.causes import Cause
from annotate.models import Run
from annotate.services.runs.details import Told, told

REMEDIES: Mapping[str, Promise] = {
    Cause.BUDGET: gettext_lazy("Raise the budget, then resume."),
    Cause.UNAUTHORISED: gettext_lazy(
        "The service does not take this key, or nothing is left on its account. Put a valid one into the endpoint's "
        "variable, restart, then resume."
    ),
    Cause.NO_KEY: gettext_lazy("Set the environment variable that the endpoint names, restart, then resume."),
    Cause.NOT_FOUND: gettext_lazy("Check the endpoint's base URL and the name of its model, then resume."),
    Cause.BAD_REQUEST: gettext_lazy(
        "The service refuses what it is sent, and does not say which parameter it does not take. Change the endpoint, "
        "then resume."
    ),
}


@dataclass(frozen=True)
class Halted:
    """words: what went wrong, as `told` gives it. remedy: what a lead can do; empty where nothing is known."""

    cause: Cause
    words: Told
    remedy: str


def why_halted(run: Run) -> Halted | None:
    """None unless the run is paused, and nobody paused it."""
    if run.state != Run.State.PAUSED or not run.cause:
        return None
    return Halted(Cause(run.cause), told(run.detail, run.cause), str(REMEDIES.get(run.cause, "")))
