from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotate.models import Member
from annotate.services import leading
from annotate.services.items import bulk
from annotate.services.items.lists import COUNTED_AT_MOST, count_up_to
from annotate.views.access import LEADS, membership, person
from annotate.views.items.bulk_forms import VERBS, BulkForm, Selection, SoFarForm
from annotate.views.items.items import PLACE, list_context
from annotate.views.pages import project_page


@require_POST
@login_required
def items_bulk(request: HttpRequest, slug: str) -> HttpResponse:
    """First asks what the verb needs to know and says how many items are meant, then works through them."""
    lead = membership(request, slug, LEADS)
    selection = Selection(request.POST, lead.project)
    verb = request.POST.get("verb", "")
    if verb not in dict(VERBS) or not selection.is_valid() or not (selection.everything or selection.ids):
        return _nothing(request, lead, selection, verb)
    form = BulkForm(request.POST if "sure" in request.POST else None, verb=verb, project=lead.project)
    if form.is_valid():
        return _work(request, lead, form, selection)
    selection.end_here()
    count = count_up_to(selection.items())
    context = {
        "form": form,
        "selection": selection,
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "back": back_to_list(slug, selection),
    }
    return project_page(request, lead, "items/bulk.html", context, tab="items", status=422 if form.errors else 200)


def _nothing(request: HttpRequest, lead: Member, selection: Selection, verb: str) -> HttpResponse:
    """The list as it was, with what to do."""
    query = QueryDict(selection.address, mutable=True)
    for name in ("order", *PLACE):
        if name in request.POST:
            query[name] = request.POST[name]
    context = list_context(query, lead) | {"nothing": True, "verb": verb}
    return project_page(request, lead, "items/items.html", context, tab="items", status=422)


def back_to_list(slug: str, selection: Selection) -> str:
    return reverse("items", args=[slug]) + (f"?{selection.form.address}" if selection.form.is_valid() else "")


def _work(request: HttpRequest, lead: Member, form: BulkForm, selection: Selection) -> HttpResponse:
    last_id, done_count, exclusions = SoFarForm(request.POST).read()
    instruction = form.instruction(person(request))
    most = form.cleaned_data.get("most")
    outcome = bulk.work_through(
        selection.items(),
        instruction.apply,
        project=lead.project,
        after=last_id,
        most=most and max(0, most - done_count),
    )
    outcome.done += done_count
    outcome.left_out += exclusions
    if outcome.finished and outcome.done and instruction.to:
        leading.tell_assigned(instruction.to.user, lead.project, count=outcome.done, by=person(request))
    context: dict[str, Any] = {
        "form": form,
        "selection": selection,
        "outcome": outcome,
        "back": back_to_list(lead.project.slug, selection),
        "project": lead.project,
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "items/_bulk_outcome.html", context)
    return project_page(request, lead, "items/bulk_done.html", context, tab="items")
