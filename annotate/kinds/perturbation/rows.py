"""The names of the published tuples: task, category, cdx, question, og, perturbed_gpt4."""

from collections.abc import Mapping
from typing import Any

PUBLISHED = {
    "task": "ability",
    "category": "category",
    "cdx": "cdx",
    "question": "prompt",
    "og": "gold_answer",
    "perturbed_gpt4": "perturbed_answer",
}


def ours(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row under our names, whichever of the two it uses, with its key where it has none."""
    named = {PUBLISHED.get(name, name): value for name, value in row.items()}
    if named.get("verdict") is not None:
        named.setdefault("note", "")
    category, cdx = named.get("category"), named.get("cdx")
    if "key" not in named and isinstance(category, str) and isinstance(cdx, str):
        named["key"] = f"{category}/{cdx}"
    return named


def published(facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it is released: the tuple first, then what was added to it here. What is absent stays absent."""
    row = {**facts, **draft}
    tuple_ = {theirs: row.pop(name) for theirs, name in PUBLISHED.items() if name in row}
    return tuple_ | row
