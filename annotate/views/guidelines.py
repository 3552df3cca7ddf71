from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Guideline, Member
from annotate.services import guidelines as sections
from annotate.services.errors import WrongState
from annotate.services.guidelines.checking import BadGuidelines
from annotate.services.guidelines.names import field_labels, groups
from annotate.services.guidelines.stale import Filters, since, stale
from annotate.services.items.lists import count_up_to
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from lib.texts.differences import difference
from lib.texts.render import difference_html

LONGEST = 100_000  # characters


class GuidelineForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Guidelines, in Markdown"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


@dataclass(frozen=True)
class Compared:
    old: Guideline
    new: Guideline
    html: SafeString


@login_required
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version or, by ?version=, an older one; with ?against= what changed between the two."""
    member = membership(request, slug)
    versions = list(member.project.guidelines.select_related("author").defer("text"))
    guideline = _version(member, request.GET.get("version") or (versions[0].version if versions else None))
    against = _version(member, request.GET.get("against"))
    compared = None
    if guideline and against:
        old, new = sorted((guideline, against), key=lambda version: version.version)
        compared = Compared(old, new, difference_html(difference(old.text, new.text)))
    context: dict[str, Any] = {
        "versions": versions,
        "shown": guideline,
        "compared": compared,
        "parts": sections.parts(member.project, guideline.text) if guideline and not compared else [],
    }
    context["stale"] = _stale(member, guideline, versions) if member.leads and not compared else 0
    return project_page(request, member, "guidelines/guidelines.html", context, tab="guidelines")


def _stale(member: Member, guideline: Guideline | None, versions: list[Guideline]) -> int:
    """How many accepted items the newest version makes stale, where it is on screen; counted up to a limit."""
    if guideline is None or len(versions) < 2 or guideline.version != versions[0].version:
        return 0
    guideline.project = member.project
    return count_up_to(stale(since(guideline), Filters()))


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
    context = {"form": form, "fields": field_labels(lead.project), "groups": groups(lead.project)} | more
    return project_page(request, lead, "guidelines/edit.html", context, tab="guidelines", status=status)


def _preview(request: HttpRequest, lead: Member, form: GuidelineForm) -> HttpResponse:
    """What is in the editor, rendered; the page without scripts keeps the text in its form and shows it below."""
    form.full_clean()
    text = request.POST.get("text", "")[:LONGEST]
    context: dict[str, Any] = {
        "parts": sections.parts(lead.project, text),
        "refused": sections.problems(lead.project, text),
        "previewed": True,
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "guidelines/_preview.html", context | {"form": form, "project": lead.project})
    return _editor(request, lead, form, **context)


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
    messages.success(request, _("Version %(version)d is what everybody sees now.") % {"version": saved.version})
    return redirect("guidelines", lead.project.slug)
