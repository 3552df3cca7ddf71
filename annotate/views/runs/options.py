"""Form fields made of the options that a purpose asks for, a pydantic model."""

from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen
from django import forms
from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

PREFIX = "option-"
ONE_LINE = 1000  # characters; what may be longer gets several lines


def fields_of(options: type[BaseModel]) -> dict[str, forms.Field]:
    """`option-<name>` -> a field for it, with the model's default filled in."""
    return {f"{PREFIX}{name}": _field(name, info) for name, info in options.model_fields.items()}


def _field(name: str, info: FieldInfo) -> forms.Field:
    value_type, may_be_left_out = _type_of(info)
    arguments: dict[str, Any] = {
        "label": _(info.title) if info.title else name.replace("_", " "),
        "help_text": _(info.description) if info.description else "",
        "initial": None if info.is_required() else info.get_default(call_default_factory=True),
        "required": info.is_required() and not may_be_left_out,
    }
    if value_type is bool:
        return forms.BooleanField(**arguments | {"required": False})
    choices = _choices(value_type, info)
    if choices and get_origin(value_type) is list:
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **arguments)
    if choices:
        values = {str(value): value for value, _label in choices}
        offered = choices if arguments["required"] or arguments["initial"] is not None else [("", "–"), *choices]
        return forms.TypedChoiceField(choices=offered, coerce=values.get, empty_value=None, **arguments)
    if value_type is int:
        return forms.IntegerField(**_limits(info), **arguments)
    if value_type is float:
        return forms.FloatField(**_limits(info), widget=forms.NumberInput(attrs={"step": "any"}), **arguments)
    if get_origin(value_type) is list:
        arguments["initial"] = ", ".join(map(str, arguments["initial"] or []))
        return Words(**arguments)
    if _longest(info) > ONE_LINE:
        arguments["widget"] = forms.Textarea(attrs={"rows": 4})
    return forms.CharField(max_length=_longest(info), **arguments)


class Words(forms.CharField):
    """Several values in one line, between commas."""

    def to_python(self, value: Any) -> Any:
        return [word.strip() for word in (value or "").split(",") if word.strip()]


def _type_of(info: FieldInfo) -> tuple[Any, bool]:
    """The type without its None, and whether it had one."""
    value_type = info.annotation
    if get_origin(value_type) in (Union, UnionType):
        members = [member for member in get_args(value_type) if member is not NoneType]
        return members[0], len(members) < len(get_args(value_type))
    return value_type, False


def _choices(value_type: Any, info: FieldInfo) -> list[tuple[Any, str]]:
    """Of a value, or a list's entries; named by `labels` in the field's `json_schema_extra`, else by themselves."""
    extra = info.json_schema_extra
    labels: Any = extra.get("labels", {}) if isinstance(extra, dict) else {}
    if get_origin(value_type) is list:
        value_type = get_args(value_type)[0]
    if get_origin(value_type) is Literal:
        return [(value, str(labels[value]) if value in labels else _(str(value))) for value in get_args(value_type)]
    if isinstance(value_type, type) and issubclass(value_type, Enum):
        return [(member.value, str(getattr(member, "label", member.value))) for member in value_type]
    return []


def _limits(info: FieldInfo) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for rule in info.metadata:
        if isinstance(rule, (Ge, Gt)):
            limits["min_value"] = rule.ge if isinstance(rule, Ge) else rule.gt
        if isinstance(rule, (Le, Lt)):
            limits["max_value"] = rule.le if isinstance(rule, Le) else rule.lt
    return limits


def _longest(info: FieldInfo) -> int:
    return next((rule.max_length for rule in info.metadata if isinstance(rule, MaxLen)), 500)


def read(options: type[BaseModel], cleaned: dict[str, Any]) -> dict[str, Any]:
    """What was filled in, by the names of the options; what was left empty keeps its default.

    Raises pydantic's ValidationError where the values do not go together.
    """
    filled = {
        name: cleaned[f"{PREFIX}{name}"]
        for name in options.model_fields
        if cleaned.get(f"{PREFIX}{name}") not in (None, "")
    }
    return options.model_validate(filled).model_dump(mode="json", exclude_unset=True)
