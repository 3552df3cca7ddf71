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
    given = request.POST if request.method == "POST" else request.GET
    offered = _offered(lead)
    purpose = offered.get(given.get("run-purpose", ""))
    if purpose is None and len(offered) == 1:
        (purpose,) = offered.values()
    if purpose is None or not to_choose_from().exists():
        context = {"offered": offered.values(), "chosen": purpose, "carried": given.urlencode()}
        return project_page(request, lead, "runs/choose.html", context, tab="runs", status=_status(request))
    settled = _settled(purpose, lead, given)
    if settled is None:
        return _first_choice(request, lead, purpose, given)
    asked = purpose.options_in(lead.project, settled)
    if request.method != "POST":
        return _page(request, lead, purpose, _filters(given, lead), _prefilled(given, asked, lead))
    return _plan(request, lead, purpose, asked)


def _offered(lead: Member) -> dict[str, Purpose]:
    """What may be planned here: purposes that have something to ask in a project of this kind."""
    return {slug: one for slug, one in purposes().items() if one.offered and one.suits(lead.project)}


def _settled(purpose: Purpose, lead: Member, given: QueryDict) -> dict[str, str] | None:
    """What the other options depend on, as it was chosen; None where there is a choice and nobody has made it."""
    choice = purpose.first_choice(lead.project)
    if choice is None:
        return {}
    values = [value for value, _name, _about in choice.offered]
    chosen = given.get(f"run-{PREFIX}{choice.option}", values[0] if len(values) == 1 else "")
    return {choice.option: chosen} if chosen in values else None


def _first_choice(request: HttpRequest, lead: Member, purpose: Purpose, given: QueryDict) -> HttpResponse:
    """The same choice page, one level deeper."""
    choice = purpose.first_choice(lead.project)
    context = {"purpose": purpose, "choice": choice, "field": f"run-{PREFIX}{choice.option}" if choice else ""}
    carried = {"carried": given.urlencode() or urlencode({"run-purpose": purpose.slug})}
    return project_page(request, lead, "runs/choose.html", context | carried, tab="runs", status=_status(request))


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def _filters(given: QueryDict, lead: Member) -> FilterForm:
    members = list(lead.project.members.select_related("user"))
    return FilterForm(given, project=lead.project, members=members)


def _prefilled(given: QueryDict, asked: type[BaseModel], lead: Member) -> PlanForm:
    """An empty form, with what the address says filled in."""
    said: dict[str, Any] = {name.removeprefix("run-"): given[name] for name in given if name.startswith("run-")}
    form = PlanForm(asked=asked, initial={"budget": lead.project.budget} | said)
    several = [name for name, field in form.fields.items() if isinstance(field, MultipleChoiceField)]
    ticked = {name: given.getlist(f"run-{name}") for name in several if f"run-{name}" in given}
    form.initial = {**form.initial, **ticked}
    return form


def _plan(request: HttpRequest, lead: Member, purpose: Purpose, shape: type[BaseModel]) -> HttpResponse:
    form, filters = PlanForm(request.POST, asked=shape), _filters(request.POST, lead)
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
