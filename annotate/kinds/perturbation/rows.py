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
    native_row = {PUBLISHED.get(name, name): value for name, value in row.items()}
    if native_row.get("verdict") is not None:
        native_row.setdefault("note", "")
    category, cdx = native_row.get("category"), native_row.get("cdx")
    if "key" not in native_row and isinstance(category, str) and isinstance(cdx, str):
        native_row["key"] = f"{category}/{cdx}"
    return native_row


def published(facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it is released: the tuple first, then what was added to it here. What is absent stays absent."""
    row = {**facts, **draft}
    tuple_ = {published_name: row.pop(name) for published_name, name in PUBLISHED.items() if name in row}
    return tuple_ | row
