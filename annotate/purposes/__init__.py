"""What runs are for. One file a purpose, found by itself; see base.py for what a purpose has to say."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

from annotate.purposes.base import Purpose

PACKAGES = ("annotate.purposes", "judging.purposes")


@cache
def purposes() -> Mapping[str, Purpose]:
    """slug -> purpose, of every module of the packages that has a `PURPOSE`."""
    purpose_by_slug = {}
    for package in PACKAGES:
        spec = find_spec(package)
        for module in pkgutil.iter_modules(spec.submodule_search_locations if spec else []):
            purpose = getattr(importlib.import_module(f"{package}.{module.name}"), "PURPOSE", None)
            if purpose is not None:
                purpose_by_slug[purpose.slug] = purpose
    return purpose_by_slug
