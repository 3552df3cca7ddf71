from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.forms import MultipleChoiceField
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from pydantic import BaseModel

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
from annotate.views.runs.options import PREFIX


@login_required
def run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what for, then which items, where, and how far; planning sends nothing yet."""
    lead = membership(request, slug, LEADS)
    query = request.POST if request.method == "POST" else request.GET
    offered = _offered(lead)
    purpose = offered.get(query.get("run-purpose", ""))
    if purpose is None and len(offered) == 1:
        (purpose,) = offered.values()
    if purpose is None or not to_choose_from().exists():
        context = {"offered": offered.values(), "chosen": purpose, "carried": query.urlencode()}
        return project_page(request, lead, "runs/choose.html", context, tab="runs", status=_status(request))
    settled = _settled(purpose, lead, query)
    if settled is None:
        return _first_choice(request, lead, purpose, query)
    shape = purpose.options_in(lead.project, settled)
    if request.method != "POST":
        return _page(request, lead, purpose, _filters(query, lead), _prefilled(query, shape, lead))
    return _plan(request, lead, purpose, shape)


def _offered(lead: Member) -> dict[str, Purpose]:
    """What may be planned here: purposes that have something to ask in a project of this kind."""
    return {slug: purpose for slug, purpose in purposes().items() if purpose.offered and purpose.suits(lead.project)}


def _settled(purpose: Purpose, lead: Member, query: QueryDict) -> dict[str, str] | None:
    """What the other options depend on, as it was chosen; None where there is a choice and nobody has made it."""
    choice = purpose.first_choice(lead.project)
    if choice is None:
        return {}
    values = [value for value, _name, _about in choice.offered]
    selected_value = query.get(f"run-{PREFIX}{choice.option}", values[0] if len(values) == 1 else "")
    return {choice.option: selected_value} if selected_value in values else None


def _first_choice(request: HttpRequest, lead: Member, purpose: Purpose, query: QueryDict) -> HttpResponse:
    """The same choice page, one level deeper."""
    choice = purpose.first_choice(lead.project)
    context = {"purpose": purpose, "choice": choice, "field": f"run-{PREFIX}{choice.option}" if choice else ""}
    carried = {"carried": query.urlencode() or urlencode({"run-purpose": purpose.slug})}
    return project_page(request, lead, "runs/choose.html", context | carried, tab="runs", status=_status(request))


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def _filters(query: QueryDict, lead: Member) -> FilterForm:
    members = list(lead.project.members.select_related("user"))
    return FilterForm(query, project=lead.project, members=members)


def _prefilled(query: QueryDict, shape: type[BaseModel], lead: Member) -> PlanForm:
    """An empty form, with what the address says filled in."""
    initial: dict[str, Any] = {name.removeprefix("run-"): query[name] for name in query if name.startswith("run-")}
    form = PlanForm(asked=shape, initial={"budget": lead.project.budget} | initial)
    several = [name for name, field in form.fields.items() if isinstance(field, MultipleChoiceField)]
    ticked = {name: query.getlist(f"run-{name}") for name in several if f"run-{name}" in query}
    form.initial = {**form.initial, **ticked}
    return form


def _plan(request: HttpRequest, lead: Member, purpose: Purpose, shape: type[BaseModel]) -> HttpResponse:
    form, filters = PlanForm(request.POST, asked=shape), _filters(request.POST, lead)
    if not (form.is_valid() and filters.is_valid()):
        return _page(request, lead, purpose, filters, form, status=422)
    cleaned_data = form.cleaned_data
    try:
        refuse_unless_callable(cleaned_data["endpoint"])
        planned = engine.plan(
            project=lead.project,
            purpose=purpose.slug,
            endpoint=cleaned_data["endpoint"],
            by=person(request),
            options=form.options() | {"items": stored(filters.filters())},
            budget=cleaned_data["budget"],
            limit=cleaned_data["limit"],
            shares_replies=cleaned_data["shares_replies"],
            parameters=form.parameters(),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, lead, purpose, filters, form, status=422)
    return redirect("run", lead.project.slug, planned.pk)


def _page(
    request: HttpRequest, lead: Member, purpose: Purpose, filters: FilterForm, form: PlanForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"purpose": purpose, "filters": filters, "form": form, "several": len(_offered(lead)) > 1}
    context["takes_undecided"] = purpose.takes_undecided(lead.project)
    return project_page(request, lead, "runs/new.html", context, tab="runs", status=status)
