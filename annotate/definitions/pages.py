"""The page of a project's questions: their text, the work page that it makes, and what it does to stored answers."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.definitions.actions import checked, preview_facts, write_definition
from annotate.definitions.effects import effects
from annotate.errors import Refused, WrongState
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import Definition, Item, Member, Project
from annotate.web.access import LEADS, membership, person, project_page
from lib.texts.yaml_core import LONGEST


class DefinitionForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Questions, as YAML"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 26, "spellcheck": "false", "class": "code-input"}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


def _lead_of(request: HttpRequest, slug: str) -> Member:
    lead = membership(request, slug, LEADS)
    if not lead.project.kind.defined:
        raise Http404
    return lead


@login_required
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version, or with ?version= an older one to go back to; its work page; saves the next version."""
    lead = _lead_of(request, slug)
    newest = lead.project.definitions.first()
    start = _version(lead, request.GET.get("version")) or newest
    initial: dict[str, Any] = {"text": start.text if start else "", "based_on": newest.version if newest else 0}
    form = DefinitionForm(request.POST or None, initial=initial)
    if request.method != "POST":
        return _editor(request, lead, form, initial["text"])
    text = request.POST.get("text", "")[:LONGEST].replace("\r\n", "\n")
    if "preview" in request.POST:
        form.full_clean()
        return _preview(request, lead, form, text)
    return _save(request, lead, form, text) if form.is_valid() else _editor(request, lead, form, text, status=422)


def _version(lead: Member, number: str | None) -> Definition | None:
    if not number:
        return None
    if not number.isdecimal() or len(number) > 4:
        raise Http404
    found = lead.project.definitions.filter(version=int(number)).first()
    if found is None:
        raise Http404
    return found


def _editor(request: HttpRequest, lead: Member, form: DefinitionForm, text: str, *, status: int = 200) -> HttpResponse:
    versions = list(lead.project.definitions.select_related("author").defer("text"))
    context = {"form": form, "versions": versions} | _looked_at(lead.project, text)
    return project_page(request, lead, "definitions/questions.html", context, tab="questions", status=status)


def _preview(request: HttpRequest, lead: Member, form: DefinitionForm, text: str) -> HttpResponse:
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": lead.project, "membership": lead}
        return render(request, "definitions/_preview.html", frame | _looked_at(lead.project, text))
    return _editor(request, lead, form, text)


def _save(request: HttpRequest, lead: Member, form: DefinitionForm, text: str) -> HttpResponse:
    based_on, note = form.cleaned_data["based_on"], form.cleaned_data["note"]
    try:
        saved = write_definition(lead.project, text=text, note=note, by=person(request), based_on=based_on)
    except Refused as refused:
        form.add_error("text", str(refused))
        return _editor(request, lead, form, text, status=422)
    except WrongState as raced:
        theirs = lead.project.definitions.order_by("-version")[0].text
        return render(request, "409.html", {"reason": raced, "mine": text, "theirs": theirs}, status=409)
    messages.success(
        request, _("Everyone now works on version %(version)d of the questions.") % {"version": saved.version}
    )
    return redirect("questions", lead.project.slug)


def _looked_at(project: Project, text: str) -> dict[str, Any]:
    """What the page says of a text: its faults, or the work page that it makes and what it does to stored answers."""
    newest = project.definitions.first()
    try:
        kind = project.kind if newest and newest.text == text else checked(project, text)
    except Refused as refused:
        return {"faults": str(refused).split("; ")}
    item = _example(project, kind)
    facts = kind.read_facts(item.facts)
    shown = {"kind": kind, "item": item, "facts": facts, "draft": kind.empty_draft(facts), "previewed": True}
    return shown if kind is project.kind else shown | {"effects": effects(project, kind)}


def _example(project: Project, kind: Kind) -> Item:
    """The project's first item as it would be, or one that names its columns; its project asks the new questions."""
    item = Item.objects.filter(project=project).order_by("pk").first()
    if item is not None:
        item.facts = preview_facts(project, kind, item)
    if item is None or not _can_be_read(kind, item.facts):
        item = Item(pk=0, project=project, key="", facts=kind.example_facts())
    item.project = Project.objects.get(pk=project.pk)
    item.project.__dict__["kind"] = kind
    return item


def _can_be_read(kind: Kind, facts: dict[str, Any]) -> bool:
    try:
        kind.read_facts(facts)
    except BadShape:
        return False
    return True
