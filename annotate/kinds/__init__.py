"""The kinds of work. Each folder here whose module `kind.py` sets `KIND` is a kind; there is no other list."""

from functools import cache

from annotate.kinds.contract import Kind
from lib.discovery import discover


class UnknownKind(LookupError):
    """No kind has this slug; the message names those that exist."""


@cache
def all_kinds() -> dict[str, Kind]:
    """slug -> kind, in the order of their slugs."""
    return {kind.slug: kind for kind in discover(__name__, "KIND", "kind")}


def find_kind(slug: str) -> Kind:
    """The kind of that slug. Raises UnknownKind."""
    try:
        return all_kinds()[slug]
    except KeyError:
        raise UnknownKind(f"There is no kind {slug!r}. Kinds: {', '.join(all_kinds())}.") from None


def kind_of_votes(voted: str) -> Kind:
    """The kind of votes on `checklist`, `score` or `preference`; of several, the first by slug. Raises UnknownKind."""
    for kind in all_kinds().values():
        if kind.voted == voted:
            return kind
    raise UnknownKind(f"There is no kind of votes on {voted!r}.")
