"""Pages of the guidelines and their editor, of the items that a change made stale, and of reopening such items."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.errors import Refused, WrongState
from annotate.guidelines import reopen, sections
from annotate.guidelines import stale as guidelines_stale
from annotate.guidelines.sections import BadGuidelines, Known, known_names
from annotate.guidelines.stale import (
    ACCEPTED,
    GUIDELINES,
    QUESTIONS,
    UNDER_WAY,
    Cause,
    ChangesSince,
    StaleFilters,
    causes,
    since,
    stale,
    with_versions,
)
from annotate.items.forms import ALL
from annotate.items.keyset import ORDERS, ItemCursor, page
from annotate.items.queries import COUNTED_AT_MOST, count_up_to
from annotate.models import Definition, Guideline, Member, Project, Reopening
from annotate.web.access import LEADS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.texts.differences import difference, difference_html

LONGEST = 100_000  # characters
VERSIONS = 50  # on one page
CAUSES = ("guideline", "definition")  # of a reopening


class GuidelineForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Guidelines (Markdown)"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


@dataclass(frozen=True)
class GuidelineComparison:
    old: Guideline
    new: Guideline
    html: SafeString


@login_required
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version or, by ?version=, an older one; with ?against= what changed between the two."""
    member = membership(request, slug)
    versions = member.project.guidelines.select_related("author").defer("text")
    newest = versions.values_list("version", flat=True).first()
    guideline = _version(member, request.GET.get("version") or newest)
    against = _version(member, request.GET.get("against"))
    compared = None
    if guideline and against:
        old, new = sorted((guideline, against), key=lambda version: version.version)
        compared = GuidelineComparison(old, new, difference_html(difference(old.text, new.text)))
    context: dict[str, Any] = {
        "page": numbered_page(request, versions, VERSIONS),
        "shown": guideline,
        "compared": compared,
        "parts": sections.parts(member.project, guideline.text) if guideline and not compared else [],
    }
    is_newest = guideline is not None and guideline.version == newest
    context["stale"] = _stale(member, guideline) if guideline and is_newest and member.leads and not compared else 0
    return project_page(request, member, "guidelines/guidelines.html", context, tab="guidelines")


def _stale(member: Member, newest: Guideline) -> int:
    """How many accepted items the newest version makes stale, counted up to a limit."""
    newest.project = member.project
    return count_up_to(stale(since(newest), StaleFilters()))


def _version(member: Member, number: int | str | None) -> Guideline | None:
    if not number:
        return None
    if not str(number).isdecimal() or len(str(number)) > 9:
        raise Http404
    guideline = member.project.guidelines.select_related("author").filter(version=int(number)).first()
    if guideline is None:
        raise Http404
    return guideline


