"""The page of a project's questions: as cards or as text, beside the work page that they make."""

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.definitions.actions import write_definition
from annotate.definitions.form_editor import FormEditor
from annotate.definitions.preview import PreviewOptions, faults_of, looked_at
from annotate.errors import Refused, WrongState
from annotate.kinds.questions.definition import QUESTION_TYPES
from annotate.models import Definition, Member
from annotate.web.access import LEADS, membership, person, project_page
from annotate.work.keys import keys_of
from lib.texts.yaml_core import LONGEST

EDITED = "definition-edited"  # the event after which the preview is made anew


class DefinitionForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Questions, as YAML"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 26, "spellcheck": "false", "class": "code-input"}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


def lead_of(request: HttpRequest, slug: str) -> Member:
    """The lead of a project with own questions; strangers and other kinds get 404."""
    lead = membership(request, slug, LEADS)
    if not lead.project.kind.defined:
        raise Http404
    return lead


@login_required
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version, or with ?version= an older one to go back to; saves the next version.

    ?edit=form (the default) or text. ?item=, ?width= and ?language= choose what the preview shows.
    """
    lead = lead_of(request, slug)
    newest = lead.project.definitions.first()
    start = _version(lead, request.GET.get("version")) or newest
    initial: dict[str, Any] = {"text": start.text if start else "", "based_on": newest.version if newest else 0}
    form = DefinitionForm(request.POST or None, initial=initial)
    page = QuestionsPage(request, lead, form)
    if request.method != "POST":
        return page.opened(initial["text"])
    text = request.POST.get("text", "")[:LONGEST].replace("\r\n", "\n")
    return page.posted_by_form(text) if "document" in request.POST else page.posted_as_text(text)


def _version(lead: Member, number: str | None) -> Definition | None:
    if not number:
        return None
    if not number.isdecimal() or len(number) > 4:
        raise Http404
    definition = lead.project.definitions.filter(version=int(number)).first()
    if definition is None:
        raise Http404
    return definition


class QuestionsPage:
    """The answers to one request. form: of the text, its note and the version that it is based on."""

    def __init__(self, request: HttpRequest, lead: Member, form: DefinitionForm) -> None:
        self.request, self.lead, self.form = request, lead, form
        self.project = lead.project
        self.options = PreviewOptions.read(request)
        self.is_htmx = bool(request.htmx)  # type: ignore[attr-defined]  # set by django-htmx's middleware

    @property
    def tried(self) -> QueryDict:
        """The answers in the preview; none where another item comes into it."""
        item = self.request.GET.get("item")
        return self.request.POST if item in (None, self.request.POST.get("item")) else QueryDict()

    def opened(self, text: str) -> HttpResponse:
        if self.options.edit == "text":
            return self._page(text)
        try:
            return self._page(text, FormEditor.opened(self.project, text))
        except Refused as refused:
            return self._page(text, unshown=str(refused))

    # --- edited as text -----------------------------------------------------------------------------------------------
    def posted_as_text(self, text: str) -> HttpResponse:
        if "preview" in self.request.POST:
            self.form.full_clean()
            return self._preview(text)
        if self.request.POST.get("edit_as") == "form":
            return self._switched_to_form(text)
        return self._save(text) if self.form.is_valid() else self._page(text, status=422)

    def _switched_to_form(self, text: str) -> HttpResponse:
        try:
            return self._page(text, FormEditor.opened(self.project, text))
        except Refused as refused:
            self.form.add_error("text", str(refused))
            return self._page(text, status=422)

    # --- edited by form controls --------------------------------------------------------------------------------------
    def posted_by_form(self, base: str) -> HttpResponse:
        try:
            editor = FormEditor.posted(self.project, self.request.POST, base)
        except Refused as refused:
            return self._page(base, unshown=str(refused), status=422)
        if editor.edited_table:
            return self._table(editor)
        if "preview" in self.request.POST:
            return self._preview(editor.text, editor)
        if not editor.is_readable:
            return self._cards(editor, status=422)
        if self.request.POST.get("edit_as") == "text":
            return self._page(editor.text)
        if "save" in self.request.POST:
            return self._save(editor.text, editor)
        editor.act(self.request.POST.get("do", ""), self.request.POST.get("new_type", ""))
        return self._cards(editor)

    def _table(self, editor: FormEditor) -> HttpResponse:
        editor.form.errors.clear()  # type: ignore[union-attr]  # the table is one of its fields
        if not self.is_htmx:
            return self._page(editor.text, editor)
        context = {"field": editor.edited_table, "action": self.request.path}
        return self._then_preview(render(self.request, "option_forms/_rows.html", context))

    def _cards(self, editor: FormEditor, *, status: int = 200) -> HttpResponse:
        if not self.is_htmx:
            return self._page(editor.text, editor, status=status)
        looked_at_now = looked_at(self.project, editor.text, self.options, self.tried)
        editor.blame(looked_at_now.get("faults", ()))
        context = self._context(editor.text, editor) | {"project": self.project, "membership": self.lead}
        return self._then_preview(render(self.request, "definitions/_editor.html", context, status=status))

    def _then_preview(self, answer: HttpResponse) -> HttpResponse:
        answer["HX-Trigger-After-Settle"] = EDITED
        return answer

    # --- both ---------------------------------------------------------------------------------------------------------
    def _preview(self, text: str, editor: FormEditor | None = None) -> HttpResponse:
        if not self.is_htmx:
            return self._page(text, editor)
        frame = {"project": self.project, "membership": self.lead, "editor": editor}
        preview = looked_at(self.project, text, self.options, self.tried)
        if editor:
            editor.faults = preview.get("faults", ())
        return render(self.request, "definitions/_preview.html", frame | preview)

    def _save(self, text: str, editor: FormEditor | None = None) -> HttpResponse:
        if not self.form.is_valid():
            return self._page(text, editor, status=422)
        based_on, note = self.form.cleaned_data["based_on"], self.form.cleaned_data["note"]
        try:
            saved = write_definition(self.project, text=text, note=note, by=person(self.request), based_on=based_on)
        except Refused as refused:
            return self._refused(refused, text, editor)
        except WrongState as raced:
            stored_text = self.project.definitions.order_by("-version")[0].text
            return render(self.request, "409.html", {"reason": raced, "mine": text, "theirs": stored_text}, status=409)
        messages.success(
            self.request, _("Everyone now works on version %(version)d of the questions.") % {"version": saved.version}
        )
        return redirect("questions", self.project.slug)

    def _refused(self, refused: Refused, text: str, editor: FormEditor | None) -> HttpResponse:
        if editor is None:
            self.form.add_error("text", str(refused))
        return self._page(text, editor, status=422, refused=faults_of(refused))

    def _page(
        self,
        text: str,
        editor: FormEditor | None = None,
        *,
        status: int = 200,
        unshown: str = "",
        refused: Any = (),
    ) -> HttpResponse:
        """unshown: why the form cannot show the text. refused: faults that only saving has found."""
        preview = looked_at(self.project, text, self.options, self.tried)
        if editor:
            editor.blame(preview.get("faults") or refused)
        own_keys = json.dumps(keys_of(self.lead.user.keys))
        context = preview | self._context(text, editor) | {"unshown": unshown, "own_keys": own_keys}
        return project_page(
            self.request, self.lead, "definitions/questions.html", context, tab="questions", status=status
        )

    def _context(self, text: str, editor: FormEditor | None) -> dict[str, Any]:
        form = self.form
        if form.is_bound and editor is None:
            data: Any = form.data
            form.data = data = data.copy()
            data["text"] = text
        return {
            "form": form,
            "editor": editor,
            "edit": "form" if editor else "text",
            "versions": list(self.project.definitions.select_related("author").defer("text")),
            "question_types": [name for name, question_type in QUESTION_TYPES.items() if question_type.offered],
            "action": self.request.path,
        }
