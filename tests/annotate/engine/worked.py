"""Runs of the small purpose, planned and worked against the faulty model."""

from typing import Any

from annotate.models import Run
from annotate.runs import actions
from annotate.runs.execution import progress, work
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import make_endpoint, planned


def started(model: FaultyModel, *, items: int = 1, **columns: Any) -> Run:
    asked = {name: columns.pop(name) for name in ("options", "budget", "shares_replies", "purpose") if name in columns}
    run = planned(make_endpoint(model.base_url, **columns), items=items, **asked)
    actions.start(run, None, ring=False)
    return run


def worked(model: FaultyModel, *, items: int = 1, **columns: Any) -> Run:
    run = started(model, items=items, **columns)
    work(run)
    return run


def causes(run: Run) -> dict[str, int]:
    return progress(run).causes


def runs_prompts(run: Run) -> Any:
    from annotate.engine.prompts import of_run

    return of_run(run)
