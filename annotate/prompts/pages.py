"""Pages of prompts, for leads: list, history, editors (wording, raw messages), and trials."""

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

from annotate.engine import prompt_files
from annotate.engine import prompts as service
from annotate.engine.prompts import BadPrompt, Key
from annotate.engine.purposes import RawStep
from annotate.errors import Refused, WrongState
from annotate.models import Member, PromptVersion, Run
from annotate.prompts import queries as prompt_pages
from annotate.prompts import trials
from annotate.prompts.forms import PromptForm, RawForm, TryForm
from annotate.prompts.queries import PromptHistory, PromptWording, pieces
from annotate.purposes.trying import SLUG
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.texts import raw_messages
from lib.texts.differences import TextDifference, difference, difference_html
from lib.texts.raw_messages import BadRawMessages, RawMessages

LANGUAGES = {"en": gettext_lazy("English"), "zh": gettext_lazy("Chinese")}
TAB = "prompts"
VERSIONS_PER_PAGE = 100


@dataclass(frozen=True)
class PromptComparison:
    old: PromptWording
    new: PromptWording

    @property
    def difference(self) -> TextDifference:
        return difference(self.old.text, self.new.text)

    @property
    def html(self) -> SafeString:
        return difference_html(self.difference)


def key_of(lead: Member, which: str) -> Key:
    """The prompt in an address, or 404."""
    key = prompt_pages.keys(lead.project).get(which)
    if key is None:
        raise Http404
    return key


def wording_of(history: PromptHistory, ref: str) -> PromptWording:
    wording = history.find(ref)
    if wording is None:
        raise Http404
    return wording


def prompt_context(key: Key, history: PromptHistory) -> dict[str, Any]:
    return {
        "key": key,
        "history": history,
        "takes_raw": service.raw_step(key) is not None,
        "is_part": prompt_files.is_part(key.scope),
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
    """The wording in use or, with ?version=, another one; with ?against= the differences between the two."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    history = prompt_pages.history(lead.project, key)
    wording = wording_of(history, request.GET.get("version") or history.in_use.ref)
    context = prompt_context(key, history) | {"shown": wording, "pieces": pieces(wording.text)}
    context["page"] = numbered_page(request, history.wordings, VERSIONS_PER_PAGE)
    context["warnings"] = service.warnings(key, wording.text)
    if against := request.GET.get("against"):
        context["compared"] = PromptComparison(wording_of(history, against), wording)
    return project_page(request, lead, "prompts/prompt.html", context, tab=TAB)


@login_required
def prompt_edit(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Write a version, starting from the one in use or from ?from=. `check` only checks; `try` stores it for a try."""
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
    return _prompt_editor(request, lead, key, history, form)


def _checked(request: HttpRequest, lead: Member, key: Key, history: PromptHistory, form: PromptForm) -> HttpResponse:
    """The changes of the text in the editor, and errors in its slots. The page keeps the text in its form."""
    check_context = checked_text(key, history, form.cleaned_data["text"])
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "prompts/_checked.html", prompt_context(key, history) | check_context)
    return _prompt_editor(request, lead, key, history, form, **check_context)


def checked_text(key: Key, history: PromptHistory, text: str) -> dict[str, Any]:
    problems: list[str] = []
    warnings: list[str] = []
    try:
        text = service.checked(key, text)
        warnings = service.warnings(key, text)
    except BadPrompt as bad:
        problems = bad.problems
    compared = PromptComparison(history.in_use, PromptWording(0, text, is_shipped=False))
    return {"compared": compared, "problems": problems, "warnings": warnings}


def save(request: HttpRequest, lead: Member, key: Key, form: Form, text: str, field: str) -> HttpResponse | None:
    """None if the form now says why it was not saved. field: the form field at which the message is shown."""
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
        messages.info(request, _("Saved as version %(n)d, not in use yet.") % {"n": saved.number})
        return redirect_to("prompt_try", lead, key, version=saved.number)
    messages.success(request, _("Version %(n)d is used by all runs planned from now on.") % {"n": saved.number})
    return redirect_to("prompt", lead, key)


