from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from annotate.models import Member
from annotate.purposes import purposes
from annotate.purposes.base import Purpose
from annotate.services import runs as engine
from annotate.services.endpoints import refuse_unless_callable, to_choose_from
from annotate.services.errors import Refused
from annotate.services.runs.items import stored
from annotate.views.access import LEADS, membership, person
from annotate.views.items.filters import FilterForm
from annotate.views.pages import project_page
from annotate.views.runs.forms import PlanForm


@login_required
def run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what for, then which items, where, and how far; planning sends nothing yet."""
    lead = membership(request, slug, LEADS)
    given = request.POST if request.method == "POST" else request.GET
    offered = _offered(lead)
    purpose = offered.get(given.get("run-purpose", ""))
    if purpose is None and len(offered) == 1:
        (purpose,) = offered.values()
    if purpose is None or not to_choose_from().exists():
        context = {"offered": offered.values(), "chosen": purpose, "carried": given.urlencode()}
        return project_page(request, lead, "runs/choose.html", context, tab="runs", status=_status(request))
    if request.method != "POST":
        return _page(request, lead, purpose, _filters(given, lead), _prefilled(given, purpose, lead))
    return _plan(request, lead, purpose)


def _offered(lead: Member) -> dict[str, Purpose]:
    """What may be planned here: purposes that have something to ask in a project of this kind."""
    return {slug: one for slug, one in purposes().items() if one.offered and one.suits(lead.project)}


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def _filters(given: QueryDict, lead: Member) -> FilterForm:
    members = list(lead.project.members.select_related("user"))
    return FilterForm(given, project=lead.project, members=members)


def _prefilled(given: QueryDict, purpose: Purpose, lead: Member) -> PlanForm:
    """An empty form, with what the address says filled in."""
    said = {name.removeprefix("run-"): given[name] for name in given if name.startswith("run-")}
    return PlanForm(purpose=purpose, initial={"budget": lead.project.budget} | said)


def _plan(request: HttpRequest, lead: Member, purpose: Purpose) -> HttpResponse:
    form, filters = PlanForm(request.POST, purpose=purpose), _filters(request.POST, lead)
    if not (form.is_valid() and filters.is_valid()):
        return _page(request, lead, purpose, filters, form, status=422)
    asked = form.cleaned_data
    try:
        refuse_unless_callable(asked["endpoint"])
        planned = engine.plan(
            project=lead.project,
            purpose=purpose.slug,
            endpoint=asked["endpoint"],
            by=person(request),
            options=form.options() | {"items": stored(filters.filters())},
            budget=asked["budget"],
            limit=asked["limit"],
            shares_replies=asked["shares_replies"],
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, lead, purpose, filters, form, status=422)
    return redirect("run", lead.project.slug, planned.pk)


def _page(
    request: HttpRequest, lead: Member, purpose: Purpose, filters: FilterForm, form: PlanForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"purpose": purpose, "filters": filters, "form": form, "several": len(_offered(lead)) > 1}
    return project_page(request, lead, "runs/new.html", context, tab="runs", status=status)
