"""What installed apps bring in modules and folders of a name, such as `chores` and `purposes`: found, never listed."""

from importlib import import_module
from types import ModuleType
from typing import Any

from django.apps import apps

from lib.discovery import existing


def packages(folder: str) -> list[str]:
    """The package or module of this name of every installed app that has one, as a dotted name."""
    return existing(f"{app.name}.{folder}" for app in apps.get_app_configs())


def modules(name: str) -> list[ModuleType]:
    """The module of this name of every installed app that has one, imported."""
    return [import_module(module) for module in packages(name)]


def hooks(name: str) -> list[Any]:
    """The values of this name in `hooks.py` of the installed apps, of those that set it.

    An app is called through them by an app below it, which knows nothing of it. They are imported when they are first
    needed, so that a command that needs none of them starts without them.
    """
    return [getattr(module, name) for module in modules("hooks") if hasattr(module, name)]
