"""Pages for model endpoints, for administrators only; and the connection test of an endpoint.

Leads choose an endpoint by its name when they plan a run, and see nothing else of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.audit.trail import record
from annotate.engine import endpoints as service
from annotate.engine.addresses import SIMULATED, read_address
from annotate.engine.capabilities import Capabilities
from annotate.engine.endpoints import BadEndpoint, key_is_set, refuse_unless_callable, without_key
from annotate.engine.forms import EndpointForm
from annotate.errors import Refused
from annotate.kinds.protocol import Cause
from annotate.models import Endpoint, User
from annotate.web.access import person
from annotate.web.pager import numbered_page

PER_PAGE = 100


def administrator(request: HttpRequest) -> User:
    user = person(request)
    if not (user.is_staff or user.is_superuser):
        raise PermissionDenied(_("Only administrators can see and change endpoints. Ask an administrator."))
    return user


def _endpoint(pk: int) -> Endpoint:
    stored_endpoint = Endpoint.objects.filter(pk=pk).first()
    if stored_endpoint is None:
        raise Http404
    return stored_endpoint


@login_required
def endpoints(request: HttpRequest) -> HttpResponse:
    administrator(request)
    stored_endpoints = Endpoint.objects.order_by(F("retired_at").asc(nulls_first=True), "name")
    page = numbered_page(request, stored_endpoints, PER_PAGE)
    rows = [(endpoint, key_is_set(endpoint), service.hints(endpoint), _prices(endpoint)) for endpoint in page]
    context = {"page": page, "rows": rows, "origins": _origins()}
    return render(request, "endpoints/endpoints.html", context)


def _prices(endpoint: Endpoint) -> str:
    return f"{endpoint.price_in.normalize():f} · {endpoint.price_out.normalize():f}" if endpoint.is_priced else ""


def _origins() -> list[str]:
    """The origins as people write them: without a default port."""
    return sorted(str(read_address(origin)) for origin in service.allowed_origins())


@login_required
def endpoint_new(request: HttpRequest) -> HttpResponse:
    admin = administrator(request)
    form = EndpointForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            new_endpoint = service.create(by=admin, **form.columns())
        except BadEndpoint as bad:
            form.add_faults(bad)
        else:
            messages.success(
                request, _("%(name)s created. Test it before you plan a run with it.") % {"name": new_endpoint}
            )
            return redirect("endpoint", new_endpoint.pk)
    return _page(request, form)


@login_required
def endpoint(request: HttpRequest, pk: int) -> HttpResponse:
    admin = administrator(request)
    stored_endpoint = _endpoint(pk)
    form = EndpointForm(request.POST or None, instance=_endpoint(pk))
    if request.method == "POST" and form.is_valid():
        try:
            service.change(_endpoint(pk), by=admin, **form.columns())
        except BadEndpoint as bad:
            form.add_faults(bad)
        else:
            messages.success(request, _("Saved. New requests use these settings."))
            return redirect("endpoint", pk)
    return _page(request, form, endpoint=stored_endpoint)


@require_POST
@login_required
def endpoint_retire(request: HttpRequest, pk: int) -> HttpResponse:
    """Retire the endpoint; with `back` it can be chosen again."""
    administrator(request)
    stored_endpoint = _endpoint(pk)
    if "back" not in request.POST:
        service.retire(stored_endpoint)
        messages.success(request, _("%(name)s can no longer be chosen. Its runs are kept.") % {"name": stored_endpoint})
        return redirect("endpoints")
    try:
        service.bring_back(stored_endpoint)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("%(name)s can be chosen again.") % {"name": stored_endpoint})
    return redirect("endpoint", pk)


@require_POST
@login_required
def endpoint_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Send one small question and show the result."""
    administrator(request)
    stored_endpoint = _endpoint(pk)
    context: dict[str, Any] = {"endpoint": stored_endpoint}
    try:
        context["tried"] = result = tried(stored_endpoint)
        with transaction.atomic():
            record("endpoint.tested", stored_endpoint, after={"ok": result.ok})
    except Refused as refused:
        context["refused"] = str(refused)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "endpoints/_test.html", context | {"learned": in_words(stored_endpoint)})
    return _page(request, EndpointForm(instance=_endpoint(pk)), **context)


