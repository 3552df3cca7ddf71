"""What installed apps bring in folders of one file each, such as `purposes` and `chores`: found, never listed."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from django.apps import apps

from lib.discovery import existing, module_names


def packages(folder: str) -> list[str]:
    """The package of this name of every installed app that has one, as a dotted name."""
    return existing(f"{app.name}.{folder}" for app in apps.get_app_configs())


def modules(folder: str) -> Iterator[ModuleType]:
    """All modules of these packages, imported."""
    return (import_module(name) for package in packages(folder) for name in module_names(package))


def hooks(name: str) -> list[Any]:
    """The values of this name in `hooks.py` of the installed apps, of those that set it.

    An app is called through them by an app below it, which knows nothing of it. They are imported when they are first
    needed, so that a command that needs none of them starts without them.
    """
    hook_modules = [import_module(module) for module in existing(f"{app.name}.hooks" for app in apps.get_app_configs())]
    return [getattr(module, name) for module in hook_modules if hasattr(module, name)]
