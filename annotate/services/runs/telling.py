"""Whoever started a run hears how it ended, once: in the transaction that ends it."""

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate import purposes as registry
from annotate.kinds.causes import OF_THE_ENDPOINT, Cause
from annotate.models import Notification, Run, User
from annotate.services.notifying import notify
from annotate.services.runs.figures import Progress, progress

Verb = Notification.Verb


def tell(run: Run) -> None:
    """Nobody where only commands started it, or where it is part of a page that somebody waits at, as a trial is."""
    purpose = registry.purposes().get(run.purpose)
    if run.started_by is None or purpose is None or not purpose.offered:
        return
    run_progress = progress(run)
    verb = Verb.STOPPED if _stopped_early(run_progress) else Verb.FINISHED
    with override(_language(run.started_by)):
        note = _in_words(run, str(purpose.name), run_progress)
    notify(run.started_by, None, verb, by=None, project=run.project, run=run, note=note)


def tell_halted(run: Run) -> None:
    """It paused by itself; in the transaction that pauses it."""
    purpose = registry.purposes().get(run.purpose)
    if run.started_by is None or purpose is None or not purpose.offered:
        return
    run_progress = progress(run)
    with override(_language(run.started_by)):
        words = _("Run %(run)d, %(purpose)s: paused with %(done)d of %(jobs)d jobs done. Cause: %(cause)s.") % {
            "run": run.pk,
            "purpose": str(purpose.name),
            "done": run_progress.done,
            "jobs": run_progress.jobs,
            "cause": Cause(run.cause).label,
        }
    notify(run.started_by, None, Verb.STOPPED, by=None, project=run.project, run=run, note=words)


def _stopped_early(run_progress: Progress) -> bool:
    """Because the service refused one job after the other."""
    return _main_cause(run_progress) in OF_THE_ENDPOINT


def _main_cause(run_progress: Progress) -> str:
    return next(iter(run_progress.causes), "")


def _in_words(run: Run, purpose: str, run_progress: Progress) -> str:
    values = {
        "run": run.pk,
        "purpose": purpose,
        "done": run_progress.done,
        "jobs": run_progress.jobs,
        "failed": run_progress.failed,
    }
    if not run_progress.failed:
        return _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs are done.") % values
    values["cause"] = Cause(_main_cause(run_progress)).label
    words = _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs are done, %(failed)d failed, mostly: %(cause)s.")
    return words % values


def _language(user: User) -> str:
    return user.language or settings.LANGUAGE_CODE
