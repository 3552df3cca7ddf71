"""A tree as the fields of its form, which are parallel lists."""

from typing import Any


def posted(draft: dict[str, Any]) -> dict[str, Any]:
    """What the page posts of a draft of kind `branching`."""
    rows = [_row(one) for one in draft["branches"]]
    fields: dict[str, Any] = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
    return fields | {
        "numbered": str(draft["numbered"]),
        "correction_first": draft["correction_first"],
        "correction_second": draft["correction_second"],
        "grounds_first": draft["grounds_first"],
        "grounds_second": draft["grounds_second"],
    }


def _row(one: dict[str, Any]) -> dict[str, str]:
    judgement = one["judgement"]
    return {
        "branch": one["id"],
        "merged": " ".join(one["merged"]),
        "guideline": one["guideline"]["id"],
        "judgement": judgement["id"],
        "criterion_name": one["name"],
        "description": one["description"],
        "branch_weight": _typed(one["weight"]),
        **{f"level_{score}": words for score, words in enumerate(one["guideline"]["levels"], start=1)},
        **{name: _typed(judgement[name]) for name in ("score_first", "score_second")},
        **{name: judgement[name] for name in ("explanation_first", "explanation_second", "comparison")},
    }


def _typed(number: float | None) -> str:
    return "" if number is None else str(number)
