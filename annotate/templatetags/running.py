"""How runs are put into figures and words. None of these asks the database."""

from decimal import Decimal

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from annotate.kinds.causes import Cause
from annotate.models import Call, Job, Run
from annotate.purposes import purposes
from annotate.services.runs.details import Told, told

register = template.Library()

LOOK_AT_A_REPLY = gettext_lazy("Look at a reply. Retry, or reword the prompt; models with strict JSON rarely do this.")
# What a lead can do about jobs that failed for a cause.
REMEDIES: dict[str, Promise] = {
    Cause.RATE_LIMITED: gettext_lazy("Lower the endpoint's calls at a time or requests a minute, then retry."),
    Cause.SERVER_ERROR: gettext_lazy("The service failed in every attempt. Wait until it works again, then retry."),
    Cause.TIMEOUT: gettext_lazy("Give the endpoint a longer deadline or fewer calls at a time, then retry."),
    Cause.CONNECTION: gettext_lazy("Test the endpoint: does the service run, is its address right? Then retry."),
    Cause.UNAUTHORISED: gettext_lazy(
        "The service does not take this key, or nothing is left on its account. Put a valid one into the endpoint's "
        "variable, restart, then retry."
    ),
    Cause.NO_KEY: gettext_lazy("Set the environment variable that the endpoint names, restart, then retry."),
    Cause.NOT_FOUND: gettext_lazy("Check the endpoint's base URL and the name of its model, then retry."),
    Cause.BAD_REQUEST: gettext_lazy(
        "The ledger of a job has the service's words. Parameters that it does not take are left out by themselves; "
        "this is about something else."
    ),
    Cause.TOO_LONG: gettext_lazy("Plan another run with a model of longer context, or with a shorter prompt."),
    Cause.NOT_THE_API: gettext_lazy(
        "Something else answers at this address, such as a proxy: see the ledger of a job."
    ),
    Cause.TRUNCATED: gettext_lazy("Retry, or take a model that may write longer replies."),
    Cause.FILTERED: gettext_lazy("Retrying seldom helps: write these by hand, or take another endpoint."),
    Cause.REFUSED: gettext_lazy("Reword the prompt and plan another run, or write these by hand."),
    Cause.EMPTY: gettext_lazy("Retry; if it stays so, take another model."),
    Cause.NOT_JSON: LOOK_AT_A_REPLY,
    Cause.WRONG_SHAPE: LOOK_AT_A_REPLY,
    Cause.BUDGET: gettext_lazy("Raise the budget, then retry."),
    Cause.CRASHED: gettext_lazy("The worker died with these in hand: its log says why. Then retry."),
    Cause.UNSUITABLE: gettext_lazy("These items lack what is asked about. There is nothing to mend."),
    Cause.DEFECT: gettext_lazy("A fault of Touchstone: please report what the job says, and retry after an update."),
}


@register.filter
def whole(number: int | None) -> str:
    """A whole number with its thousands set apart."""
    return "" if number is None else number_format(number, use_l10n=True, force_grouping=True)


def _rounded(number: float | Decimal, decimals: int) -> str:
    """As people write it; Django's own would cut off what it does not show."""
    return number_format(f"{number:.{decimals}f}", decimals, use_l10n=True, force_grouping=True)


@register.filter
def tokens(number: int) -> str:
    """A number of tokens, short: 950, 12.3 k, 4.90 M."""
    if number < 10_000:
        return whole(number)
    if number < 1_000_000:
        return f"{_rounded(number / 1000, 1)} k"
    return f"{_rounded(number / 1_000_000, 2)} M"


@register.simple_tag
def share(part: int, total: int) -> str:
    """A share in per cent; never 0 or 100 where it is not exactly that."""
    percent = 100 * part / total if total else 0
    if part and part < total:
        percent = min(max(percent, 0.1), 99.9)
    return _("%(n)s %%") % {"n": _rounded(percent, 1 if part not in (0, total) else 0)}


@register.filter
def money(usd: Decimal | None) -> str:
    """An amount in dollars: cents above ten cents, finer below."""
    if usd is None:
        return "–"
    if usd and abs(usd) < Decimal("0.0001"):
        return "< $0.0001"
    decimals = 2 if abs(usd) >= Decimal("0.1") or not usd else 4
    return f"${_rounded(usd, decimals)}"


@register.filter
def span(seconds: int | None) -> str:
    """A span of time in words, as coarse as a forecast is; empty where there is none."""
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
    return _("%(n)s s") % {"n": _rounded(milliseconds / 1000, 1 if milliseconds >= 1000 else 2)}


@register.filter
def cause_in_words(cause: str) -> str:
    return str(Cause(cause).label) if cause in Cause.values else cause


@register.filter
def remedy(cause: str) -> str:
    return str(REMEDIES.get(cause, ""))


@register.filter
def failure(failed: Job | Call) -> Told:
    """What went wrong with a job or a call: our sentence in the reader's language, and words that are not ours."""
    return told(failed.detail, failed.cause)


@register.filter
def purpose_name(slug: str) -> str:
    """What a run is for, also where this installation no longer has the purpose."""
    purpose = purposes().get(slug)
    return str(purpose.name) if purpose else slug


@register.simple_tag
def run_title(run: Run) -> str:
    """What a run is called: its number and what it is for."""
    number = _("Run %(n)s") % {"n": run.pk}
    return f"{number}{pgettext('between what it is about and what is said', ': ')}{purpose_name(run.purpose)}"
