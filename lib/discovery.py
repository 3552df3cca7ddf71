"""Modules found by their place, so that nobody edits a list of kinds, formats, strategies or boards."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any


def existing(names: Iterable[str]) -> list[str]:
    """Those of these dotted names that are modules; only the packages around them are imported."""
    return [name for name in names if find_spec(name)]


def module_names(package: str, inner: str = "") -> list[str]:
    """The dotted names of the modules of a package, sorted.

    inner: instead, of the module with this name in each folder of the package, where it has one.
    """
    modules = sorted(iter_modules(import_module(package).__path__, f"{package}."), key=lambda module: module.name)
    if not inner:
        return [module.name for module in modules]
    return existing(f"{module.name}.{inner}" for module in modules if module.ispkg)


def discover(package: str, value: str, inner: str = "") -> list[Any]:
    """What the modules of `module_names` set under the name `value`, in their order; the others are passed over.

    Raises what importing a module raises.
    """
    modules = [import_module(name) for name in module_names(package, inner)]
    return [getattr(module, value) for module in modules if hasattr(module, value)]
