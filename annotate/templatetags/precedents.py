"""Tags that show rulings and questions at the field that they are about, each once on a page."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.guidelines.rulings import PinnedPrecedents

register = template.Library()


@register.simple_tag(takes_context=True)
def precedents_at(context: Context, *names: str) -> SafeString:
    """The rulings and questions at a field; empty where there are none, or where the page has no precedents."""
    return _rendered(context, names)


@register.simple_tag(takes_context=True)
def precedents_left(context: Context) -> SafeString:
    """The rulings and questions at fields that the form has not placed, under the field names."""
    return _rendered(context, None)


def _rendered(context: Context, names: Sequence[str] | None) -> SafeString:
    pinned = context.get("precedents")
    if not isinstance(pinned, PinnedPrecedents):
        return SafeString("")
    at_fields = pinned.left() if names is None else pinned.take([part for name in names for part in name.split(",")])
    rows: list[dict[str, Any]] = [
        {"at": at_field, "label": pinned.labels.get(at_field.name, at_field.name)} for at_field in at_fields
    ]
    values = {"found": rows, "named": names is None or len(rows) > 1, "project": context["project"]}
    return render_to_string("precedents/_at_field.html", values) if rows else SafeString("")
