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
    names = (
        module_info.name
        for module_info in pkgutil.iter_modules(judging.formats.__path__, f"{judging.formats.__name__}.")
    )
    modules = (import_module(name) for name in names)
    formats = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return {
        judgement_format.slug: judgement_format
        for judgement_format in sorted(formats, key=lambda judgement_format: judgement_format.slug)
    }


def formats_for(kind: Kind) -> list[JudgementFormat]:
    """Those whose files can come into projects of this kind."""
    return [judgement_format for judgement_format in judgement_formats().values() if judgement_format.suits(kind)]
