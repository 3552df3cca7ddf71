"""The kinds of work. Each folder here whose module `kind.py` sets `KIND` is a kind; there is no other list."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotate.kinds.contract import Kind


class UnknownKind(LookupError):
    """No kind has this slug; the message names those that exist."""


@cache
def all_kinds() -> dict[str, Kind]:
    """slug -> kind, in the order of their slugs."""
    folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    kinds = [import_module(f"{__name__}.{folder}.kind").KIND for folder in folders]
    return {kind.slug: kind for kind in kinds}


def find_kind(slug: str) -> Kind:
    """The kind of that slug. Raises UnknownKind."""
    try:
        return all_kinds()[slug]
    except KeyError:
        raise UnknownKind(f"There is no kind {slug!r}. Kinds: {', '.join(all_kinds())}.") from None
