"""What models are told in a project: the list, one prompt with its history, the editor. For leads."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.models import Member, PromptVersion
from annotate.services import prompts as service
from annotate.services.errors import Refused, WrongState
from annotate.services.prompts import BadPrompt, Key
from annotate.services.prompts import pages as prompt_pages
from annotate.services.prompts.pages import History, Wording, pieces
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.prompts.forms import PromptForm
from lib.texts.differences import Difference, difference
from lib.texts.render import difference_html

LANGUAGES = {"en": gettext_lazy("English"), "zh": gettext_lazy("Chinese")}
TAB = "settings"


@dataclass(frozen=True)
class Compared:
    old: Wording
    new: Wording

    @property
    def difference(self) -> Difference:
        return difference(self.old.text, self.new.text)

    @property
    def html(self) -> SafeString:
        return difference_html(self.difference)


def key_of(lead: Member, which: str) -> Key:
    """The prompt that an address names, or 404."""
    key = prompt_pages.keys(lead.project).get(which)
    if key is None:
        raise Http404
    return key


def wording_of(history: History, ref: str) -> Wording:
    wording = history.find(ref)
    if wording is None:
        raise Http404
    return wording


def prompt_context(key: Key, history: History) -> dict[str, Any]:
    return {
        "key": key,
        "history": history,
        "takes_raw": service.raw_step(key) is not None,
        "is_part": service.parts.is_part(key.scope),
        "language": LANGUAGES[key.language],
        "lang": "zh-Hans" if key.language == "zh" else key.language,
    }


@login_required
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    makes = bool(lead.project.kind.child_kind)
    steps = prompt_pages.steps(lead.project)
    groups = [[step for step in steps if not step.is_part], [step for step in steps if step.is_part]]
    context = {"steps": steps, "groups": groups, "languages": LANGUAGES.values(), "makes": makes}
    return project_page(request, lead, "prompts/prompts.html", context, tab=TAB)


@login_required
def prompt(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """The wording in use or, by ?version=, another one; with ?against= what changed between the two."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    history = prompt_pages.history(lead.project, key)
    wording = wording_of(history, request.GET.get("version") or history.in_use.ref)
    context = prompt_context(key, history) | {"shown": wording, "pieces": pieces(wording.text)}
    context["warnings"] = service.warnings(key, wording.text)
    if against := request.GET.get("against"):
        context["compared"] = Compared(wording_of(history, against), wording)
    return project_page(request, lead, "prompts/prompt.html", context, tab=TAB)


@login_required
def prompt_edit(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Write a version, beginning with the one in use or with ?from=. `check` only looks; `try` keeps it for a try."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    history = prompt_pages.history(lead.project, key)
    start = wording_of(history, request.GET.get("from") or history.in_use.ref)
    if start.is_raw:
        start = history.shipped
    form = PromptForm(request.POST or None, initial={"text": start.text, "based_on": history.newest_number})
    if request.method == "POST" and form.is_valid():
        if "check" in request.POST:
            return _checked(request, lead, key, history, form)
        saved = save(request, lead, key, form, form.cleaned_data["text"], "text")
        if saved is not None:
            return saved
    return _editor(request, lead, key, history, form)


def _checked(request: HttpRequest, lead: Member, key: Key, history: History, form: PromptForm) -> HttpResponse:
    """What the text in the editor changes, and what is wrong with its slots. The page keeps the text in its form."""
    check_context = checked_text(key, history, form.cleaned_data["text"])
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "prompts/_checked.html", prompt_context(key, history) | check_context)
    return _editor(request, lead, key, history, form, **check_context)


def checked_text(key: Key, history: History, text: str) -> dict[str, Any]:
    problems: list[str] = []
    warnings: list[str] = []
    try:
        text = service.checked(key, text)
        warnings = service.warnings(key, text)
    except BadPrompt as bad:
        problems = bad.problems
    compared = Compared(history.in_use, Wording(0, text, is_shipped=False))
    return {"compared": compared, "problems": problems, "warnings": warnings}


def save(request: HttpRequest, lead: Member, key: Key, form: Form, text: str, field: str) -> HttpResponse | None:
    """None where the form now says why it was not saved. field: of the form, at which that stands."""
    note, based_on = form.cleaned_data["note"], form.cleaned_data["based_on"]
    trying = "try" in request.POST
    try:
        saved = service.write(
            lead.project, key, text=text, note=note, based_on=based_on, by=person(request), adopted=not trying
        )
    except BadPrompt as bad:
        form.add_error(field, bad.problems)
    except Refused as refused:
        form.add_error(field, str(refused))
    except WrongState as raced:
        stored_text = prompt_pages.history(lead.project, key).wordings[0].text
        return render(request, "409.html", {"reason": raced, "mine": text, "theirs": stored_text}, status=409)
    else:
        return _saved(request, lead, key, saved, trying=trying)
    return None


def _saved(request: HttpRequest, lead: Member, key: Key, saved: PromptVersion, *, trying: bool) -> HttpResponse:
    for warning in service.warnings(key, saved.text):
        messages.warning(request, warning)
    if trying:
        messages.info(request, _("Kept as version %(n)d, not in use yet.") % {"n": saved.number})
        return redirect_to("prompt_try", lead, key, version=saved.number)
    messages.success(request, _("Version %(n)d is what runs planned from now on are told.") % {"n": saved.number})
    return redirect_to("prompt", lead, key)


def redirect_to(name: str, lead: Member, key: Key, **query: object) -> HttpResponse:
    answer = redirect(name, lead.project.slug, str(key))
    if query:
        answer["Location"] += "?" + "&".join(f"{word}={value}" for word, value in query.items())
    return answer


def _editor(
    request: HttpRequest, lead: Member, key: Key, history: History, form: PromptForm, **extra_context: Any
) -> HttpResponse:
    context = prompt_context(key, history) | {"form": form, "slots": sorted(service.wanted_slots(key))} | extra_context
    status = 422 if form.errors else 200
    return project_page(request, lead, "prompts/edit.html", context, tab=TAB, status=status)


@require_POST
@login_required
def prompt_shipped(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """A new version that says what is shipped."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    try:
        saved = service.return_to_shipped(lead.project, key, by=person(request))
    except (Refused, WrongState) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Version %(n)d says what is shipped, and is in use.") % {"n": saved.number})
    return redirect_to("prompt", lead, key)


@require_POST
@login_required
def prompt_adopt(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Use a version that was only tried."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    wording = prompt_pages.history(lead.project, key).find(request.POST.get("version", ""))
    if wording is None or wording.is_shipped or wording.pk is None:
        messages.error(request, _("There is no such version. Choose one from the history."))
        return redirect_to("prompt", lead, key)
    try:
        service.adopt(PromptVersion.objects.select_related("project").get(pk=wording.pk))
    except WrongState as raced:
        messages.error(request, str(raced))
    else:
        message = _("Version %(n)d is what runs planned from now on are told.") % {"n": wording.number}
        messages.success(request, message)
    return redirect_to("prompt", lead, key)
