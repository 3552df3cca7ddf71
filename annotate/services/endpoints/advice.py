"""What to do about each cause, in words for whoever set the endpoint up or started the run."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds.causes import Cause
from annotate.llm.addresses import NAME as SIMULATED
from annotate.models import Endpoint

# Placeholders: name, base_url, model, key_env, deadline, max_in_flight of the endpoint.
ADVICE: dict[Cause, str | Promise] = {
    Cause.RATE_LIMITED: _(
        "The service takes fewer requests than are sent. Lower the calls at a time (now %(max_in_flight)s) or enter "
        "its limits a minute, then try again."
    ),
    Cause.SERVER_ERROR: _("The service itself failed. Try again in a few minutes; if it stays, ask who runs it."),
    Cause.TIMEOUT: _(
        "No answer within %(deadline)s seconds. Is the service busy, or still loading the model? Allow more time, or "
        "send fewer calls at once."
    ),
    Cause.CONNECTION: _(
        "Nothing answers at %(base_url)s. Check host and port, whether the service runs, and whether a firewall lets "
        "this server out."
    ),
    Cause.UNAUTHORISED: _(
        "The service does not accept the key in %(key_env)s. Put the right one into the environment and start web "
        "server and worker anew; check that the key may use this model."
    ),
    Cause.NO_KEY: _(
        "%(key_env)s is not set where this ran. Set it in the environment of web server and worker, then start both "
        "anew."
    ),
    Cause.NOT_FOUND: _(
        "The service knows no model “%(model)s”, or the path is wrong. Compare the model's name letter by letter; the "
        "base URL usually ends in /v1."
    ),
    Cause.BAD_REQUEST: _(
        "The service refuses how it was asked, and its words do not say which parameter it does not take. They are "
        "below: check the parameters of the endpoint and of the run."
    ),
    Cause.TOO_LONG: _(
        "The text does not fit into the model's context. Choose a model with a longer one, or shorter items."
    ),
    Cause.NOT_THE_API: _(
        "Something else than an OpenAI-compatible API answers at %(base_url)s: a web page or a proxy. Check the path, "
        "which usually ends in /v1."
    ),
    Cause.TRUNCATED: _("The reply ended too early. Allow the model more tokens, or choose one that says less."),
    Cause.FILTERED: _(
        "The service's content filter stopped the reply. Choose another service for such items, or leave them out."
    ),
    Cause.REFUSED: _("The model does not want to answer this. Choose another model, or reword the prompt."),
    Cause.EMPTY: _("The reply holds no text. Try again; if it stays, the model's name or its chat template is wrong."),
    Cause.NOT_JSON: _(
        "The model answers in prose where JSON is wanted. Switch json_schema on, or choose another model."
    ),
    Cause.WRONG_SHAPE: _(
        "The JSON lacks what was asked for. Switch json_schema on, choose another model, or say the shape in the "
        "prompt."
    ),
    Cause.BUDGET: _("The budget of the run is used up. Raise it, then retry the failed jobs."),
    Cause.CRASHED: _("The worker died on this more than once. Look into its log, then retry the failed jobs."),
    Cause.UNSUITABLE: _(
        "The item has nothing that could be asked about. Look at it, and drop it if it does not belong here."
    ),
    Cause.DEFECT: _("This is a fault of Touchstone, not of the service. Report it with the lines of the log."),
}

NOT_RUNNING = _(
    "The simulated model is not running. Start it with `make run`, or with `manage.py simulated_model` in a terminal "
    "of its own."
)


def advice(cause: str, endpoint: Endpoint) -> str:
    """What to do, for this endpoint; empty for a word that is no cause."""
    if cause not in Cause.values:
        return ""
    if cause == Cause.CONNECTION and endpoint.base_url == SIMULATED:
        return str(NOT_RUNNING)
    return str(ADVICE[Cause(cause)]) % {
        "name": endpoint.name,
        "base_url": endpoint.base_url,
        "model": endpoint.model,
        "key_env": endpoint.key_env or "–",
        "deadline": endpoint.deadline,
        "max_in_flight": endpoint.max_in_flight,
    }
