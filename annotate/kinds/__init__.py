"""The kinds of work. A kind is one folder in here with a module `kind.py` that names its `KIND`; nothing lists them."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotate.kinds.base import Kind


class UnknownKind(LookupError):
    """Nobody has built this kind; the message names those that exist."""


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
