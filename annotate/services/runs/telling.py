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
    found = progress(run)
    verb = Verb.STOPPED if _stopped_early(found) else Verb.FINISHED
    with override(_language(run.started_by)):
        note = _in_words(run, str(purpose.name), found)
    notify(run.started_by, None, verb, by=None, project=run.project, run=run, note=note)


def tell_halted(run: Run) -> None:
    """It paused by itself; in the transaction that pauses it."""
    purpose = registry.purposes().get(run.purpose)
    if run.started_by is None or purpose is None or not purpose.offered:
        return
    found = progress(run)
    with override(_language(run.started_by)):
        words = _("Run %(run)d, %(purpose)s: paused with %(done)d of %(jobs)d jobs done. Cause: %(cause)s.") % {
            "run": run.pk,
            "purpose": str(purpose.name),
            "done": found.done,
            "jobs": found.jobs,
            "cause": Cause(run.cause).label,
        }
    notify(run.started_by, None, Verb.STOPPED, by=None, project=run.project, run=run, note=words)


def _stopped_early(found: Progress) -> bool:
    """Because the service refused one job after the other."""
    return _main_cause(found) in OF_THE_ENDPOINT


def _main_cause(found: Progress) -> str:
    return next(iter(found.causes), "")


def _in_words(run: Run, purpose: str, found: Progress) -> str:
    told = {"run": run.pk, "purpose": purpose, "done": found.done, "jobs": found.jobs, "failed": found.failed}
    if not found.failed:
        return _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs are done.") % told
    told["cause"] = Cause(_main_cause(found)).label
    words = _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs are done, %(failed)d failed, mostly: %(cause)s.")
    return words % told


def _language(user: User) -> str:
    return user.language or settings.LANGUAGE_CODE
