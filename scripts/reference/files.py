"""The page of the formats of files."""

from collections.abc import Iterator
from typing import Any

from annotate.formats.registry import all_formats
from judging.formats.format import judgement_formats
from scripts.reference.words import page, said, table

ABOUT = "What `--format` may be. What rows look like: [files](../formats.md), [votes and verdicts](../votes.md)."


def formats_page() -> str:
    items = [part for one in all_formats().values() for part in _parts(one)]
    judgements = [part for one in judgement_formats().values() for part in _parts(one, ", of judgements")]
    heads = ("## Of items: `import_items`", "## Of judgements: `import_judgements`")
    return page("Formats", ABOUT, [heads[0], *items, heads[1], *judgements])


def _parts(one: Any, what: str = "") -> Iterator[str]:
    yield f"### {one.slug}{what}"
    yield f"**{one.name}.** {said(type(one))}"
    kinds, endings = getattr(one, "kinds", ()), getattr(one, "endings", ())
    told = [f"kinds {', '.join(f'`{kind}`' for kind in sorted(kinds))}"] if kinds else []
    told += [f"endings {', '.join(f'`{ending}`' for ending in endings)}"] if endings else []
    if told:
        yield f"Of {'; '.join(told)}."
    rows = [(f"`{each.name}`", str(each.label), ", ".join(each.choices), each.default) for each in one.options]
    yield table(["option", "", "choices", "default"], rows)
