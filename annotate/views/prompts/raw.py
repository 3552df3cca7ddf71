"""Raw messages to an evaluator: the editor of the steps that may have them. For leads."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse

from annotate.models import Member
from annotate.purposes.base import RawStep
from annotate.services import prompts as service
from annotate.services.prompts import Key
from annotate.services.prompts import pages as prompt_pages
from annotate.services.prompts.pages import History, Wording
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.prompts.forms import RawForm
from annotate.views.prompts.prompts import TAB, checked_text, key_of, prompt_context, save, wording_of
from lib.texts import raw_messages
from lib.texts.raw_messages import BadRawMessages, RawMessages


@login_required
def prompt_raw(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Write a version, beginning with the one in use or with ?from=. `check` and `try` do as in the other editor."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    step = service.raw_step(key)
    if step is None:
        raise Http404
    history = prompt_pages.history(lead.project, key)
    start = wording_of(history, request.GET.get("from") or history.in_use.ref)
    form = RawForm(request.POST or None, step=step, initial=_initial(start, history, step))
    if request.method == "POST" and form.is_valid():
        if "check" in request.POST:
            check_context = checked_text(key, history, form.raw.text())
            return _editor(request, lead, key, history, form, step, **check_context)
        saved = save(request, lead, key, form, form.raw.text(), "user")
        if saved is not None:
            return saved
    return _editor(request, lead, key, history, form, step)


def _initial(start: Wording, history: History, step: RawStep) -> dict[str, Any]:
    """What the version says; of a fenced one only the slots that the messages need."""
    try:
        raw = raw_messages.read(start.text) if start.is_raw else None
    except BadRawMessages:  # saved before a rule that it breaks
        raw = None
    slot_names = [name for name in ("question", "answer", "second", "reference") if name in step.slots]
    raw = raw or RawMessages("", "\n\n".join(f"{{{{ {name} }}}}" for name in slot_names))
    return {**vars(raw), "based_on": history.newest_number}


def _editor(
    request: HttpRequest, lead: Member, key: Key, history: History, form: RawForm, step: RawStep, **extra_context: Any
) -> HttpResponse:
    context = (
        prompt_context(key, history) | {"form": form, "slots": step.slots, "readers": step.readers} | extra_context
    )
    status = 422 if form.errors else 200
    return project_page(request, lead, "prompts/raw.html", context, tab=TAB, status=status)
