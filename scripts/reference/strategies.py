"""The page of the judging strategies."""

from collections.abc import Iterator

from judging.strategies.strategy import Strategy, strategies
from scripts.reference.words import fields, page, said

ABOUT = (
    "What `judge SLUG --strategy …` may be; `--option name=value` sets an option. "
    "What judging is: [judging](../judging.md)."
)


def strategies_page() -> str:
    return page("Strategies", ABOUT, [part for one in strategies().values() for part in _parts(one)])


def _parts(one: Strategy) -> Iterator[str]:
    yield f"## {one.slug}"
    yield f"**{one.name}** (family `{one.family}`). {one.about}"
    yield said(type(one))
    told = ["two answers" if one.pairwise else "one answer"]
    told += ["beside a reference"] if one.needs_reference else []
    told += ["always in both orders"] if one.always_both_orders else []
    told += [f"steps {', '.join(f'`{step}`' for step in one.steps)}"] if one.steps else []
    told += [f"source: {one.source}"] if one.source else []
    yield f"Judges {'; '.join(told)}."
    yield fields(one.options)
