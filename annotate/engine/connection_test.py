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
        sentences.append(gettext("JSON is requested as json_object, because json_schema was refused."))
    if capabilities.reply_format == "text":
        sentences.append(gettext("JSON is requested in the prompt only, because every response format was refused."))
    if capabilities.length_parameter == "max_completion_tokens":
        sentences.append(gettext("The reply length is limited with max_completion_tokens."))
    if not capabilities.length_parameter:
        sentences.append(gettext("The reply length cannot be limited: the service refused both parameter names."))
    if capabilities.system_role == "developer":
        sentences.append(gettext("Instructions are sent as a developer message."))
    if capabilities.system_role == "user":
        sentences.append(gettext("Instructions are placed before the first user message."))
    if capabilities.omitted:
        sentences.append(gettext("Not sent: %(names)s.") % {"names": ", ".join(capabilities.omitted)})
    if capabilities.ignores_cap:
        sentences.append(
            gettext("A reply was longer than its limit. A run may exceed its budget by the cost of such replies.")
        )
    return sentences


# Advice for each cause, in words for whoever set the endpoint up or started the run.


# Placeholders: name, base_url, model, key_env, deadline, max_in_flight of the endpoint.
ADVICE: dict[Cause, str | Promise] = {
    Cause.RATE_LIMITED: _(
        "The service limits our request rate. Lower the concurrent calls (now %(max_in_flight)s) or enter "
        "its per-minute limits, then try again."
    ),
    Cause.SERVER_ERROR: _("The service failed. Try again in a few minutes. If it keeps failing, ask its operator."),
    Cause.TIMEOUT: _(
        "No answer within %(deadline)s seconds. The service may be busy or still loading the model. Raise "
        "the timeout, or lower the concurrent calls."
    ),
    Cause.CONNECTION: _(
        "No response from %(base_url)s. Check the host and port, whether the service is running, and "
        "whether a firewall blocks this server."
    ),
    Cause.UNAUTHORISED: _(
        "The service rejected the key in %(key_env)s. Set the right key in the environment, then restart "
        "web server and worker. Check that the key may use this model."
    ),
    Cause.NO_KEY: _(
        "%(key_env)s is not set where this ran. Set it in the environment of web server and worker, then restart both."
    ),
    Cause.NOT_FOUND: _(
        "The service does not know the model “%(model)s”, or the path is wrong. Check the spelling of the "
        "model name; the base URL usually ends in /v1."
    ),
    Cause.BAD_REQUEST: _(
        "The service refused the request without naming the parameter. Its message is below: check the "
        "parameters of the endpoint and of the run."
    ),
    Cause.TOO_LONG: _(
        "The text does not fit into the model's context. Choose a model with a longer context, or shorter items."
    ),
    Cause.NOT_THE_API: _(
        "%(base_url)s does not answer like an OpenAI-compatible API; it may be a web page or a proxy. "
        "Check the path, which usually ends in /v1."
    ),
    Cause.TRUNCATED: _("The reply was cut off. Allow more tokens, or choose a less verbose model."),
    Cause.FILTERED: _(
        "The service's content filter stopped the reply. Use another service for such items, or leave them out."
    ),
    Cause.REFUSED: _("The model refused to answer. Choose another model, or reword the prompt."),
    Cause.EMPTY: _("The reply is empty. Try again. If it stays empty, the model name or its chat template is wrong."),
    Cause.NOT_JSON: _("The model answered in prose instead of JSON. Turn on json_schema, or choose another model."),
    Cause.WRONG_SHAPE: _(
        "The JSON lacks required fields. Turn on json_schema, choose another model, or describe the format "
        "in the prompt."
    ),
    Cause.BUDGET: _("The budget of the run is used up. Raise the budget, then retry the failed jobs."),
    Cause.CRASHED: _("The worker crashed on this more than once. Check its log, then retry the failed jobs."),
    Cause.UNSUITABLE: _("The item has nothing to ask about. Check it, and drop it if it does not belong here."),
    Cause.DEFECT: _("This is a bug in Touchstone, not in the service. Report it with the log lines."),
}

NOT_RUNNING = _(
    "The simulated model is not running. Start it with `make run`, or with `manage.py simulated_model` in "
    "a separate terminal."
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
    from annotate.engine import capabilities, endpoint_probe  # slow imports that a web process needs nowhere else

    refuse_unless_callable(endpoint)
    probe = endpoint_probe.probe(endpoint)
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