@login_required
def guidelines_edit(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    newest = lead.project.guideline
    start = {"text": newest.text if newest else "", "based_on": newest.version if newest else 0}
    form = GuidelineForm(request.POST or None, initial=start)
    if request.method == "POST" and "preview" in request.POST:
        return _preview(request, lead, form)
    if request.method == "POST" and form.is_valid():
        return _save(request, lead, form)
    return _editor(request, lead, form, status=422 if form.errors else 200)


def _editor(request: HttpRequest, lead: Member, form: GuidelineForm, *, status: int = 200, **more: Any) -> HttpResponse:
    known = known_names(lead.project)
    context = {"form": form, "fields": known.labels, "groups": known.groups}
    context |= _rendered(lead.project, str(form["text"].value() or ""), known) | more
    return project_page(request, lead, "guidelines/edit.html", context, tab="guidelines", status=status)


def _preview(request: HttpRequest, lead: Member, form: GuidelineForm) -> HttpResponse:
    """The editor's text, rendered; the page without scripts keeps the text in its form and shows it beside."""
    form.full_clean()
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        context = _rendered(lead.project, str(form["text"].value() or ""), known_names(lead.project))
        return render(request, "guidelines/_preview.html", context | {"form": form, "project": lead.project})
    return _editor(request, lead, form, previewed=True)


def _rendered(project: Project, text: str, known: Known) -> dict[str, Any]:
    """What people will see of a text, what is wrong with it, and what its changes make stale."""
    text = text.replace("\r\n", "\n")[:LONGEST]
    return {
        "parts": sections.parts(project, text, labels=known.labels),
        "refused": sections.problems(project, text, known),
        "effects": guidelines_stale.effects(project, text),
    }


def _save(request: HttpRequest, lead: Member, form: GuidelineForm) -> HttpResponse:
    cleaned_data = form.cleaned_data
    try:
        saved = sections.write(lead.project, by=person(request), **cleaned_data)
    except BadGuidelines as bad:
        for problem in bad.problems:
            form.add_error("text", problem)
        return _editor(request, lead, form, status=422)
    except WrongState as raced:
        stored_text = lead.project.guidelines.order_by("-version")[0].text
        context = {"reason": raced, "mine": cleaned_data["text"], "theirs": stored_text}
        return render(request, "409.html", context, status=409)
    messages.success(request, _("Everyone now sees version %(version)d.") % {"version": saved.version})
    return redirect("guidelines", lead.project.slug)


LONGEST_NOTE = 500


class StaleForm(forms.Form):
    """The filters of the list."""

    q = forms.CharField(
        label=gettext_lazy("Key or title"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    section = forms.ChoiceField(label=gettext_lazy("Changed section"), required=False)
    group = forms.ChoiceField(label=gettext_lazy("Group"), required=False)
    language = forms.CharField(label=gettext_lazy("Language"), required=False, max_length=12)
    version = forms.TypedChoiceField(
        label=gettext_lazy("Guidelines version"), required=False, coerce=int, empty_value=None
    )
    cause = forms.ChoiceField(required=False, choices=[*ALL, (QUESTIONS, "")], widget=forms.HiddenInput)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[(ACCEPTED, gettext_lazy("accepted")), (UNDER_WAY, gettext_lazy("submitted, not decided"))],
    )

    def __init__(self, data: QueryDict, *, found: ChangesSince, project: Project) -> None:
        super().__init__(data, auto_id="stale-%s")
        self._offer("section", [(title, title) for title in found.sections if title])
        if isinstance(found.cause, Definition):
            self.fields["section"].label = _("Changed question")
            self.fields["version"].label = _("Version of the questions")
        self._offer("group", [(group, group) for group in sections.group_names(project)])
        label = _("version %(version)d")
        self._offer("version", [(str(version), label % {"version": version}) for version in found.changes])
        for field in self.fields.values():
            field.widget.attrs["class"] = (
                "select" if isinstance(field.widget, forms.Select) else "textbox textbox--line"
            )

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = [*ALL, *choices]  # type: ignore[attr-defined]

    def filters(self) -> StaleFilters:
        cleaned = self.cleaned_data.items()
        values = {name: value for name, value in cleaned if value not in ("", None) and name != "cause"}
        return StaleFilters(**values)

    @property
    def address(self) -> str:
        return urlencode([(name, self.data[name]) for name in self.fields if self.data.get(name)])


@login_required
def stale_items(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    cause = _newest(lead, request.GET)
    found = since(cause)
    form = StaleForm(request.GET, found=found, project=lead.project)
    if not form.is_valid():
        return _listed(request, lead, {"filters": form, "cause": cause}, status=422)
    filters = form.filters()
    items = with_versions(stale(found, filters), found)
    order = ORDERS["first"]
    item_page = page(
        items,
        order=order,
        after=ItemCursor.read(request.GET.get("after", ""), order),
        before=ItemCursor.read(request.GET.get("before", ""), order),
    )
    count = count_up_to(items)
    context = {
        "cause": cause,
        "causes": causes(lead.project),
        "of_questions": isinstance(cause, Definition),
        "filters": form,
        "page": item_page,
        "rows": [(item, found.why(item.version, item.group)) for item in item_page.items],  # type: ignore[attr-defined]
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "estimate": guidelines_stale.estimate(lead.project, count, group=filters.group),
        "changed": found.sections,
        "reopenable": filters.state == ACCEPTED,
        "earlier": Reopening.objects.filter(project=lead.project).select_related(*CAUSES, "created_by")[:5],
    }
    return _listed(request, lead, context)


def _listed(request: HttpRequest, lead: Member, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return project_page(request, lead, "guidelines/stale.html", context, tab="guidelines", status=status)


def _newest(lead: Member, query: QueryDict) -> Cause:
    """The newest version of what makes items stale: the guidelines, or the questions if the query says so."""
    cause = causes(lead.project).get(QUESTIONS if query.get("cause") == QUESTIONS else GUIDELINES)
    if cause is None:
        raise Http404
    return cause


@require_POST
@login_required
def stale_reopen(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks for confirmation with the number of items and the estimated work, then reopens them."""
    lead = membership(request, slug, LEADS)
    query = QueryDict(request.POST.get("filter", "")[:4000])
    cause = _newest(lead, query)
    found = since(cause)
    form = StaleForm(query, found=found, project=lead.project)
    everything = request.POST.get("scope") == "all"
    ids = sorted({int(pk) for pk in request.POST.getlist("item") if pk.isdecimal() and len(pk) < 19})
    # A filter that cannot be read must never mean "everything".
    if not form.is_valid() or not (everything or ids):
        return project_page(request, lead, "guidelines/stale_nothing.html", {}, tab="guidelines", status=422)
    filters = form.filters()
    if "sure" in request.POST and request.POST.get("version") == str(cause.version):
        note = request.POST.get("note", "").replace("\0", "")[:LONGEST_NOTE]
        new_reopening = reopen.begin(
            cause=cause, by=person(request), filters=filters, ids=None if everything else ids, note=note
        )
        return redirect("reopening", slug, new_reopening.pk)
    selected_items = stale(found, filters)
    count = count_up_to(selected_items if everything else selected_items.filter(pk__in=ids))
    context = {
        "cause": cause,
        "filters": form,
        "everything": everything,
        "ids": ids,
        "count": min(count, COUNTED_AT_MOST),
        "more_than_counted": count > COUNTED_AT_MOST,
        "estimate": guidelines_stale.estimate(lead.project, count, group=filters.group),
        "note": request.POST.get("note", "").replace("\0", "")[:LONGEST_NOTE],
        "longest": LONGEST_NOTE,
        "newer": "sure" in request.POST,
    }
    return project_page(request, lead, "guidelines/stale_confirm.html", context, tab="guidelines")


@login_required
def reopening_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    return _reopening_response(request, lead, _reopening(lead, pk))


@require_POST
@login_required
def reopening_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    stored_reopening = _reopening(lead, pk)
    try:
        reopen.take_back(stored_reopening, by=person(request))
    except (WrongState, Refused) as late:
        stored_reopening.refresh_from_db()
        return _reopening_response(request, lead, stored_reopening, status=409, late=str(late))
    return redirect("reopening", slug, pk)


def _reopening(lead: Member, pk: int) -> Reopening:
    stored_reopening = (
        Reopening.objects.select_related(*CAUSES, "created_by").filter(project=lead.project, pk=pk).first()
    )
    if stored_reopening is None:
        raise Http404
    return stored_reopening


def _reopening_response(
    request: HttpRequest, lead: Member, stored_reopening: Reopening, *, status: int = 200, late: str = ""
) -> HttpResponse:
    context = {
        "one": stored_reopening,
        "reasons": reopen.reasons(stored_reopening),
        "under_way": stored_reopening.state in reopen.UNDER_WAY,
        "late": late,
        "project": lead.project,
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "guidelines/_reopening.html", context, status=status)
    return project_page(request, lead, "guidelines/reopening.html", context, tab="guidelines", status=status)
