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
            (0, gettext_lazy("none: submitted work is accepted")),
            (1, gettext_lazy("one: another person decides")),
            (2, gettext_lazy("two: independent; if they differ, a third person decides")),
        ],
        help_text=gettext_lazy("Applies from the next submission; items in review stay there."),
    )
    second_share = _share(
        gettext_lazy("Share of items with a second review"),
        gettext_lazy("0 to 1, drawn by item key. The others are reviewed once."),
    )
    overlap = forms.IntegerField(
        label=gettext_lazy("People per item"),
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text=gettext_lazy(
            "More than one: they write independently, and the item moves on when all have submitted. If "
            "they agree in substance, the first text is accepted; if not, someone else decides. Such items "
            "are compared instead of reviewed. Applies to items put into the queue from now on."
        ),
    )
    overlap_share = _share(
        gettext_lazy("Share of items with several people"),
        gettext_lazy("0 to 1, drawn by item key. The others are written by one person and accepted."),
    )
    lease_minutes = forms.IntegerField(
        label=gettext_lazy("Return an item to the queue after (minutes idle)"),
        validators=[MinValueValidator(1), MaxValueValidator(24 * 60)],
    )
    blind_share = forms.DecimalField(
        label=gettext_lazy("Blind share (no suggestion shown)"),
        min_value=0,
        max_value=1,
        max_digits=4,
        decimal_places=3,
        help_text=gettext_lazy("0 to 1, drawn when an item is first opened."),
    )
    options = JsonText(
        label=gettext_lazy("Labels and rules"),
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
                "New items enter the queue only after a model has drafted them. If you turn this off "
                "later, put waiting items into the queue from the list of items."
            ),
            "licence": gettext_lazy("Included in every release, such as CC BY 4.0."),
        }

    def clean_options(self) -> dict[str, Any]:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise forms.ValidationError(_("Enter a JSON object: { … }."))
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
            self.add_error(
                "overlap", _("Either several people write and are compared, or one person writes and is reviewed.")
            )
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
    return project_page(request, lead, "projects/settings.html", context, tab="project_settings", status=status)


@require_POST
@login_required
def pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Resumes the project if `resume` is posted, otherwise pauses it with the given reason."""
    lead = membership(request, slug, LEADS)
    if "resume" in request.POST:
        actions.resume(lead.project)
        messages.success(request, _("Work resumed."))
        return redirect("project_settings", slug)
    try:
        actions.pause(lead.project, by=person(request), reason=request.POST.get("reason", "")[:2000])
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Paused. Nobody gets new items; open ones can be finished."))
    return redirect("project_settings", slug)
