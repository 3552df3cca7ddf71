"""Reports by name: every module of this package that sets `REPORT`."""

import pkgutil
from functools import cache
from importlib import import_module

from judging.services.reports.base import Report


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    modules = (import_module(found.name) for found in pkgutil.iter_modules(__path__, f"{__name__}."))
    found = [module.REPORT for module in modules if hasattr(module, "REPORT")]
    return {each.slug: each for each in sorted(found, key=lambda each: each.slug)}
