from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.models import Member, PromptVersion, Run
from annotate.purposes.trying import SLUG
from annotate.services import prompts as service
from annotate.services.errors import Refused
from annotate.services.prompts import Key, trials
from annotate.services.prompts import pages as prompt_pages
from annotate.services.prompts.pages import Wording
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.prompts.forms import TryForm
from annotate.views.prompts.prompts import TAB, key_of, prompt_context, wording_of


@login_required
def prompt_try(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Choose two wordings and an endpoint; then both are put to a few items."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    history = prompt_pages.history(lead.project, key)
    wording = wording_of(history, request.GET.get("version") or history.wordings[0].ref)
    start = {"version": wording.ref, "before": history.before(wording).ref}
    form = TryForm(request.POST or None, history=history, initial=start)
    if request.method == "POST" and form.is_valid():
        cleaned_data = form.cleaned_data
        try:
            run = trials.begin(
                project=lead.project,
                version=_kept(lead, key, wording_of(history, cleaned_data["version"])),
                before=_kept(lead, key, wording_of(history, cleaned_data["before"])),
                endpoint=cleaned_data["endpoint"],
                budget=cleaned_data["budget"],
                by=person(request),
                keys=cleaned_data["keys"],
            )
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            return redirect("prompt_trial", slug, run.pk)
    context = prompt_context(key, history) | {"form": form, "items": trials.ITEMS}
    return project_page(request, lead, "prompts/try.html", context, tab=TAB, status=422 if form.errors else 200)


def _kept(lead: Member, key: Key, wording: Wording) -> PromptVersion:
    """The wording's row; a shipped one that no run has needed yet gets its row now."""
    if wording.pk is None:
        service.publish(key.scope)
        return PromptVersion.objects.get(project=None, number=wording.number, **key.columns)
    return PromptVersion.objects.get(pk=wording.pk)


@login_required
def prompt_trial(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What came of a try; asked for again by itself until both runs have ended."""
    lead = membership(request, slug, LEADS)
    trial_runs = Run.objects.filter(project=lead.project, purpose=SLUG, pk=pk, options__has_key="beside")
    run = trial_runs.select_related("endpoint", "project").first()
    if run is None:
        raise Http404
    trial = trials.look(run)
    key = key_of(lead, str(trial.key))
    context = prompt_context(key, prompt_pages.history(lead.project, key)) | {"trial": trial}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "prompts/_trial.html", context | {"project": lead.project})
    return project_page(request, lead, "prompts/trial.html", context, tab=TAB)