def redirect_to(name: str, lead: Member, key: Key, **query: object) -> HttpResponse:
    answer = redirect(name, lead.project.slug, str(key))
    if query:
        answer["Location"] += "?" + "&".join(f"{word}={value}" for word, value in query.items())
    return answer


def _prompt_editor(
    request: HttpRequest, lead: Member, key: Key, history: PromptHistory, form: PromptForm, **extra_context: Any
) -> HttpResponse:
    context = prompt_context(key, history) | {"form": form, "slots": sorted(service.allowed_slots(key))} | extra_context
    status = 422 if form.errors else 200
    return project_page(request, lead, "prompts/edit.html", context, tab=TAB, status=status)


@require_POST
@login_required
def prompt_shipped(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Create a new version with the shipped text."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    try:
        saved = service.return_to_shipped(lead.project, key, by=person(request))
    except (Refused, WrongState) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(
            request, _("Version %(n)d is the same as the shipped prompt, and is in use.") % {"n": saved.number}
        )
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
        message = _("Version %(n)d is used by all runs planned from now on.") % {"n": wording.number}
        messages.success(request, message)
    return redirect_to("prompt", lead, key)


# The editor of raw messages to an evaluator, for steps that may have them.


@login_required
def prompt_raw(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Write a version, starting from the one in use or from ?from=. `check` and `try` work as in the other editor."""
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
            return _raw_editor(request, lead, key, history, form, step, **check_context)
        saved = save(request, lead, key, form, form.raw.text(), "user")
        if saved is not None:
            return saved
    return _raw_editor(request, lead, key, history, form, step)


def _initial(start: PromptWording, history: PromptHistory, step: RawStep) -> dict[str, Any]:
    """The version's messages; of a fenced wording only the slots that the messages need."""
    try:
        raw = raw_messages.read(start.text) if start.is_raw else None
    except BadRawMessages:  # saved before the rule that it breaks existed
        raw = None
    slot_names = [name for name in ("question", "answer", "second", "reference") if name in step.slots]
    raw = raw or RawMessages("", "\n\n".join(f"{{{{ {name} }}}}" for name in slot_names))
    return {**vars(raw), "based_on": history.newest_number}


def _raw_editor(
    request: HttpRequest,
    lead: Member,
    key: Key,
    history: PromptHistory,
    form: RawForm,
    step: RawStep,
    **extra_context: Any,
) -> HttpResponse:
    context = (
        prompt_context(key, history) | {"form": form, "slots": step.slots, "readers": step.readers} | extra_context
    )
    status = 422 if form.errors else 200
    return project_page(request, lead, "prompts/raw.html", context, tab=TAB, status=status)


@login_required
def prompt_try(request: HttpRequest, slug: str, which: str) -> HttpResponse:
    """Choose two wordings and an endpoint; then both are tried on a few items."""
    lead = membership(request, slug, LEADS)
    key = key_of(lead, which)
    history = prompt_pages.history(lead.project, key)
    wording = wording_of(history, request.GET.get("version") or history.wordings[0].ref)
    start = {"version": wording.ref, "before": history.before(wording).ref}
    form = TryForm(request.POST or None, history=history, kind=lead.project.kind, initial=start)
    if request.method == "POST" and form.is_valid():
        cleaned_data = form.cleaned_data
        try:
            run = trials.begin(
                project=lead.project,
                version=_stored_version(lead, key, wording_of(history, cleaned_data["version"])),
                before=_stored_version(lead, key, wording_of(history, cleaned_data["before"])),
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


def _stored_version(lead: Member, key: Key, wording: PromptWording) -> PromptVersion:
    """The wording's row; a shipped one that no run has used yet gets its row now."""
    if wording.pk is None:
        service.publish(key.scope)
        return PromptVersion.objects.get(project=None, number=wording.number, **key.columns)
    return PromptVersion.objects.get(pk=wording.pk)


@login_required
def prompt_trial(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The result of a trial; the page updates itself until both runs have ended."""
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
