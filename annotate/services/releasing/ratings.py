"""What a row of a release of ratings has to be, so that a file can be held against its manifest."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

FORMAT = "touchstone-ratings-1"
# Of people, of judges; an answer's score, what it and people's votes make of it, and what a judge took in both orders.
KINDS = ("person", "judge", "score", "answer", "order")


def rating_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, message) of what keeps the row from being a rating; a value of null is one that nobody could tell."""
    for name in ("unit", "rater"):
        if not isinstance(row.get(name), str) or not row[name]:
            yield name, _("is missing or not text.")
    if row.get("kind") not in KINDS:
        yield "kind", _("must be one of %(kinds)s.") % {"kinds": ", ".join(KINDS)}
    value = row.get("value", ...)
    if value is ... or isinstance(value, bool | list | dict):
        yield "value", _("must be a number, text or null.")


def rating_key(row: Mapping[str, Any]) -> str:
    """What a file has once."""
    return "\n".join(str(row.get(name)) for name in ("unit", "rater", "kind", "answer"))
