"""Studies: what would be drawn, drawing it, how far the votes are, and closing. Only for leads of both projects."""

import secrets
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotate.models import Member
from annotate.services.errors import Refused
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from judging.models import Study
from judging.services.studies.drawing import draw
from judging.services.studies.effort import hours
from judging.services.studies.lists import close, studies_for, with_progress
from judging.services.studies.planning import plan
from judging.services.studies.plans import LEFT_OUT, Plan
from judging.services.studies.wishes import blinding_of
from judging.views.studies.forms import LARGEST_SEED, DrawForm

SHOWN = 50


@login_required
def studies(request: HttpRequest, slug: str) -> HttpResponse:
    """The studies that this lead may know of, and what a further one would draw. Only a POST draws."""
    lead = membership(request, slug, LEADS)
    form = _form(request, lead)
    planned = _planned(form)
    if request.method == "POST" and planned is not None and _drew(request, form, planned):
        return redirect("studies", slug)
    visible_studies = list(studies_for(person(request), lead.project)[: SHOWN + 1])
    context = {
        "form": form,
        "plan": planned,
        "hours": hours(planned) if planned else None,
        "left_out": [(LEFT_OUT[why], n) for why, n in planned.left_out.items()] if planned else [],
        "rows": with_progress(visible_studies[:SHOWN]),
        "shown": SHOWN if len(visible_studies) > SHOWN else None,
    }
    tab = "judging" if lead.project.kind.judges_answers else "items"
    status = 422 if form.errors else 200
    return project_page(request, lead, "studies/studies.html", context, tab=tab, status=status)


@require_POST
@login_required
def study_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    study = get_object_or_404(studies_for(person(request), lead.project), pk=pk)
    closed_count = close(study)
    message = ngettext(
        "Closed. %(n)d vote that nobody had begun is no longer asked for.",
        "Closed. %(n)d votes that nobody had begun are no longer asked for.",
        closed_count,
    )
    messages.success(request, message % {"n": closed_count})
    return redirect("studies", slug)


def _form(request: HttpRequest, lead: Member) -> DrawForm:
    query = request.POST if request.method == "POST" else request.GET if "seed" in request.GET else None
    previous_study = Study.objects.filter(
        source=lead.project
    ).first()  # its lists of words are where the next one begins
    words = blinding_of(previous_study.options if previous_study else {})
    lists = {name: "\n".join(getattr(words, name)) for name in ("also", "never", "phrases")}
    start: dict[str, Any] = {"seed": secrets.randbelow(LARGEST_SEED), **lists}
    return DrawForm(query, initial=start, project=lead.project, user=person(request))


def _planned(form: DrawForm) -> Plan | None:
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return plan(form.wish())
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def _drew(request: HttpRequest, form: DrawForm, planned: Plan) -> bool:
    values = form.cleaned_data
    try:
        study = draw(planned, into=values["into"], by=person(request), name=values["name"])
    except Refused as refused:
        form.add_error(None, str(refused))
        return False
    message = _("Drawn: %(n)d votes wait in “%(name)s”.")
    messages.success(request, message % {"n": len(planned.votes) + len(planned.repeats), "name": study.project.name})
    return True
