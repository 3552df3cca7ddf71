"""A form field for each kind of control of a definition's settings, and what of a setting it can show."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from annotate.kinds.questions.conditions import read_condition
from annotate.kinds.questions.controls import ControlKind, SettingControl
from annotate.option_forms.fields import (
    NAME,
    Cell,
    Cells,
    Column,
    LinesField,
    ListCells,
    RowsField,
    TranslatedCells,
    lines,
)

MOST_ROWS = 60  # of a table; longer lists are edited as YAML
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
ALL = TranslatedCells.ALL


@dataclass(frozen=True)
class Offered:
    """What controls offer. columns: those that are known; shown: of these, the shown ones.

    earlier: questions before this one. retired: questions of the version before that are no longer asked. languages: of
    texts, in order; none if every text of the definition is one for all languages.
    """

    columns: Sequence[str] = ()
    shown: Sequence[str] = ()
    earlier: Sequence[str] = ()
    retired: Sequence[str] = ()
    languages: Sequence[str] = ()


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
    """Reads the boxes that `templates/definitions/_texts.html` shows: one for each language."""

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
        return _without_blanks(self.prepare_value(initial)) != _without_blanks(data)

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


def _without_blanks(cells: Mapping[str, str]) -> dict[str, str]:
    return {name: text.replace("\r\n", "\n") for name, text in cells.items() if text}


# --- tables -----------------------------------------------------------------------------------------------------------


class SettingRows(RowsField):
    """Rows of a setting, whose order counts. name_choices: where a name is one of a closed list."""

    def __init__(self, cells: Cells, *, name_label: Any, name_choices: Sequence[str] = (), **options: Any) -> None:
        super().__init__(cells, name_label=name_label, **options)
        if name_choices:
            self.columns[0] = Column(NAME, name_label, choices=[("", "—"), *((name, name) for name in name_choices)])

    def has_changed(self, initial: Any, data: Any) -> bool:
        before = map(_without_blanks, self.prepare_value(initial or {}))
        after = [row for row in map(_without_blanks, data or ()) if row]
        return list(before) != after


class WordsCells(Cells):
    """Texts of one row, each one for all languages or one for each. names: of the texts -> what they are called."""

    def __init__(self, languages: Sequence[str], names: Mapping[str, Any], *, with_all: bool) -> None:
        self.names = names
        self.inner = TranslatedCells(languages, with_all=with_all)
        self.columns = [
            Column(f"{name}-{column.name}", f"{label}, {column.label}" if languages else label, 2, column.lang)
            for name, label in names.items()
            for column in self.inner.columns
        ]

    def shown(self, value: Mapping[str, Any]) -> dict[str, str]:
        return {
            f"{name}-{code}": text
            for name in self.names
            for code, text in self.inner.shown(value.get(name) or {}).items()
        }

    def read(self, cells: Mapping[str, str]) -> dict[str, Any]:
        codes = [column.name for column in self.inner.columns]
        texts = {name: {code: cells[f"{name}-{code}"] for code in codes} for name in self.names}
        return {name: self.inner.read(by_code) or None for name, by_code in texts.items()}


OPERATORS = (
    ("", gettext_lazy("is one of")),
    ("at_least", gettext_lazy("is at least")),
    ("at_most", gettext_lazy("is at most")),
    ("not_one_of", gettext_lazy("is not")),
    ("answered", gettext_lazy("is answered")),
)


class ConditionCells(Cells):
    """What an answer must be: an operator, and the values that it speaks of, one a line."""

    def __init__(self) -> None:
        self.columns = [
            Column("operator", _("Condition"), choices=OPERATORS),
            Column("values", _("Values, one a line"), lines=2),
        ]

    def shown(self, value: Any) -> dict[str, str]:
        condition = read_condition("", value)
        operator = "" if condition.operator == "one_of" else condition.operator
        return {"operator": operator, "values": "\n".join(condition.values)}

    def read(self, cells: Mapping[str, str]) -> Any:
        operator, values = cells["operator"], lines(cells["values"])
        if operator == "answered":
            return "answered"
        if not values or (operator and len(values) > 1):
            message = _("give a value.") if not values else _("give one value, or choose “is one of”.")
            raise forms.ValidationError(message)
        if operator:
            prefix = {"at_least": "at least", "at_most": "at most", "not_one_of": "not"}[operator]
            return f"{prefix} {values[0]}"
        single = len(values) == 1 and read_condition("", values[0]).values == (values[0],)
        return values[0] if single else values


class RenameCells(Cells):
    """What a value of the version before is called now."""

    def __init__(self) -> None:
        self.columns = [Column("new", _("Value now"))]

    def shown(self, value: str) -> dict[str, str]:
        return {"new": value}

    def read(self, cells: Mapping[str, str]) -> str:
        return cells["new"].strip()


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
    known = [*control.choices]
    if value is not None and value not in dict(known):
        known.append((value, value))
    return forms.ChoiceField(**_texts_of(control), choices=known)


def _one_of(names: Sequence[str], control: SettingControl, value: Any) -> forms.Field:
    known = dict.fromkeys([*names, *([value] if value else [])])
    return forms.ChoiceField(**_texts_of(control), choices=[("", "—"), *((name, name) for name in known)])


def _column(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    return _one_of(offered.shown, control, value)


def _retired(control: SettingControl, offered: Offered, value: Any) -> forms.Field | None:
    return _one_of(offered.retired, control, value) if offered.retired or value else None


def _columns(control: SettingControl, offered: Offered, value: Any) -> forms.Field:
    known = dict.fromkeys([*(value or ()), *offered.shown])
    widget = forms.CheckboxSelectMultiple(attrs={"class": "in-a-row"})
    return forms.MultipleChoiceField(**_texts_of(control), choices=[(name, name) for name in known], widget=widget)


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
    named = {value: {name: text for name, text in words.items() if text} for value, words in rows.items()}
    return [{"value": value, **words} if words else value for value, words in named.items()] or None


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
}
