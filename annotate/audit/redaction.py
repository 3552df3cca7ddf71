"""The values of an audit entry: plain JSON without secrets and without long texts."""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Any

from django.db.models import Model

HIDDEN = "•••"
LONGEST = 300  # characters; a longer text is people's words, of which only length and checksum are kept
SECRET_NAME = re.compile(
    r"passw|passphrase|secret|token|api.?key|authori[sz]ation|credential|cookie|private.?key", re.I
)
SECRET_TEXT = re.compile(
    r"\b(?:ts_|whsec_|sk-|ghp_|xox[a-z]-)[\w-]{12,}"  # keys with a well-known beginning
    r"|\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"
    r"|(?<=://)[^/\s@]+@",  # name and password in an address
    re.I,
)


def as_text(value: Any) -> str:
    """The value as the JSON text that an entry stores and its hash covers: sorted, ASCII only."""
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """The value in JSON: secrets hidden at every depth, long texts as their length and checksum."""
    if isinstance(value, Mapping):
        return {str(name): _named(str(name), inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Model):
        return value.pk
    return _text(_written(value))


def _named(name: str, value: Any) -> Any:
    """Counts such as max_tokens are no secrets, whatever their name says."""
    is_secret = SECRET_NAME.search(name) and value and not isinstance(value, bool | int | float | Decimal)
    return HIDDEN if is_secret else plain(value)


def _written(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else str(value)


def _text(text: str) -> Any:
    if len(text) > LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"characters": len(text), "sha256": digest}
    return SECRET_TEXT.sub(HIDDEN, text)


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What differs of two states, compared before secrets are hidden; both are empty if nothing does."""
    names = [name for name in {**before, **after} if _differs(before, after, name)]
    return _parts(before, names), _parts(after, names)


def _differs(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    return (name in before) != (name in after) or before.get(name) != after.get(name)


def _parts(values: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}
