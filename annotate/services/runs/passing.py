"""What a worker does with a pass that was left to it; see passes.py."""

import logging

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Pass, Run
from annotate.services.errors import LeaseLost
from annotate.services.runs import passes, planning, rereading

WORK = {Pass.Sort.PLANNING: planning.write_jobs, Pass.Sort.REREADING: rereading.read_jobs}
log = logging.getLogger(__name__)


def go_over(pk: int) -> None:
    """Bring a pass to its end, unless somebody else is at it. A database that is away ends it for now only."""
    run_pass = passes.claim(pk)
    if run_pass is None:
        return
    try:
        if run_pass.attempts > passes.DEATHS:
            _give_up(run_pass, passes.DIED)
        else:
            WORK[Pass.Sort(run_pass.sort)](run_pass)
    except LeaseLost:
        log.info("%s: somebody else has it, or it was ended", run_pass)
    except (OperationalError, InterfaceError):
        raise
    except Exception:  # it would come again at every attempt, and nobody would be told
        log.exception("%s", run_pass)
        _give_up(run_pass, passes.FAULT)


def _give_up(run_pass: Pass, why: str) -> None:
    """A run that cannot be planned is cancelled; one that cannot be read again stays as it is."""
    now = timezone.now()
    with transaction.atomic():
        if run_pass.sort == Pass.Sort.PLANNING:
            half = Run.objects.filter(pk=run_pass.run_id, state=Run.State.PLANNING)
            half.update(state=Run.State.CANCELLED, ended_at=now)
        passes.end(run_pass, why)


def why_cancelled(run: Run) -> str:
    """Why a run could not be planned, in a sentence; empty where a person cancelled it."""
    if run.state != Run.State.CANCELLED:
        return ""
    last_pass = Pass.objects.filter(run=run, sort=Pass.Sort.PLANNING).order_by("-pk").first()
    return in_words(last_pass.detail) if last_pass else ""


def in_words(detail: str) -> str:
    """Why a pass ended before it was through; empty where it is, or where somebody moved the run on."""
    if detail == passes.FAULT:
        return _("A fault in this program stopped it; the worker's log says more.")
    if detail == passes.DIED:
        return _("The worker died at it several times; its log says why.")
    return ""
