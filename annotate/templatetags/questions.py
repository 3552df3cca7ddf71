"""Filters for questions as data: their conditions for the form's script, answers by the letters of compared texts."""

import json
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from django import template
from django.template import Context
from django.utils.translation import gettext

from annotate.items.compare import VersionStep
from annotate.kinds.questions.base import Question, part_at
from annotate.kinds.questions.definition_texts import in_language, signed
from annotate.kinds.questions.types.step import NONE

register = template.Library()
register.filter(part_at)
register.filter(signed)


@register.filter
def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@register.filter
def hint_of(question: Question) -> str:
    """What stands beside the question: its help, and whether it may be left out."""
    optional = "" if question.required else gettext("optional")
    return " · ".join(filter(None, [in_language(question.help), optional]))


@register.filter
def by_letters(asked: Mapping[str, Any], order: Sequence[str]) -> Sequence[tuple[str, str]]:
    """(answer, name) of a pair question. order: its columns as whoever looks sees them, A first."""
    first = asked["question"].of[0]
    return asked["straight"] if order and order[0] == first else asked["exchanged"]


@register.filter
def ranks_by_letters(asked: Mapping[str, Any], order: Sequence[str]) -> list[dict[str, Any]]:
    """letter and place (from 1, in the definition) of each text of a ranking, in the order in which they are seen."""
    columns = asked["question"].of
    return [
        {"letter": letter, "place": columns.index(column) + 1}
        for letter, column in zip(ascii_uppercase, order, strict=False)
    ]


@register.filter
def rank_in(place: int, ranks: Sequence[int | None] | None) -> int | None:
    """The rank of the text at this place, from 1; None where it has none yet."""
    return ranks[place - 1] if ranks and len(ranks) >= place else None


@register.filter
def value_of_turn(parts: Sequence[Mapping[str, Any]] | None, place: int) -> Any:
    """What was answered about the turn at this place, from 0; None where nothing was."""
    return next((part["value"] for part in parts or () if part["turn"] == place), None)


@register.simple_tag(takes_context=True)
def parts_of(context: Context, step: VersionStep) -> list[tuple[int, str, str]]:
    """Question.named_parts of a value, read with the item's facts; [] where it has none or is no answer."""
    question = step.kind.questions().get(step.field.name)
    if question is None or any(question.shape_faults(step.value)):
        return []
    return question.named_parts(step.value, context["facts"].columns)


@register.filter
def turn_number(place: Any) -> str:
    """The number of a turn as people count, from 1; what is no place stays as it was typed."""
    if isinstance(place, int):
        return str(place + 1)
    return place if isinstance(place, str) and place != NONE else ""
