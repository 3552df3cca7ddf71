"""A perturbation of our own writing, and variations of it."""

from typing import Any

GOLD = "The canal is 82 kilometres long. Its locks lift ships by 26 metres, and no pump is needed."
FACTS: dict[str, Any] = {
    "prompt": "How long is the canal, and how high do its locks lift a ship?",
    "gold_answer": GOLD,
    "ability": "factual",
    "category": "number-errors",
    "explanation": "I exchanged the digits of the length: 82 became 28.",
    "cdx": "factual-7_number-errors",
}
DRAFT: dict[str, Any] = {"perturbed_answer": GOLD.replace("82", "28"), "verdict": "valid", "note": ""}


def published(no: int = 7, *, category: str = "number-errors", **changes: Any) -> dict[str, Any]:
    """The same as a published tuple, told from others by its number."""
    tuple_ = {
        "task": "factual",
        "category": category,
        "cdx": f"factual-{no}_{category}",
        "question": f"{no}: {FACTS['prompt']}",
        "og": GOLD,
        "perturbed_gpt4": DRAFT["perturbed_answer"],
    }
    return tuple_ | changes
