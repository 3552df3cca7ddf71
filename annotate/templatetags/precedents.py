"""Rulings and questions at the field that they are about; each stands on a page once."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.services.precedents import AtField

register = template.Library()


class Pinned:
    """What a page has at its fields, and which of it stands there already."""

    def __init__(self, at_fields: Mapping[str, AtField], labels: Mapping[str, str]) -> None:
        self.at_fields, self.labels = dict(at_fields), labels
        self.placed: set[str] = set()

    def take(self, names: Sequence[str]) -> list[AtField]:
        self.placed.update(names)
        return [self.at_fields[name] for name in names if name in self.at_fields]

    def left(self) -> list[AtField]:
        return self.take([name for name in self.at_fields if name not in self.placed])


@register.simple_tag(takes_context=True)
def precedents_at(context: Context, *names: str) -> SafeString:
    """What stands at a field; nothing where there is none, or where the page has no precedents."""
    return _rendered(context, names)


@register.simple_tag(takes_context=True)
def precedents_left(context: Context) -> SafeString:
    """What stands at fields that the form has not placed, under their names."""
    return _rendered(context, None)


def _rendered(context: Context, names: Sequence[str] | None) -> SafeString:
    pinned = context.get("precedents")
    if not isinstance(pinned, Pinned):
        return SafeString("")
    at_fields = pinned.left() if names is None else pinned.take([part for name in names for part in name.split(",")])
    rows: list[dict[str, Any]] = [
        {"at": at_field, "label": pinned.labels.get(at_field.name, at_field.name)} for at_field in at_fields
    ]
    values = {"found": rows, "named": names is None or len(rows) > 1, "project": context["project"]}
    return render_to_string("precedents/_at_field.html", values) if rows else SafeString("")
