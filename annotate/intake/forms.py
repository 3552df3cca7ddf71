from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.errors import Refused
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.formats.chatlog.rules import APOLOGIES, OFF, RULES, is_chinese
from annotate.formats.chatlog.selection import LogSelection, choose
from annotate.formats.format import BadOption, Format
from annotate.formats.registry import all_formats, find_format, guess
from annotate.formats.rows import Problem
from annotate.intake.mapping_forms import FileContent, MappingForm
from annotate.intake.row_checks import LOOKS_LIKE
from annotate.intake.row_reader import Settings
from annotate.media.bundles import rows_name
from annotate.models import Project
from lib.texts.personal_data import KINDS

DRAFTS = [
    ("suggestion", gettext_lazy("suggestions for people to refine")),
    ("final", gettext_lazy("final work: accept it as it is")),
    ("facts", gettext_lazy("nothing: ignore them")),
]
DUPLICATES = [
    ("skip", gettext_lazy("skip it")),
    ("update", gettext_lazy("update items that nobody has started, and metadata of all; skip the rest")),
    ("round", gettext_lazy("start a new round from the new draft, even for items in progress")),
]
TAKES = "as"  # the option of a format for what its drafts become; shown once for all formats


class ImportSettingsForm(MappingForm):
    """How a file is imported. Formats' own options are fields called <format>-<option>."""

    format = forms.ChoiceField(label=gettext_lazy("Format"), required=False)
    drafts = forms.ChoiceField(
        label=gettext_lazy("Treat existing annotations as"),
        choices=DRAFTS,
        initial="suggestion",
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "A suggestion counts as a model's text wherever authorship is measured, even if a person wrote it. "
            "Import people's own work as final work."
        ),
    )
    duplicates = forms.ChoiceField(
        label=gettext_lazy("If a row already exists"),
        choices=DUPLICATES,
        initial="skip",
        widget=forms.RadioSelect,
    )
    checks = forms.BooleanField(label=gettext_lazy("Detect personal data and language"), required=False, initial=True)

    def __init__(
        self,
        *args: Any,
        project: Project,
        file_name: str = "",
        content: FileContent | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, content=content, **options)
        self._file_name, self._kind_slug, self._project = file_name, project.kind_slug, project
        self._formats = {
            slug: file_format for slug, file_format in all_formats().items() if file_format.suits(project.kind_slug)
        }
        by_name = ("", _("Detect automatically"))
        names = [(slug, str(file_format.name)) for slug, file_format in self._formats.items()]
        self.fields["format"].choices = [by_name, *names]  # type: ignore[attr-defined]
        for file_format in self._formats.values():
            self._add_options(file_format)
        if content and content.columns:
            self.add_mapping(project)

    def _add_options(self, file_format: Format) -> None:
        for option in file_format.options:
            if option.name != TAKES:
                self.fields[f"{file_format.slug}-{option.name}"] = forms.ChoiceField(
                    label=_("%(format)s: %(option)s") % {"format": file_format.name, "option": option.label},
                    choices=[(choice, _(choice)) for choice in option.choices],
                    initial=option.default,
                    required=False,
                )

    @property
    def file_name(self) -> str:
        return self._file_name

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean()
        if not cleaned_data.get("format") and self.file_name and "format" not in self.errors:
            guessed = guess(self.file_name, self._kind_slug)
            if isinstance(guessed, Problem):
                self.add_error("format", guessed.message)
            else:
                cleaned_data["format"] = guessed.slug
        return cleaned_data

    def settings(self) -> Settings:
        cleaned_data = self.cleaned_data
        file_format = find_format(cleaned_data["format"])
        options = {
            option.name: self._option(file_format, option.name, option.default) for option in file_format.options
        }
        choices = {name: cleaned_data[name] for name in ("drafts", "duplicates", "checks")}
        return Settings(
            format=file_format.slug,
            options=options,
            mapping=self.chosen_mapping(),
            words=self.chosen_words(),
            **choices,
        )

    def _option(self, file_format: Format, name: str, default: str) -> str:
        if name == TAKES:
            return str(self.cleaned_data["drafts"])
        return str(self.cleaned_data.get(f"{file_format.slug}-{name}") or default)


class UploadForm(ImportSettingsForm):
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=1000,
        help_text=gettext_lazy("JSON lines, a JSON array, CSV or TSV, also gzipped; Parquet."),
    )
    field_order = ["file"]

    @property
    def file_name(self) -> str:
        return self._rows_name if self.cleaned_data.get("file") else ""

    def clean(self) -> dict[str, Any]:
        """Of a zip, the name of the rows in it says the format."""
        file = self.cleaned_data.get("file")
        try:
            self._rows_name = rows_name(self._project, file, file.name) if file else ""
        except Refused as refused:
            self.add_error("file", str(refused))
        return super().clean()

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.UPLOAD_MAX_BYTES:
            limit = filesizeformat(settings.UPLOAD_MAX_BYTES)
            message = _("The file is larger than %(limit)s. Compress or split it.")
            raise forms.ValidationError(message % {"limit": limit})
        return file


def initial_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The form's values for stored settings."""
    stored_settings = Settings(**stored)
    options = {f"{stored_settings.format}-{name}": value for name, value in stored_settings.options.items()}
    return options | {
        "format": stored_settings.format,
        "drafts": stored_settings.drafts,
        "duplicates": stored_settings.duplicates,
        "checks": stored_settings.checks,
    }


PHRASES = {"en": gettext_lazy("Phrases (English)"), "zh": gettext_lazy("Phrases (Chinese)")}


class LogForm(forms.Form):
    """A log and its scenario."""

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
    """Each rule: whether it applies, and its value. Phrases have one field per language, one phrase per line."""

    def __init__(self, *args: Any, chosen: LogSelection, **options: Any) -> None:
        super().__init__(*args, **options)
        self._chosen = chosen
        values = {rule.name: rule.value for rule in chosen.rules}
        for name, rule in RULES.items():
            reads = _("Uses %(what)s.") % {"what": rule.needs}
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
        for name, value in value_by_rule.items():  # one by one, so that each error is shown at its rule
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
            return phrases.strip() or "|"  # no phrase at all, which the rule refuses
        return str(cleaned_data.get(name) or "")

    @property
    def rules(self) -> list[list[forms.BoundField]]:
        """The fields of each rule together: first whether it applies."""
        return [[self[field] for field in self.fields if field.partition("-")[0] == name] for name in RULES]


class KindsForm(forms.Form):
    """Which kinds of personal data are replaced."""

    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Replace"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["kinds"].choices = [(kind, _(LOOKS_LIKE[kind])) for kind in KINDS]  # type: ignore[attr-defined]
