"""Pages for model endpoints, for administrators only.

Leads choose an endpoint by its name when they plan a run, and see nothing else of it.
"""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.engine import connection_test
from annotate.engine import endpoints as service
from annotate.engine.addresses import read_address
from annotate.engine.connection_test import tried
from annotate.engine.endpoints import BadEndpoint, key_is_set
from annotate.engine.forms import EndpointForm
from annotate.errors import Refused
from annotate.models import Endpoint, User
from annotate.web.access import person


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
    rows = [
        (endpoint, key_is_set(endpoint), service.hints(endpoint), _prices(endpoint)) for endpoint in stored_endpoints
    ]
    context = {"rows": rows, "origins": _origins()}
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
        context["tried"] = tried(stored_endpoint)
    except Refused as refused:
        context["refused"] = str(refused)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "endpoints/_test.html", context | {"learned": connection_test.in_words(stored_endpoint)})
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
        context["learned"] = connection_test.in_words(stored_endpoint)
    return render(request, "endpoints/endpoint.html", context, status=422 if form.errors else 200)
