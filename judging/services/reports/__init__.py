"""Reports by name: every module of this package that sets `REPORT`."""

import pkgutil
from functools import cache
from importlib import import_module

from judging.services.reports.base import Report


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    modules = (import_module(module_info.name) for module_info in pkgutil.iter_modules(__path__, f"{__name__}."))
    report_list = [module.REPORT for module in modules if hasattr(module, "REPORT")]
    return {report.slug: report for report in sorted(report_list, key=lambda report: report.slug)}
