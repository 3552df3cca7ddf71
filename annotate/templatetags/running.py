"""Filters for the numbers and words of runs. None of them queries the database."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from annotate.engine.purposes import purposes
from annotate.kinds.protocol import Cause
from annotate.models import Call, Job, Run
from annotate.runs.failures import FailureText, failure_text
from annotate.web.number_formats import money, rounded, whole

register = template.Library()
register.filter(whole)
register.filter(money)

LOOK_AT_A_REPLY = gettext_lazy("Check a reply. Retry, or reword the prompt; models with strict JSON rarely do this.")
# cause -> what a lead can do about jobs that failed for it
REMEDIES: dict[str, Promise] = {
    Cause.RATE_LIMITED: gettext_lazy("Lower the endpoint's concurrent calls or requests per minute, then retry."),
    Cause.SERVER_ERROR: gettext_lazy("The service failed on every attempt. Wait until it works again, then retry."),
    Cause.TIMEOUT: gettext_lazy("Raise the endpoint's timeout or lower its concurrent calls, then retry."),
    Cause.CONNECTION: gettext_lazy("Test the endpoint: is the service running, and is its address right? Then retry."),
    Cause.UNAUTHORISED: gettext_lazy(
        "The service rejects this key, or the account has no credit left. Put a valid key into the "
        "endpoint's variable, restart, then retry."
    ),
    Cause.NO_KEY: gettext_lazy("Set the endpoint's environment variable, restart, then retry."),
    Cause.NOT_FOUND: gettext_lazy("Check the endpoint's base URL and the name of its model, then retry."),
    Cause.BAD_REQUEST: gettext_lazy(
        "The ledger of a job has the service's message. Unsupported parameters are left out automatically; "
        "this is something else."
    ),
    Cause.TOO_LONG: gettext_lazy("Plan another run with a longer-context model, or with a shorter prompt."),
    Cause.NOT_THE_API: gettext_lazy(
        "Something else answers at this address, such as a proxy. See the ledger of a job."
    ),
    Cause.TRUNCATED: gettext_lazy("Retry, or use a model that may write longer replies."),
    Cause.FILTERED: gettext_lazy("Retrying rarely helps: write these by hand, or use another endpoint."),
    Cause.REFUSED: gettext_lazy("Reword the prompt and plan another run, or write these by hand."),
    Cause.EMPTY: gettext_lazy("Retry. If this persists, use another model."),
    Cause.NOT_JSON: LOOK_AT_A_REPLY,
    Cause.WRONG_SHAPE: LOOK_AT_A_REPLY,
    Cause.BUDGET: gettext_lazy("Raise the budget, then retry."),
    Cause.CRASHED: gettext_lazy("The worker crashed on these; see its log. Then retry."),
    Cause.UNSUITABLE: gettext_lazy("These items lack what the prompt asks about. The message of a job says what."),
    Cause.DEFECT: gettext_lazy("A bug in Touchstone: please report the message of the job, and retry after an update."),
}


@register.filter
def tokens(number: int) -> str:
    """A number of tokens, short: 950, 12.3 k, 4.90 M."""
    if number < 10_000:
        return whole(number)
    if number < 1_000_000:
        return f"{rounded(number / 1000, 1)} k"
    return f"{rounded(number / 1_000_000, 2)} M"


@register.simple_tag
def share(part: int, total: int) -> str:
    """A share in per cent; 0 and 100 are shown only for exact values."""
    percent = 100 * part / total if total else 0
    if part and part < total:
        percent = min(max(percent, 0.1), 99.9)
    return _("%(n)s %%") % {"n": rounded(percent, 1 if part not in (0, total) else 0)}


@register.filter
def span(seconds: int | None) -> str:
    """A span of time in words, as coarse as a forecast; empty where there is none."""
    if seconds is None:
        return ""
    if seconds < 90:
        return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}
    minutes = round(seconds / 60)
    if minutes < 90:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    hours = round(minutes / 60)
    if hours < 48:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    days = round(hours / 24)
    return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}


@register.filter
def took(milliseconds: int | None) -> str:
    """How long something took, in seconds."""
    if milliseconds is None:
        return ""
    return _("%(n)s s") % {"n": rounded(milliseconds / 1000, 1 if milliseconds >= 1000 else 2)}


@register.filter
def cause_in_words(cause: str) -> str:
    return str(Cause(cause).label) if cause in Cause.values else cause


@register.filter
def remedy(cause: str) -> str:
    return str(REMEDIES.get(cause, ""))


@register.filter
def failure(failed: Job | Call) -> FailureText:
    """The failure of a job or a call: our sentence in the reader's language, with quoted messages of others."""
    return failure_text(failed.detail, failed.cause)


@register.filter
def purpose_name(slug: str) -> str:
    """The name of a run's purpose, also where this installation no longer has that purpose."""
    purpose = purposes().get(slug)
    return str(purpose.name) if purpose else slug


@register.simple_tag
def run_title(run: Run) -> str:
    """The title of a run: its number and its purpose."""
    number = _("Run %(n)s") % {"n": run.pk}
    return f"{number}{pgettext('between what it is about and what is said', ': ')}{purpose_name(run.purpose)}"
