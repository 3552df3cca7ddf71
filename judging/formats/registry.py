"""Which formats of judgements there are: every module of this package that sets `FORMAT`."""

import pkgutil
from functools import cache
from importlib import import_module

import judging.formats
from annotate.kinds.base import Kind
from judging.formats.base import JudgementFormat


@cache
def judgement_formats() -> dict[str, JudgementFormat]:
    """slug -> format, in the order of the slugs."""
    names = (found.name for found in pkgutil.iter_modules(judging.formats.__path__, f"{judging.formats.__name__}."))
    modules = (import_module(name) for name in names)
    formats = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {each.slug: each for each in sorted(formats, key=lambda each: each.slug)}


def formats_for(kind: Kind) -> list[JudgementFormat]:
    """Those whose files can come into projects of this kind."""
    return [each for each in judgement_formats().values() if each.suits(kind)]
