"""The settings of a project: its columns and its kind's options as fields, the same options as JSON, and the pause."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
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
from annotate.kinds.shapes import Finding
from annotate.models import Member, Project
from annotate.option_forms.fields import JsonText, PercentField, described
from annotate.option_forms.forms import Effect, Section, SettingsForm, opened_in, settings_answer
from annotate.option_forms.meanwhile import PREFIX, gathered, merge, spread
from annotate.option_forms.option_mapping import changed_options, json_only, option_fields
from annotate.project import actions
from annotate.project.settings_effects import effects
from annotate.web.access import LEADS, WordsField, membership, person, project_page

KEPT = ("second_share", "overlap", "overlap_share")  # left empty, these keep their stored value


class ProjectSettingsForm(SettingsForm, forms.ModelForm):
    """Columns of the project, and each option of its kind as `option-<name>`."""

    sections: Sequence[Section] = (
        (gettext_lazy("Project"), ("name", "languages", "licence")),
        (
            gettext_lazy("Writing and reviewing"),
            ("reviews", "second_share", "overlap", "overlap_share", "lease_minutes"),
        ),
        (gettext_lazy("Suggestions of models"), ("waits_for_suggestion", "blind_share")),
    )

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
    second_share = described(
        PercentField(
            label=gettext_lazy("Share of items with a second review"),
            required=False,
            help_text=gettext_lazy("Drawn by item key. The others are reviewed once."),
        ),
        unit="%",
        example="25",
    )
    overlap = described(
        forms.IntegerField(
            label=gettext_lazy("People per item"),
            required=False,
            validators=[MinValueValidator(1), MaxValueValidator(20)],
            help_text=gettext_lazy(
                "More than one: they write independently, and the item moves on when all have submitted. If "
                "they agree in substance, the first text is accepted; if not, someone else decides. Such items "
                "are compared instead of reviewed. Applies to items put into the queue from now on."
            ),
        ),
        unit=gettext_lazy("people"),
        example="3",
    )
    overlap_share = described(
        PercentField(
            label=gettext_lazy("Share of items with several people"),
            required=False,
            help_text=gettext_lazy("Drawn by item key. The others are written by one person and accepted."),
        ),
        unit="%",
        example="10",
    )
    lease_minutes = described(
        forms.IntegerField(
            label=gettext_lazy("Return an idle item to the queue after"),
            validators=[MinValueValidator(1), MaxValueValidator(24 * 60)],
        ),
        unit=gettext_lazy("minutes"),
        example="30",
    )
    blind_share = described(
        PercentField(
            label=gettext_lazy("Blind share (no suggestion shown)"),
            help_text=gettext_lazy("Drawn when an item enters the queue; it shows the effect of suggestions."),
        ),
        unit="%",
        example="10",
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
        ]
        help_texts = {
            "waits_for_suggestion": gettext_lazy(
                "New items enter the queue only after a model has drafted them. If you turn this off "
                "later, put waiting items into the queue from the list of items."
            ),
            "licence": gettext_lazy("Included in every release, such as CC BY 4.0."),
        }

    def __init__(self, data: Any, *, project: Project) -> None:
        super().__init__(data, instance=project)
        for name in KEPT:
            self.fields[name].optional_unsaid = True  # type: ignore[attr-defined]  # for templates
        self.opened_options = _opened_options(data, project)
        self.option_fields = option_fields(project.kind.options, self.opened_options)
        self.fields |= {PREFIX + name: field for name, field in self.option_fields.items()}
        heading = gettext_lazy("Labels and rules")
        self.sections = (*self.sections, (heading, [PREFIX + name for name in self.option_fields]))
        columns = {name: getattr(project, name) for name in self.Meta.fields}
        self.remember(spread({**columns, "options": project.options}))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in KEPT:
            if name not in self.errors and cleaned.get(name) is None:
                cleaned[name] = self.initial[name]
        if (cleaned.get("overlap") or 1) > 1 and cleaned.get("reviews"):
            self.add_error(
                "overlap", _("Either several people write and are compared, or one person writes and is reviewed.")
            )
        _stored, findings = actions.checked_options(self.instance.kind_slug, self.options)
        for place, message in _at_fields(findings, self.fields):
            if place not in self.errors:
                self.add_error(place, message)
        return cleaned

    @property
    def options(self) -> dict[str, Any]:
        """The options as they would be stored; those without a valid value as they are."""
        values = {name: self.cleaned_data.get(PREFIX + name) for name in self.option_fields}
        posted = {name: value for name, value in values.items() if PREFIX + name in self.cleaned_data}
        changed: dict[str, Any] = changed_options(self.opened_options, self.option_fields, posted)
        return changed

    @property
    def entered(self) -> dict[str, Any]:
        columns = {name: self.cleaned_data[name] for name in self.Meta.fields}
        return spread({**columns, "options": self.options})


def _opened_options(data: Any, project: Project) -> dict[str, Any]:
    """The options from which somebody started: what they did not touch is no change, whatever is stored now."""
    opened = opened_in(data)
    options, findings = actions.checked_options(project.kind_slug, gathered(opened)["options"])
    return options if opened and not findings else dict(project.options)


def _at_fields(findings: list[Finding], fields: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
    """(name of the form field, message) of each finding; no name where no field shows the option."""
    for finding in findings:
        path, message = finding.path, finding.message
        if not path and PREFIX + message.partition(": ")[0] in fields:  # a rule about several options names one
            path, _colon, message = message.partition(": ")
        name = PREFIX + finding.field if finding.path else PREFIX + path
        place = path.removeprefix(name.removeprefix(PREFIX)).lstrip(".")
        if name in fields:
            yield name, f"{place}: {message}" if place else message
        else:
            yield None, f"{path}: {message}" if path else message


class OptionsJsonForm(SettingsForm, forms.Form):
    """All options of the kind as one JSON object, for those who want to see or change everything at once."""

    options = JsonText(
        label=gettext_lazy("Labels and rules"),
        required=False,
        empty_value={},
        help_text=gettext_lazy("Anything you set here overrides the default."),
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code-input"}),
    )

    def __init__(self, data: Any, *, project: Project) -> None:
        super().__init__(data, auto_id="json_%s", initial={"options": project.options})
        self.kind_slug = project.kind_slug
        self.remember(spread({"options": project.options}))

    def clean_options(self) -> dict[str, Any]:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise forms.ValidationError(_("Enter a JSON object: { … }."))
        stored, findings = actions.checked_options(self.kind_slug, options)
        if findings:
            raise forms.ValidationError([f"{finding.path}: {finding.message}" for finding in findings])
        return stored

    @property
    def entered(self) -> dict[str, Any]:
        return spread({"options": self.cleaned_data["options"]})


@login_required
def project_settings(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    as_json = "as_json" in request.POST
    forms_of_page = {
        # The form writes into its own copy, so that a refused form does not change what the page shows.
        "form": ProjectSettingsForm(_posted(request, not as_json), project=Project.objects.get(pk=lead.project_id)),
        "json_form": OptionsJsonForm(_posted(request, as_json), project=lead.project),
    }
    form: Any = forms_of_page["json_form" if as_json else "form"]

    def save() -> HttpResponse:
        kept = actions.save_settings(lead.project, opened=form.opened, entered=form.entered)
        messages.success(request, _("Settings saved."))
        if kept:
            messages.info(request, _("What somebody else changed meanwhile was kept."))
        return redirect("project_settings", slug)

    page = partial(_settings_page, request, lead, forms_of_page | {"as_json": as_json})
    return settings_answer(request, form, page=page, effects=lambda: _effects(lead.project, form), save=save)


def _posted(request: HttpRequest, mine: bool) -> Any:
    return request.POST if request.method == "POST" and mine else None


def _effects(project: Project, form: Any) -> list[Effect]:
    columns = {name: getattr(project, name) for name in form.opened if not name.startswith(PREFIX)}
    stored = spread({**columns, "options": project.options})
    return effects(project, gathered(merge(form.opened, form.entered, stored).values))


def _settings_page(
    request: HttpRequest, lead: Member, context: dict[str, Any], *, status: int = 200, **more: Any
) -> HttpResponse:
    kind = lead.project.kind
    context |= {
        "kind": kind,
        "has_options": bool(kind.options.model_fields),
        "defaults": json.dumps(kind.options().model_dump(mode="json"), ensure_ascii=False, indent=2),
        "json_only": json_only(kind.options, context["form"].option_fields),
    }
    return project_page(request, lead, "projects/settings.html", context | more, tab="project_settings", status=status)


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
