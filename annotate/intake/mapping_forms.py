"""The part of an import's form that says which column becomes which field, and what the file's own words stand for."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.intake.closed_values import UnknownValues, Words, allowed_values, offered_languages
from annotate.intake.mapping import CONSTANT, KEY, LANGUAGE, FileColumn
from annotate.kinds.contract import Kind
from annotate.kinds.questions.model_names import name_targets
from annotate.models import Project

MAP = "map-"  # begins the names of fields that say where a value comes from
SAY = "say-"  # the same for texts that every row has
WORD = "word-"  # the same for what a text of the file stands for
LONGEST_CONSTANT = 1000
MOST_CHOICES, FEWEST_OFFERED = 20_000, 30  # of all fields together; columns at each field
OWN_LABELS: dict[str, str | Promise] = {KEY: gettext_lazy("Key"), LANGUAGE: gettext_lazy("Language")}


@dataclass(frozen=True)
class FileContent:
    """What a form of mapping needs of a file. columns: to choose from. mapping, words: as stored; what the page does
    not offer stays as it is. unknown: texts that their fields do not allow.
    """

    columns: Sequence[FileColumn] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    unknown: Mapping[str, UnknownValues] = field(default_factory=dict)


@dataclass(frozen=True)
class MappedField:
    """A field that rows can have: the column it comes from, the text of every row, what words of the file stand for."""

    column: forms.BoundField
    text: forms.BoundField
    words: Sequence[forms.BoundField]
    more_words: bool


class MappingForm(forms.Form):
    """Fields for the targets that a project's rows can have."""

    def __init__(self, *args: Any, content: FileContent | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._content = content or FileContent()
        self._words: dict[str, tuple[str, str]] = {}  # name of a form field -> (target, text of the file)

    def add_mapping(self, project: Project) -> None:
        kind, labels = project.kind, labels_of(project.kind)
        values = {LANGUAGE: list(project.languages), **allowed_values(project)}
        columns = self._column_choices(len(labels))
        for target, label in labels.items():
            self.fields[f"{MAP}{target}"] = self._column_field(target, label, kind, columns)
            self.fields[f"{SAY}{target}"] = self._text_field(target, label, kind, values.get(target) or [])
            stands_for = offered_languages(project) if target == LANGUAGE else values.get(target) or []
            self._add_words(target, [(value, _shown(kind, target, value)) for value in stands_for])

    def _column_choices(self, targets: int) -> list[tuple[str, str]]:
        columns = self._content.columns[: max(FEWEST_OFFERED, MOST_CHOICES // targets)]
        return [
            (column.path, f"{column.path} · {column.example}" if column.example else column.path)
            for column in columns
            if not column.path.startswith(CONSTANT)  # such a name would read as a constant
        ]

    def _column_field(
        self, target: str, label: str, kind: Kind, choices: Sequence[tuple[str, str]]
    ) -> forms.ChoiceField:
        path = self._content.mapping.get(target, "")
        is_constant = path.startswith(CONSTANT)
        has_its_name = any(column.path == target for column in self._content.columns)
        is_unlisted = path and not is_constant and path not in dict(choices)
        own = [
            ("", _("column of this name") if has_its_name else _("no column")),
            (CONSTANT, _("always this text:")),
            *([(path, path)] if is_unlisted else []),
        ]
        column = forms.ChoiceField(
            label=_label(label, target, is_needed=target in kind.needed_facts),
            choices=[*own, *choices],
            required=False,
            initial=CONSTANT if is_constant else path,
        )
        if target in (models := name_targets(kind)):
            column.help_text = _("The model that wrote %(column)s. Only leads see it; the ranking needs it.") % {
                "column": models[target]
            }
        column.optional_unsaid = True  # type: ignore[attr-defined]  # most stay as they are
        return column

    def _text_field(self, target: str, label: str, kind: Kind, values: Sequence[str]) -> Any:
        path = self._content.mapping.get(target, "")
        constant = path.removeprefix(CONSTANT) if path.startswith(CONSTANT) else ""
        options: dict[str, Any] = {
            "label": _("Text of “%(name)s” in every row") % {"name": label},
            "required": False,
            "initial": constant,
        }
        text: Any = forms.CharField(max_length=LONGEST_CONSTANT, **options)
        if values:
            listed = list(dict.fromkeys([*values, *([constant] if constant else [])]))
            choices = [(value, _shown(kind, target, value)) for value in listed]
            text = forms.ChoiceField(choices=[("", _("Choose a value")), *choices], **options)
        text.optional_unsaid = True
        return text

    def _add_words(self, target: str, choices: Sequence[tuple[str, str]]) -> None:
        """Of a text that is already replaced, the choice is shown, so that it can be changed."""
        unknown = self._content.unknown.get(target, UnknownValues())
        for text in unknown.values if choices else []:
            name = f"{WORD}{target}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
            chosen = self._content.words.get(target, {}).get(text, "")
            word = forms.ChoiceField(
                label=_("“%(text)s” in the file stands for") % {"text": text},
                choices=[("", _("nothing: keep it as it is")), *choices],
                required=False,
                initial=chosen if chosen in dict(choices) else "",
            )
            word.optional_unsaid = True  # type: ignore[attr-defined]
            self.fields[name] = word
            self._words[name] = (target, text)

    @property
    def has_words(self) -> bool:
        return bool(self._words)

    @property
    def mapping_fields(self) -> list[MappedField]:
        return [self._mapped_field(name.removeprefix(MAP)) for name in self.fields if name.startswith(MAP)]

    def _mapped_field(self, target: str) -> MappedField:
        words = [self[name] for name, (of_target, _text) in self._words.items() if of_target == target]
        more = bool(words) and self._content.unknown[target].more
        return MappedField(self[f"{MAP}{target}"], self[f"{SAY}{target}"], words, more)

    @property
    def settings_fields(self) -> list[forms.BoundField]:
        """The questions about the file as a whole."""
        own = (MAP, SAY, WORD)
        return [field for field in self.visible_fields() if field.name != "file" and not field.name.startswith(own)]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        for name, value in cleaned_data.copy().items():
            say = f"{SAY}{name.removeprefix(MAP)}"
            if name.startswith(MAP) and value == CONSTANT and not cleaned_data.get(say) and say not in self.errors:
                is_list = isinstance(self.fields[say], forms.ChoiceField)
                self.add_error(
                    say, _("Choose a value, or a column.") if is_list else _("Write the text, or choose a column.")
                )
        return cleaned_data

    def chosen_mapping(self) -> dict[str, str]:
        offered = {name.removeprefix(MAP) for name in self.fields if name.startswith(MAP)}
        kept = {target: path for target, path in self._content.mapping.items() if target not in offered}
        chosen = {target: self._path_of(target) for target in offered}
        return kept | {target: path for target, path in chosen.items() if path and path != target}

    def _path_of(self, target: str) -> str:
        path = self.cleaned_data.get(f"{MAP}{target}") or ""
        return f"{CONSTANT}{self.cleaned_data.get(f'{SAY}{target}', '')}" if path == CONSTANT else path

    def chosen_words(self) -> dict[str, dict[str, str]]:
        words = {target: dict(texts) for target, texts in self._content.words.items()}
        for name, (target, text) in self._words.items():
            words.setdefault(target, {}).pop(text, None)
            if value := self.cleaned_data.get(name):
                words[target][text] = value
        return {target: texts for target, texts in words.items() if texts}


def labels_of(kind: Kind) -> dict[str, str]:
    """Every name that rows of this kind can have, with what people call it; its own name where nobody calls it so."""
    facts = kind.read_facts(kind.example_facts() if kind.defined else kind.sample_facts)
    drafts = {field.name: field.label for field in kind.fields(facts)}
    labels = {**OWN_LABELS, **drafts, **kind.fact_labels}
    names: Iterator[str] = iter((KEY, LANGUAGE, *kind.fact_names, *kind.draft_names, *name_targets(kind)))
    return {name: str(labels.get(name, name)) for name in names}


def _label(label: str, name: str, *, is_needed: bool) -> str:
    words = format_html("<code>{}</code>", name)
    if label != name:
        gap = "" if label.endswith("？") else " "  # a full-width mark brings its own
        words = format_html('{}{}<code class="quiet">{}</code>', label, gap, name)
    if is_needed:
        return format_html('{} <span class="control__optional">{}</span>', words, _("required"))
    return words


def _shown(kind: Kind, name: str, value: str) -> str:
    text = kind.shown(name, value) if name in kind.draft_names else value
    text = _(value) if text == value else text
    return value if text == value else f"{text} · {value}"
