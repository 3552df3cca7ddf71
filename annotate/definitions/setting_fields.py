"""A form field for each kind of control of a definition's settings, and what of a setting it can show."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotate.definitions.setting_tables import (
    ConditionCells,
    RenameCells,
    RulesField,
    SettingRows,
    WordsCells,
    without_blanks,
)
from annotate.kinds.questions.conditions import read_condition
from annotate.kinds.questions.controls import ControlKind, SettingControl
from annotate.option_forms.fields import Cell, Column, LinesField, ListCells, TranslatedCells

MOST_ROWS = 60  # of a table; longer lists are edited as YAML
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
ALL = TranslatedCells.ALL


@dataclass(frozen=True)
class Offered:
    """What controls offer. columns: those that are known; shown: of these, the shown ones; chats: those that are
    shown as transcripts.

    earlier: questions before this one. retired: questions of the version before that are no longer asked. languages: of
    texts, in order; none if every text of the definition is one for all languages. marking: questions in which people
    mark spans. labels, attributes: of the spans of one of these.
    """

    columns: Sequence[str] = ()
    shown: Sequence[str] = ()
    chats: Sequence[str] = ()
    earlier: Sequence[str] = ()
    retired: Sequence[str] = ()
    languages: Sequence[str] = ()
    marking: Sequence[str] = ()
    labels: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)


def is_words(value: Any) -> bool:
    """Whether a value is a text for people: one, or one for each language."""
    return value is None or isinstance(value, str) or _is_by_language(value)


def _is_by_language(value: Any) -> bool:
    by_language = isinstance(value, dict) and bool(value)
    return by_language and all(
        _LANGUAGE.fullmatch(code) and code != ALL and isinstance(text, str) for code, text in value.items()
    )


# --- texts in several languages ---------------------------------------------------------------------------------------


class TextsWidget(forms.Widget):
    """Reads the boxes that `templates/definitions/_card.html` shows: one for each language."""

    use_fieldset = True

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__()
        self.columns = columns

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        texts = {column.name: data.get(f"{name}-{column.name}", "") for column in self.columns}
        return {code: text.replace("\r\n", "\n") for code, text in texts.items()}


class TextsField(forms.Field):
    """A text, or texts by language; None where there is none."""

    def __init__(self, languages: Sequence[str], *, with_all: bool, **options: Any) -> None:
        self.cells = TranslatedCells(languages, with_all=with_all)
        super().__init__(**options, widget=TextsWidget(self.cells.columns))

    def prepare_value(self, value: Any) -> dict[str, str]:
        return {ALL: value} if isinstance(value, str) else dict(value or {})

    def to_python(self, value: Any) -> Any:
        return self.cells.read(value) or None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return without_blanks(self.prepare_value(initial)) != without_blanks(data)

    def get_bound_field(self, form: Any, field_name: str) -> "BoundTexts":
        return BoundTexts(form, self, field_name)


class BoundTexts(BoundField):
    """The boxes of a text."""

    field: TextsField

    @property
    def boxes(self) -> list[Cell]:
        texts = self.field.prepare_value(self.value())
        return [
            Cell(column, f"{self.html_name}-{column.name}", f"{self.auto_id}-{column.name}", texts.get(column.name, ""))
            for column in self.field.cells.columns
        ]

    @property
    def id_for_label(self) -> str:
        return self.boxes[0].id


# --- one editor for each kind of control ------------------------------------------------------------------------------


@dataclass(frozen=True)
class SettingEditor:
    """How a kind of control edits a value. fits: whether it can show one that is not missing.

    field: the form field, from the control, what is offered and the value; None where there is nothing to choose.
    shown, stored: from the value to the field's and back; None is not written.
    """

    fits: Callable[[Any], bool]
    field: Callable[[SettingControl, Offered, Any], forms.Field | None]
    shown: Callable[[Any], Any] = lambda value: value
    stored: Callable[[Any], Any] = lambda cleaned: cleaned
    wide: bool = False


def _texts_of(control: SettingControl) -> dict[str, Any]:
    return {"label": control.label, "help_text": control.help, "required": False}


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and "\n" not in value


def _line(control: SettingControl, offered: Offered, value: Any, **attributes: str) -> forms.Field:
    widget = forms.TextInput(attrs={"dir": "auto", "autocomplete": "off", **attributes})
    return forms.CharField(**_texts_of(control), widget=widget)


def _any_column(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return _line(control, offered, value, list="known-columns")


def _whole(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return forms.IntegerField(**_texts_of(control))


def _switch(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return forms.BooleanField(**_texts_of(control))


def _listed(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    choices = [*control.choices]
    if value is not None and value not in dict(choices):
        choices.append((value, value))
    return forms.ChoiceField(**_texts_of(control), choices=choices)


def _one_of(names: Sequence[str], control: SettingControl, value: Any) -> forms.Field:
    choices = dict.fromkeys([*names, *([value] if value else [])])
    return forms.ChoiceField(**_texts_of(control), choices=[("", "—"), *((name, name) for name in choices)])


def _column(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return _one_of(offered.shown, control, value)


def _chat_column(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return _one_of(offered.chats, control, value)


def _marking(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return _one_of(offered.marking, control, value)


def _retired(control: SettingControl, offered: Offered, value: Any) -> forms.Field | None:
    return _one_of(offered.retired, control, value) if offered.retired or value else None


def _columns(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    columns = dict.fromkeys([*(value or ()), *offered.shown])
    widget = forms.CheckboxSelectMultiple(attrs={"class": "in-a-row"})
    return forms.MultipleChoiceField(**_texts_of(control), choices=[(name, name) for name in columns], widget=widget)


def _lines(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return LinesField(**_texts_of(control))


def _is_lines(value: Any) -> bool:
    distinct_lines = isinstance(value, list) and all(map(_is_option, value)) and all(map(_is_line, value))
    return distinct_lines and len(set(value)) == len(value)


def _lists(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return SettingRows(ListCells(_("Values, one a line")), name_label=_("Name"), **_texts_of(control))


def _words(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return TextsField(offered.languages, with_all=_has_all([value], offered), **_texts_of(control))


def _has_all(texts: Iterable[Any], offered: Offered) -> bool:
    """Whether there is a box for a text in all languages: where texts are given by language, only if one is not."""
    return not offered.languages or any(isinstance(text, str) for text in texts)


def _is_options(value: Any) -> bool:
    if not isinstance(value, list) or len(value) > MOST_ROWS or not all(map(_is_option, value)):
        return False
    values = [option if isinstance(option, str) else option["value"] for option in value]
    return len(set(values)) == len(values)


def _is_option(value: Any) -> bool:
    if isinstance(value, dict):
        is_known = set(value) <= {"value", "text", "about"} and is_words(value.get("text"))
        return is_known and is_words(value.get("about")) and _is_option(value.get("value"))
    return _is_line(value) and bool(value.strip()) and value == value.strip()


def _options(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    options = _option_rows(value).values()
    with_all = _has_all((option.get(name) for option in options for name in ("text", "about")), offered)
    cells = WordsCells(offered.languages, {"text": _("Name"), "about": _("Meaning")}, with_all=with_all)
    return SettingRows(cells, name_label=pgettext("of an option", "Value"), **_texts_of(control))


def _option_rows(value: Any) -> dict[str, Any]:
    rows = ({"value": option} if isinstance(option, str) else option for option in value or ())
    return {row["value"]: row for row in rows}


def _stored_options(rows: Mapping[str, Any]) -> list[Any] | None:
    names_by_value = {value: {name: text for name, text in words.items() if text} for value, words in rows.items()}
    return [{"value": value, **words} if words else value for value, words in names_by_value.items()] or None


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and len(value) <= MOST_ROWS and all(map(_is_line, value)) and "" not in value


def _is_steps(value: Any) -> bool:
    return _is_named(value) and all(map(is_words, value.values()))


def _steps(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    with_all = _has_all((value or {}).values(), offered)
    cells = WordsCells(offered.languages, {"name": _("Name")}, with_all=with_all)
    return SettingRows(cells, name_label=pgettext("of a scale", "Number"), **_texts_of(control))


def _step_rows(value: Any) -> dict[str, Any]:
    return {step: {"name": words} for step, words in (value or {}).items()}


def _stored_steps(rows: Mapping[str, Any]) -> dict[str, Any] | None:
    return {step: words["name"] for step, words in rows.items()} or None


def _renames(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return SettingRows(RenameCells(), name_label=_("Value before"), **_texts_of(control))


def _is_conditions(value: Any) -> bool:
    return _is_named(value) and all(map(_is_condition, value.values()))


def _is_condition(value: Any) -> bool:
    try:
        return all(map(_is_line, read_condition("", value).values))
    except ValueError:
        return False


def _conditions(control: SettingControl, offered: Offered, value: Any) -> forms.Field | None:
    names = list(dict.fromkeys([*offered.earlier, *(value or ())]))
    if not names:
        return None
    return SettingRows(ConditionCells(), name_label=_("Question"), name_choices=names, **_texts_of(control))


def _is_rules(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_ROWS and all(map(_is_rule, value))


def _is_rule(value: Any) -> bool:
    points = value.get("points") if isinstance(value, dict) else None
    if not isinstance(points, int | float) or isinstance(points, bool):
        return False
    return all(name == "points" or (_is_line(part) and part) for name, part in value.items())


def _rules(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    """What rules name already can be chosen too, such as labels that are not listed."""
    labels, attributes = list(offered.labels), {name: list(values) for name, values in offered.attributes.items()}
    for rule in value or ():
        for name, part in rule.items():
            known = labels if name == "label" else attributes.setdefault(name, []) if name != "points" else [part]
            if part not in known:
                known.append(part)
    return RulesField(labels, attributes, **_texts_of(control))


EDITORS: Mapping[ControlKind, SettingEditor] = {
    "line": SettingEditor(_is_line, _line),
    "any_column": SettingEditor(_is_line, _any_column),
    "words": SettingEditor(is_words, _words, wide=True),
    "whole": SettingEditor(lambda value: isinstance(value, int) and not isinstance(value, bool), _whole),
    "decimal": SettingEditor(
        lambda value: isinstance(value, str | int | float) and not isinstance(value, bool), _line, shown=str
    ),
    "switch": SettingEditor(lambda value: isinstance(value, bool), _switch),
    "listed": SettingEditor(_is_line, _listed),
    "column": SettingEditor(_is_line, _column),
    "chat_column": SettingEditor(_is_line, _chat_column),
    "marking": SettingEditor(_is_line, _marking),
    "retired": SettingEditor(_is_line, _retired),
    "columns": SettingEditor(
        lambda value: isinstance(value, list) and all(map(_is_line, value)) and len(set(value)) == len(value),
        _columns,
        wide=True,
    ),
    "lines": SettingEditor(_is_lines, _lines, stored=lambda cleaned: cleaned or None, wide=True),
    "lists": SettingEditor(
        lambda value: _is_named(value) and all(map(_is_lines, value.values())),
        _lists,
        stored=lambda rows: rows or None,
        wide=True,
    ),
    "options": SettingEditor(_is_options, _options, shown=_option_rows, stored=_stored_options, wide=True),
    "steps": SettingEditor(_is_steps, _steps, shown=_step_rows, stored=_stored_steps, wide=True),
    "renames": SettingEditor(
        lambda value: _is_named(value) and all(map(_is_line, value.values())),
        _renames,
        stored=lambda rows: rows or None,
        wide=True,
    ),
    "conditions": SettingEditor(_is_conditions, _conditions, stored=lambda rows: rows or None, wide=True),
    "rules": SettingEditor(
        _is_rules,
        _rules,
        shown=lambda rules: dict(enumerate(rules)),
        stored=lambda rows: list(rows.values()) or None,
        wide=True,
    ),
}
