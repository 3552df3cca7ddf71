"""A cache of rendered fragments: a work page has dozens of small parts that hardly ever differ between pages."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotate.work.fields import FieldState

register = template.Library()


@register.simple_tag
def remembered(template_name: str, **values: Any) -> SafeString:
    """The template rendered with these values and nothing else: neither request nor context. Keep the values small."""
    return _rendered(template_name, get_language(), _Values(values))


@register.simple_tag(takes_context=True)
def field_head(context: Context, field: FieldState, name_id: str, **options: Any) -> SafeString:
    """The remembered head of a field on a kind's form; options are those that work/_field_head.html lists."""
    return remembered(
        "work/_field_head.html",
        head=field.head,
        name_id=name_id,
        decided_names=field.names,
        keep_key=context.get("keep_key", ""),
        read_only=context.get("read_only", ""),
        **options,
    )


class _Values:
    """Values of a fragment; equal values share a cache entry."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.key = tuple(_hashable(value) for value in values.values())

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Values) and (self.key, list(self.values)) == (other.key, list(other.values))


def _hashable(value: Any) -> Hashable:
    """A cache key in which 1, 1.0 and True differ, unlike in Python, because they are shown differently."""
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return type(value), value


@lru_cache(maxsize=4096)
def _rendered(template_name: str, language: str, values: _Values) -> SafeString:
    return mark_safe(render_to_string(template_name, values.values))  # noqa: S308 - our own template, which escapes
