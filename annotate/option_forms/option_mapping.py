"""From a kind's options to form fields, and from the form back to the options as they are stored.

An option without a control that could show its value is left alone: it is changed as JSON.
"""

from collections.abc import Mapping
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from django import forms
from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotate.kinds.option_labels import OptionLabel, label_of
from annotate.option_forms.fields import (
    Cells,
    LinesField,
    ListCells,
    NumberCells,
    ObjectCells,
    PercentField,
    RowsField,
    TranslatedCells,
    described,
)

LANGUAGES = ("en", "zh")


def option_fields(shape: type[BaseModel], stored: Mapping[str, Any]) -> dict[str, forms.Field]:
    """option -> form field, whose initial value is the stored one, else the default. Options that a form cannot show
    without loss are left out.
    """
    values = shape.model_validate(stored).model_dump(mode="json")
    fields = {name: _field(name, info, values[name]) for name, info in shape.model_fields.items()}
    return {name: field for name, field in fields.items() if field is not None}


def json_only(shape: type[BaseModel], fields: Mapping[str, Any]) -> list[OptionLabel]:
    """The labels of options that have no field."""
    return [label_of(name, info) for name, info in shape.model_fields.items() if name not in fields]


def changed_options(stored: Mapping[str, Any], fields: Mapping[str, forms.Field], posted: Mapping[str, Any]) -> Any:
    """The stored options with the posted values that differ from the initial ones; a default stays unsaid."""
    changed = {name: value for name, value in posted.items() if not same(value, fields[name].initial)}
    return {**stored, **changed}


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal; 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _field(name: str, info: FieldInfo, value: Any) -> forms.Field | None:
    label = label_of(name, info)
    field = _control(_unwrapped(info.annotation), info, label, value)
    if field is None or not _shows(field, value):
        return None
    described_field: Any = described(field, unit="%" if label.percent else label.unit, example=label.example)
    described_field.initial, described_field.label, described_field.help_text = value, label.label, label.help
    described_field.optional_unsaid = True  # for templates: an empty list is a value too
    return described_field


def _shows(field: forms.Field, value: Any) -> bool:
    """Whether reading back what the form shows gives the value again."""
    try:
        return same(field.clean(field.prepare_value(value)), value)
    except (forms.ValidationError, TypeError, ValueError, AttributeError):
        return False


def _unwrapped(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _control(kind: Any, info: FieldInfo, option_label: OptionLabel, value: Any) -> forms.Field | None:
    origin, inner = get_origin(kind), [_unwrapped(argument) for argument in get_args(kind)]
    if kind is bool:
        return forms.BooleanField(required=False)
    if kind in (int, float):
        return _number(kind, info, option_label)
    if kind is str:
        return forms.CharField(required=False, max_length=10_000)
    if origin is Literal:
        return _choice(inner, option_label)
    if origin is list and inner == [str]:
        return LinesField(required=False)
    cells = _cells(inner[1], option_label, value) if origin is dict and inner[0] is str else None
    head = option_label.columns[0] if option_label.columns else _("Name")
    return RowsField(cells, name_label=head, required=False) if cells else None


def _number(kind: type, info: FieldInfo, option_label: OptionLabel) -> forms.Field:
    if option_label.percent:
        return FloatPercent()
    bounds = {bound: _bound(info, limit) for bound, limit in (("min_value", "ge"), ("max_value", "le"))}
    if kind is int:
        return forms.IntegerField(**bounds)
    return forms.FloatField(**bounds, widget=forms.NumberInput(attrs={"step": "any"}))


def _bound(info: FieldInfo, limit: str) -> Any:
    return next((getattr(entry, limit) for entry in info.metadata if hasattr(entry, limit)), None)


class FloatPercent(PercentField):
    """For options whose share is a float."""

    def clean(self, value: Any) -> Any:
        share = super().clean(value)
        return float(share) if isinstance(share, Decimal) else share


def _choice(values: list[Any], option_label: OptionLabel) -> forms.Field:
    by_text = {str(value): value for value in values}
    choices = [(text, option_label.choices.get(value, text)) for text, value in by_text.items()]
    return forms.TypedChoiceField(choices=choices, coerce=by_text.__getitem__)


def _cells(kind: Any, option_label: OptionLabel, value: Mapping[str, Any]) -> Cells | None:
    """For the values of a dictionary; None if a row cannot hold them."""
    if option_label.parts:
        return ObjectCells(option_label.parts)
    origin, inner = get_origin(kind), [_unwrapped(argument) for argument in get_args(kind)]
    label = option_label.columns[1] if len(option_label.columns) > 1 else _("Values")
    if origin is list and inner == [str]:
        return ListCells(label)
    if kind in (int, float) or set(inner) in ({int, type(None)}, {float, type(None)}):
        return NumberCells(label)
    if origin in (Union, UnionType) and set(inner) == {str, dict[str, str]}:
        return _translated(value)
    return None


def _translated(value: Mapping[str, Any]) -> Cells:
    used = {language: None for texts in value.values() if not isinstance(texts, str) for language in texts}
    languages = list(dict.fromkeys([*LANGUAGES, *used]))
    return TranslatedCells(languages, with_all=any(isinstance(texts, str) for texts in value.values()))
