"""The page of the kinds of work."""

from collections.abc import Iterator

from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from scripts.reference.words import fields, page, said

ABOUT = (
    "What people work on. `create_project SLUG --kind KIND` begins a project of one; `--option name=value` sets what "
    "stands under its options. How to add one: [kinds](../kinds.md)."
)


def kinds_page() -> str:
    return page("Kinds", ABOUT, [part for kind in all_kinds().values() for part in _parts(kind)])


def _parts(kind: Kind) -> Iterator[str]:
    yield f"## {kind.slug}"
    yield f"**{kind.name}.** {kind.about}"
    yield said(type(kind))
    for heading, model in (("Facts", kind.facts), ("Draft", kind.draft), ("Options", kind.options)):
        if model.model_fields:
            yield f"### {heading} of {kind.slug}"
            yield said(model)
            yield fields(model)
    steps = {
        "drafted in the steps": kind.preannotation_steps,
        "classified in the steps": kind.classification_steps,
        "gold answers written in the steps": kind.gold_steps,
    }
    told = [f"{what} {', '.join(f'`{step}`' for step in named)}" for what, named in steps.items() if named]
    if told:
        yield f"By models: {'; '.join(told)}."
