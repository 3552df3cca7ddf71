"""What installed apps bring in folders of one file each, such as `purposes` and `chores`: found, never listed."""

import importlib
import pkgutil
from collections.abc import Iterator
from importlib.util import find_spec
from types import ModuleType

from django.apps import apps


def packages(folder: str) -> list[str]:
    """The package of this name of every installed app that has one, as a dotted name."""
    names = [f"{app.name}.{folder}" for app in apps.get_app_configs()]
    return [name for name in names if find_spec(name)]


def modules(folder: str) -> Iterator[ModuleType]:
    """All modules of these packages, imported."""
    for package in packages(folder):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            yield importlib.import_module(module.name)
