import json
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.errors import Refused
from annotate.formats.json_values import BadValue, parse
from annotate.models import Project
from annotate.project import actions
from annotate.web.access import LEADS, WordsField, membership, person, project_page


class JsonText(forms.JSONField):
    """A JSON field for people: indented, with unescaped letters, and as strict as an import."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, forms.fields.InvalidJSONInput):
            return value
        return json.dumps(value, ensure_ascii=False, indent=2)

    def bound_data(self, data: Any, initial: Any) -> Any:
        return forms.fields.InvalidJSONInput(data or "")

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return parse(value.encode(errors="surrogatepass"))
        except BadValue as bad:
            why = f"{bad.path} {bad.message}".strip()
            raise forms.ValidationError(_("This is not valid JSON: %(why)s") % {"why": why}, code="invalid") from bad


def _share(label: Any, help_text: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, help_text=help_text, required=False, min_value=0, max_value=1, max_digits=4, decimal_places=3
    )


class ProjectSettingsForm(forms.ModelForm):
    languages = WordsField(
        label=gettext_lazy("Languages"),
        required=False,
        max_length=400,
        help_text=gettext_lazy("Codes, such as en, zh."),
    )
    reviews = forms.TypedChoiceField(
        label=gettext_lazy("Reviews per item"),
        coerce=int,
        choices=[
            (0, gettext_lazy("none: what is submitted is accepted")),
            (1, gettext_lazy("one: another person decides")),
            (2, gettext_lazy("two: neither knows of the other; where they differ, a third decides")),
        ],
        help_text=gettext_lazy("Counts from the next submission on; what is in review stays there."),
    )
    second_share = _share(
        gettext_lazy("Share of items that get the second review"),
        gettext_lazy("From 0 to 1, drawn by the item's key. The others are reviewed once."),
    )
    overlap = forms.IntegerField(
        label=gettext_lazy("People who write on an item"),
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text=gettext_lazy(
            "More than one: they write independently, and the item moves when all are in. Where they agree in "
            "substance the first text is accepted; where not, somebody else decides. Such items are compared in place "
            "of being reviewed. Counts for items that are put into the queue from now on."
        ),
    )
    overlap_share = _share(
        gettext_lazy("Share of items that several people write on"),
        gettext_lazy("From 0 to 1, drawn by the item's key. The others are written by one and accepted."),
    )
    lease_minutes = forms.IntegerField(
        label=gettext_lazy("Minutes an item is yours without a sign of life"),
        validators=[MinValueValidator(1), MaxValueValidator(24 * 60)],
    )
    blind_share = forms.DecimalField(
        label=gettext_lazy("Share of items shown without the model's draft"),
        min_value=0,
        max_value=1,
        max_digits=4,
        decimal_places=3,
        help_text=gettext_lazy("From 0 to 1. Drawn when an item's work is opened."),
    )
    options = JsonText(
        label=gettext_lazy("Options of the kind"),
        required=False,
        empty_value={},
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code-input"}),
    )

    class Meta:
        model = Project
        fields = [
            "name",
            "languages",
            "reviews",
            "second_share",
            "overlap",
            "overlap_share",
            "lease_minutes",
            "blind_share",
            "waits_for_suggestion",
            "licence",
            "options",
        ]
        help_texts = {
            "waits_for_suggestion": gettext_lazy(
                "New items are handed out only after a model has drafted them. Switched off later, those that wait "
                "already can be put into the queue from the list of items."
            ),
            "licence": gettext_lazy("Stands in every release, such as CC BY 4.0."),
        }

    def clean_options(self) -> dict[str, Any]:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise forms.ValidationError(_("Write an object: { … }."))
        stored, findings = actions.checked_options(self.instance.kind_slug, options)
        if findings:
            raise forms.ValidationError([f"{finding.path}: {finding.message}" for finding in findings])
        return stored

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in ("second_share", "overlap", "overlap_share"):  # an empty field keeps the stored value
            if name not in self.errors and cleaned.get(name) is None:
                cleaned[name] = self.initial[name]
        if (cleaned.get("overlap") or 1) > 1 and cleaned.get("reviews"):
            self.add_error("overlap", _("Either several people write and are compared, or one writes and is reviewed."))
        return cleaned


@login_required
def project_settings(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    form = ProjectSettingsForm(request.POST or None, instance=Project.objects.get(pk=lead.project_id))
    if request.method == "POST" and form.is_valid():
        actions.change_settings(lead.project, **form.cleaned_data)
        messages.success(request, _("Settings saved."))
        return redirect("project_settings", slug)
    defaults = lead.project.kind.options().model_dump(mode="json")
    context = {"form": form, "kind": lead.project.kind, "defaults": json.dumps(defaults, ensure_ascii=False, indent=2)}
    status = 422 if form.errors else 200
    return project_page(request, lead, "projects/settings.html", context, tab="settings", status=status)


@require_POST
@login_required
def pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Resumes the project if `resume` is posted, otherwise pauses it with the given reason."""
    lead = membership(request, slug, LEADS)
    if "resume" in request.POST:
        actions.resume(lead.project)
        messages.success(request, _("Work goes on."))
        return redirect("project_settings", slug)
    try:
        actions.pause(lead.project, by=person(request), reason=request.POST.get("reason", "")[:2000])
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Paused. Nobody is handed anything new; what is open can be finished."))
    return redirect("project_settings", slug)
