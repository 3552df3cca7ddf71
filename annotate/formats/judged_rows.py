"""What rows of scores and feedback have in common: several names for a field, scores, who is ahead by them. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any


def first_of(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of these fields that holds something; None where none does."""
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def number(value: Any) -> Any:
    """A number written as text as that number; anything else as it is, for the kind to say."""
    if not isinstance(value, str):
        return value
    for convert in (int, float):
        try:
            return convert(value.strip())
        except ValueError:
            continue
    return value


def two_scores(scores: Any) -> tuple[Any, Any] | None:
    """Of a list of two, or of two numbers in a text with a blank between; None for anything else."""
    parts = scores.split() if isinstance(scores, str) else scores
    if not isinstance(parts, list) or len(parts) != 2:
        return None
    return number(parts[0]), number(parts[1])


def ahead(first: Any, second: Any) -> str | None:
    """Who has the higher score; a tie where both are equal, None where one is no number."""
    if not all(isinstance(score, int | float) and not isinstance(score, bool) for score in (first, second)):
        return None
    return "tie" if first == second else "first" if first > second else "second"


def text_of(value: Any) -> Any:
    """Of a text, or of an object that holds it under `text`."""
    return value.get("text") if isinstance(value, Mapping) else value


def without_blanks(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: field_value for name, field_value in value.items() if field_value not in (None, "")}
