"""Sentences of ours that are stored, and said again later in the language of whoever reads them."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

Values = Mapping[str, Any]


class Said(str):
    """A sentence in the language of this moment that still knows its message id and the values in it.

    Joined or cut it is plain text, which is stored and shown as it is.
    """

    id: str
    values: Values | None = None

    def __str__(self) -> str:
        return self  # also through exceptions, whose text is the str() of what they were given

    def __mod__(self, values: Any) -> "Said":
        filled = Said(super().__mod__(values))
        filled.id, filled.values = self.id, values
        return filled


def say(message: str) -> Said:
    """`message` translated. Imported as `_`, so that it is collected like any other text."""
    sentence = Said(gettext(message))
    sentence.id = message
    return sentence


def kept(text: str, clean: Callable[[str], str]) -> dict[str, Any] | None:
    """What to store of a sentence beside its text, as JSON; None if it is not one of ours. clean: for quoted texts."""
    if not isinstance(text, Said):
        return None
    values = text.values if isinstance(text.values, Mapping) else {}
    return {"id": text.id, "values": {name: _value(value, clean) for name, value in values.items()}}


def _value(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, Said):
        return kept(value, clean)
    return value if isinstance(value, int | float) else clean(str(value))


def again(stored: Mapping[str, Any], otherwise: str) -> str:
    """A stored sentence in the language of this moment; `otherwise` where it can no longer be put together."""
    try:
        message = gettext(str(stored["id"]))
        values = {name: _spoken(value) for name, value in stored["values"].items()}
        return message % values if values else message
    except (AttributeError, KeyError, TypeError, ValueError):
        return otherwise


def _spoken(value: Any) -> Any:
    return again(value, "") if isinstance(value, Mapping) else value
