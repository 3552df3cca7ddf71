"""A cache of rendered fragments: a work page has dozens of small parts that hardly ever differ between pages."""

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotate.guidelines.rulings import PinnedPrecedents
from annotate.templatetags.drafting import returned_at
from annotate.work.field_states import FieldState

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


@register.simple_tag(takes_context=True)
def remembered_question(context: Context) -> SafeString:
    """The question of a definition that the context holds, remembered; empty where it has more to show than its answer.

    Needs asked, question, field, name_id, hand and keep_key.
    """
    field, asked, question = context["field"], context["asked"], context["question"]
    if not question.brief or _has_more_to_show(context, field):
        return SafeString("")
    names = ("asked", "question", "field", "name_id", "hand", "keep_key", "read_only")
    values = {name: context.get(name, "") for name in names}
    key = [*asked["key"], asked["asked"], field.value, field.suggested, field.decided, context["hand"]["order"]]
    key += [values["keep_key"], values["read_only"]]
    return _rendered(question.template, get_language(), _Values(values, key))


def _has_more_to_show(context: Context, field: FieldState) -> bool:
    """A problem, a reviewer's comment, a ruling or a question about the guidelines."""
    precedents = context.get("precedents")
    if isinstance(precedents, PinnedPrecedents) and field.name in precedents.at_fields:
        return True
    return bool((context.get("show_problems") and field.problems) or returned_at(context, field.name))


class _Values:
    """Values of a fragment; those with equal keys share a cache entry. key: of the values; they themselves if None."""

    def __init__(self, values: dict[str, Any], key: Iterable[Any] | None = None) -> None:
        self.values = values
        self.key = tuple(_hashable(value) for value in (values.values() if key is None else key))

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
