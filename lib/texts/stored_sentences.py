"""Our own sentences that are stored, and translated later into the language of the reader."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

Values = Mapping[str, Any]


class StoredSentence(str):
    """A sentence in the current language that still knows its message id and its values.

    After joining or cutting it is plain text, which is stored and shown unchanged.
    """

    id: str
    values: Values | None = None

    def __str__(self) -> str:
        return self  # also through exceptions, whose text is the str() of what they were given

    def __mod__(self, values: Any) -> "StoredSentence":
        filled = StoredSentence(super().__mod__(values))
        filled.id, filled.values = self.id, values
        return filled


def say(message: str) -> StoredSentence:
    """`message` translated. It is imported as `_`, so that gettext collects it like any other text."""
    sentence = StoredSentence(gettext(message))
    sentence.id = message
    return sentence


def kept(text: str, clean: Callable[[str], str]) -> dict[str, Any] | None:
    """The JSON to store with a sentence's text; None if it is not one of ours. clean: applied to quoted texts."""
    if not isinstance(text, StoredSentence):
        return None
    values = text.values if isinstance(text.values, Mapping) else {}
    return {"id": text.id, "values": {name: _value(value, clean) for name, value in values.items()}}


def _value(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, StoredSentence):
        return kept(value, clean)
    return value if isinstance(value, int | float) else clean(str(value))


def again(stored: Mapping[str, Any], otherwise: str) -> str:
    """A stored sentence in the current language; `otherwise` where it can no longer be composed."""
    try:
        message = gettext(str(stored["id"]))
        values = {name: _spoken(value) for name, value in stored["values"].items()}
        return message % values if values else message
    except (AttributeError, KeyError, TypeError, ValueError):
        return otherwise


def _spoken(value: Any) -> Any:
    return again(value, "") if isinstance(value, Mapping) else value
