"""What installed apps bring in folders of one file each, such as `purposes` and `chores`: found, never listed."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from django.apps import apps

from lib.discovery import existing, module_names


def packages(folder: str) -> list[str]:
    """The package of this name of every installed app that has one, as a dotted name."""
    return existing(f"{app.name}.{folder}" for app in apps.get_app_configs())


def modules(folder: str) -> Iterator[ModuleType]:
    """All modules of these packages, imported."""
    return (import_module(name) for package in packages(folder) for name in module_names(package))
