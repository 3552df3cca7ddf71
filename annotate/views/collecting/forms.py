from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.formats.base import BadOption
from annotate.formats.chatlog.choosing import Chosen, choose
from annotate.formats.chatlog.rules import APOLOGIES, OFF, RULES, is_chinese
from annotate.formats.chatlog.scenarios import scenarios_of
from annotate.models import Project
from annotate.services.importing.checks import LOOKS_LIKE
from annotate.views.importing.forms import UploadForm
from lib.texts.personal_data import KINDS

PHRASES = {"en": gettext_lazy("Phrases, English"), "zh": gettext_lazy("Phrases, Chinese")}


class LogForm(forms.Form):
    """A log, and what for."""

    file = forms.FileField(
        label=gettext_lazy("File"), max_length=1000, help_text=gettext_lazy("JSON lines or a JSON array; also gzipped.")
    )
    scenario = forms.ChoiceField(label=gettext_lazy("Collect for"), widget=forms.RadioSelect)

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        offered = scenarios_of(project.kind_slug)
        words = [
            (scenario.slug, _("%(name)s: %(about)s") % {"name": scenario.name, "about": scenario.about})
            for scenario in offered
        ]
        self.fields["scenario"].choices = words  # type: ignore[attr-defined]
        self.fields["scenario"].initial = offered[0].slug

    clean_file = UploadForm.clean_file


class RulesForm(forms.Form):
    """Each rule: whether it holds, and its value. Phrases stand in one field a language, a line each."""

    def __init__(self, *args: Any, chosen: Chosen, **options: Any) -> None:
        super().__init__(*args, **options)
        self._chosen = chosen
        values = {rule.name: rule.value for rule in chosen.rules}
        for name, rule in RULES.items():
            reads = _("Reads %(what)s.") % {"what": rule.needs}
            holds = forms.BooleanField(label=str(rule.label), required=False, initial=name in values, help_text=reads)
            self.fields[f"{name}-on"] = holds
            if name == "apology":
                self._add_phrases(values.get(name, rule.usual))
            elif rule.usual:
                self.fields[name] = forms.CharField(
                    label=_("Value"), required=False, max_length=40, initial=values.get(name, rule.usual)
                )

    def _add_phrases(self, value: str) -> None:
        phrases = value.split("|")
        for language in APOLOGIES:
            language_phrases = [phrase for phrase in phrases if is_chinese(phrase) == (language == "zh")]
            self.fields[f"apology-{language}"] = forms.CharField(
                label=PHRASES[language],
                required=False,
                max_length=8000,
                initial="\n".join(language_phrases),
                widget=forms.Textarea(attrs={"rows": 5}),
            )

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        value_by_rule = {
            name: self._value(cleaned_data, name) if cleaned_data.get(f"{name}-on") else OFF for name in RULES
        }
        for name, value in value_by_rule.items():  # one by one, so that each objection stands beside its rule
            try:
                RULES[name]("" if value == OFF else value)
            except BadOption as bad:
                self.add_error(name if name in self.fields else f"{name}-on", str(bad))
        if not self.errors:
            selection = choose(self._chosen.scenario.slug, value_by_rule)
            self.chosen = selection.replacing(self._chosen.replaces, self._chosen.stays)
        return cleaned_data

    @staticmethod
    def _value(cleaned_data: Mapping[str, Any], name: str) -> str:
        if name == "apology":
            phrases = "\n".join(str(cleaned_data.get(f"apology-{language}") or "") for language in APOLOGIES)
            return phrases.strip() or "|"  # without any, which the rule refuses
        return str(cleaned_data.get(name) or "")

    @property
    def rules(self) -> list[list[forms.BoundField]]:
        """The fields of one rule together: first whether it holds."""
        return [[self[field] for field in self.fields if field.partition("-")[0] == name] for name in RULES]


class KindsForm(forms.Form):
    """Which personal data is replaced at all."""

    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Replace"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["kinds"].choices = [(kind, _(LOOKS_LIKE[kind])) for kind in KINDS]  # type: ignore[attr-defined]
