"""The page of the measures."""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import lib.stats
from scripts.reference.words import generated, page, said

ABOUT = (
    "Numbers without a database: each module of `lib/stats`, with what is public in it. "
    "Undefined values are `None` and say why; missing ones are left out and counted."
)


def metrics_page() -> str:
    return page("Metrics", ABOUT, [part for module in _modules() for part in _parts(module)])


def _modules() -> list[ModuleType]:
    found = pkgutil.walk_packages(lib.stats.__path__, "lib.stats.")
    return [import_module(one.name) for one in sorted(found, key=lambda one: one.name)]


def _parts(module: ModuleType) -> Iterator[str]:
    told = list(_public(module))
    if told:
        yield f"## {module.__name__.removeprefix('lib.stats.')}"
        yield said(module)
        yield from told


def _public(module: ModuleType) -> Iterator[str]:
    """What it defines itself and says something about, in the order of the file."""
    for name, thing in vars(module).items():
        mine = getattr(thing, "__module__", "") == module.__name__ and not name.startswith("_")
        if not mine or not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        if not thing.__doc__ or (inspect.isclass(thing) and generated(thing)):
            continue
        yield f"**`{name}{_arguments(thing)}`** {said(thing)}"


def _arguments(thing: Any) -> str:
    return f"({', '.join(inspect.signature(thing).parameters)})" if inspect.isfunction(thing) else ""
