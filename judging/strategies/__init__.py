"""Ways of asking a judge. A family is a folder with its prompts; its module `strategies` lists the instances."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from judging.strategies.base import Strategy


@cache
def strategies() -> Mapping[str, Strategy]:
    """slug -> strategy, of the `STRATEGIES` of every family's folder."""
    families = sorted(package.name for package in iter_modules(__path__) if package.ispkg)
    modules = (import_module(f"{__name__}.{family}.strategies") for family in families)
    return {strategy.slug: strategy for module in modules for strategy in module.STRATEGIES}