@require_POST
@login_required
def endpoint_forget(request: HttpRequest, pk: int) -> HttpResponse:
    administrator(request)
    stored_endpoint = _endpoint(pk)
    service.forget_learned(stored_endpoint)
    messages.success(request, _("Cleared. The next test or run detects it again."))
    return redirect("endpoint", pk)


def _page(request: HttpRequest, form: EndpointForm, **context: Any) -> HttpResponse:
    context |= {"form": form, "origins": _origins()}
    if stored_endpoint := context.get("endpoint"):
        context |= {
            "hints": service.hints(stored_endpoint),
            "key_is_set": key_is_set(stored_endpoint),
            "runs": stored_endpoint.runs.count(),
        }
        context["learned"] = in_words(stored_endpoint)
    return render(request, "endpoints/endpoint.html", context, status=422 if form.errors else 200)


# The connection test of an endpoint: lessons, advice, and one small question with its result.


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


# Advice for each cause, for the person who set up the endpoint or started the run.


# Placeholders: name, base_url, model, key_env, deadline, max_in_flight of the endpoint.
ADVICE: dict[Cause, str | Promise] = {
    Cause.RATE_LIMITED: gettext_lazy(
        "The service limits our request rate. Lower the concurrent calls (now %(max_in_flight)s) or enter "
        "its per-minute limits, then try again."
    ),
    Cause.SERVER_ERROR: gettext_lazy(
        "The service failed. Try again in a few minutes. If it keeps failing, ask its operator."
    ),
    Cause.TIMEOUT: gettext_lazy(
        "No answer within %(deadline)s seconds. The service may be busy or still loading the model. Raise "
        "the timeout, or lower the concurrent calls."
    ),
    Cause.CONNECTION: gettext_lazy(
        "No response from %(base_url)s. Check the host and port, whether the service is running, and "
        "whether a firewall blocks this server."
    ),
    Cause.UNAUTHORISED: gettext_lazy(
        "The service rejected the key in %(key_env)s. Set the right key in the environment, then restart "
        "web server and worker. Check that the key may use this model."
    ),
    Cause.NO_KEY: gettext_lazy(
        "%(key_env)s is not set where this ran. Set it in the environment of web server and worker, then restart both."
    ),
    Cause.NOT_FOUND: gettext_lazy(
        "The service does not know the model “%(model)s”, or the path is wrong. Check the spelling of the "
        "model name; the base URL usually ends in /v1."
    ),
    Cause.BAD_REQUEST: gettext_lazy(
        "The service refused the request without naming the parameter. Its message is below: check the "
        "parameters of the endpoint and of the run."
    ),
    Cause.TOO_LONG: gettext_lazy(
        "The text does not fit into the model's context. Choose a model with a longer context, or shorter items."
    ),
    Cause.NOT_THE_API: gettext_lazy(
        "%(base_url)s does not answer like an OpenAI-compatible API; it may be a web page or a proxy. "
        "Check the path, which usually ends in /v1."
    ),
    Cause.TRUNCATED: gettext_lazy("The reply was cut off. Allow more tokens, or choose a less verbose model."),
    Cause.FILTERED: gettext_lazy(
        "The service's content filter stopped the reply. Use another service for such items, or leave them out."
    ),
    Cause.REFUSED: gettext_lazy("The model refused to answer. Choose another model, or reword the prompt."),
    Cause.EMPTY: gettext_lazy(
        "The reply is empty. Try again. If it stays empty, the model name or its chat template is wrong."
    ),
    Cause.NOT_JSON: gettext_lazy(
        "The model answered in prose instead of JSON. Turn on json_schema, or choose another model."
    ),
    Cause.WRONG_SHAPE: gettext_lazy(
        "The JSON lacks required fields. Turn on json_schema, choose another model, or describe the format "
        "in the prompt."
    ),
    Cause.BUDGET: gettext_lazy("The budget of the run is used up. Raise the budget, then retry the failed jobs."),
    Cause.CRASHED: gettext_lazy(
        "The worker crashed on this more than once. Check its log, then retry the failed jobs."
    ),
    Cause.UNSUITABLE: gettext_lazy(
        "The item has nothing to ask about. Check it, and drop it if it does not belong here."
    ),
    Cause.DEFECT: gettext_lazy("This is a bug in Touchstone, not in the service. Report it with the log lines."),
}

NOT_RUNNING = gettext_lazy(
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
