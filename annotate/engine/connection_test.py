"""The connection test of an endpoint: one small question, its result, and advice in words for whoever set it up."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.engine.addresses import SIMULATED
from annotate.engine.capabilities import Capabilities
from annotate.engine.endpoints import refuse_unless_callable, without_key
from annotate.kinds.protocol import Cause
from annotate.models import Endpoint


def in_words(endpoint: Endpoint) -> list[str]:
    """A sentence for each thing learned about the service; empty if nothing was refused yet."""
    capabilities = Capabilities.stored(endpoint.capabilities)
    sentences = []
    if capabilities.reply_format == "json_object":
        sentences.append(gettext("JSON is asked for as json_object, since json_schema was refused."))
    if capabilities.reply_format == "text":
        sentences.append(gettext("JSON is asked for in words only, since every response format was refused."))
    if capabilities.length_parameter == "max_completion_tokens":
        sentences.append(gettext("The length of a reply is limited by max_completion_tokens."))
    if not capabilities.length_parameter:
        sentences.append(gettext("The length of a reply cannot be limited: both names of the parameter were refused."))
    if capabilities.system_role == "developer":
        sentences.append(gettext("Instructions are sent as a developer message."))
    if capabilities.system_role == "user":
        sentences.append(gettext("Instructions stand before the first message of the user."))
    if capabilities.omitted:
        sentences.append(gettext("Left out: %(names)s.") % {"names": ", ".join(capabilities.omitted)})
    if capabilities.ignores_cap:
        sentences.append(
            gettext("A reply was longer than its limit, so a budget may be passed by what such replies cost more.")
        )
    return sentences


# Advice for each cause, in words for whoever set the endpoint up or started the run.


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
    """What to do about a cause at this endpoint; empty if the word is no cause."""
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


# The test: one small question to an endpoint, and its result in words.


@dataclass(frozen=True)
class ConnectionResult:
    """cause, what_to_do: empty if the service answered. detail: the service's own words, without its key.

    refusals: its messages about what it does not take; what they taught is stored with the endpoint.
    """

    ok: bool
    cause: str
    what_to_do: str
    detail: str
    milliseconds: int | None
    model: str
    refusals: Sequence[str] = ()


def tried(endpoint: Endpoint) -> ConnectionResult:
    """Send one request, outside of any run. Raises Refused if nothing may be sent there."""
    from annotate.engine import capabilities, client  # slow imports that a web process needs nowhere else

    refuse_unless_callable(endpoint)
    probe = client.probe(endpoint)
    if probe.simulated:
        capabilities.mark_simulated(endpoint)
    refusals = [without_key(words, endpoint) for words in probe.refusals]
    if probe.capabilities.as_json() and endpoint.pk:
        capabilities.keep_learned(endpoint, probe.capabilities, "; ".join(refusals))
        endpoint.refresh_from_db(fields=["capabilities", "refusals"])
    cause = Cause(probe.cause) if probe.cause else None
    return ConnectionResult(
        ok=probe.ok,
        cause=str(cause.label) if cause else "",
        what_to_do=advice(cause, endpoint) if cause else "",
        detail=without_key(probe.detail, endpoint),
        milliseconds=probe.milliseconds,
        model=without_key(probe.model, endpoint),
        refusals=refusals,
    )
