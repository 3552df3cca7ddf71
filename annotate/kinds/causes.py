"""Why a call or a job failed: one closed list, as stored, shown and counted (docs/causes.md)."""

from django.db.models.enums import TextChoices
from django.utils.translation import gettext_lazy as _


class Cause(TextChoices):
    """At most twenty; a fault that fits none of them is a defect of this program and called so."""

    RATE_LIMITED = "rate_limited", _("too many requests")
    SERVER_ERROR = "server_error", _("fault of the service")
    TIMEOUT = "timeout", _("no answer in time")
    CONNECTION = "connection", _("connection failed")
    UNAUTHORISED = "unauthorised", _("key refused")
    NO_KEY = "no_key", _("key not set")
    NOT_FOUND = "not_found", _("model or address not found")
    BAD_REQUEST = "bad_request", _("request refused")
    TOO_LONG = "too_long", _("longer than the model's context")
    NOT_THE_API = "not_the_api", _("not an answer of the API")
    TRUNCATED = "truncated", _("reply cut off")
    FILTERED = "filtered", _("stopped by a content filter")
    REFUSED = "refused", _("refused by the model")
    EMPTY = "empty", _("empty reply")
    NOT_JSON = "not_json", _("no JSON in the reply")
    WRONG_SHAPE = "wrong_shape", _("JSON of another shape")
    BUDGET = "budget", _("budget used up")
    CRASHED = "crashed", _("worker died on it")
    UNSUITABLE = "unsuitable", _("nothing to ask about this item")
    DEFECT = "defect", _("defect of this program")


# Another attempt may end better. The rest ends a step at once.
WORTH_ANOTHER_ATTEMPT = frozenset(
    {
        Cause.RATE_LIMITED,
        Cause.SERVER_ERROR,
        Cause.TIMEOUT,
        Cause.CONNECTION,
        Cause.NOT_THE_API,
        Cause.TRUNCATED,
        Cause.EMPTY,
        Cause.NOT_JSON,
        Cause.WRONG_SHAPE,
        Cause.REFUSED,
    }
)

# Every job would meet it, until somebody mends the endpoint, its key or its account (see breaker.py).
OF_THE_ENDPOINT = frozenset({Cause.UNAUTHORISED, Cause.NO_KEY, Cause.NOT_FOUND})
