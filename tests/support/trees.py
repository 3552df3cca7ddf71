"""Facts and drafts of branching judgements, and replies to the steps of their chain. All of our own writing."""

from typing import Any

SINGLE: dict[str, Any] = {"query": "How many legs has a spider, and why?", "first": "Six, as all insects."}
PAIR: dict[str, Any] = SINGLE | {
    "second": "Eight. Spiders are arachnids.",
    "human_label": "second",
    "author_first": "model-a",
    "author_second": "model-b",
    "scenario": "Biology",
}


def branch(no: int, first: int | None = 4, second: int | None = None, **more: Any) -> dict[str, Any]:
    """A whole branch: criterion c<no> → guideline g<no> → judgement j<no>."""
    return {
        "id": f"c{no}",
        "name": f"Name {no}",
        "description": f"What number {no} looks at.",
        "weight": None,
        "merged": [],
        "guideline": {"id": f"g{no}", "criterion": f"c{no}", "levels": [f"{no}: score {n}" for n in (1, 2, 3, 4, 5)]},
        "judgement": {
            "id": f"j{no}",
            "guideline": f"g{no}",
            "score_first": first,
            "explanation_first": "Why the first." if first is not None else "",
            "score_second": second,
            "explanation_second": "Why the second." if second is not None else "",
            "comparison": "",
        },
    } | more


def tree(*branches: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A draft of these branches."""
    return {
        "branches": list(branches),
        "numbered": len(branches),
        "correction_first": "",
        "grounds_first": [],
        "correction_second": "",
        "grounds_second": [],
    } | more


DRAFT = tree(branch(1, 2, 5), branch(2, 3, 4), correction_first="Eight, as all arachnids.", grounds_first=["j1"])


def replies(criteria: int = 5, *, scores: tuple[int, int] = (2, 5)) -> dict[str, Any]:
    """step -> reply, of a pair and of a single response; the same scores under every criterion."""
    first, second = scores
    given: dict[str, Any] = {
        "criteria": {"criteria": [{"name": f"Name {no}", "description": f"Look at {no}."} for no in _upto(criteria)]},
        "correction/first": {"corrected_response": "Eight, as all arachnids."},
        "correction/second": {"corrected_response": "Eight legs."},
    }
    for no in _upto(criteria):
        given[f"guideline/{no}"] = {f"level_{score}": f"{no}: like {score}" for score in _upto(5)}
        given[f"judgement/{no}"] = {"explanation": "So it is.", "score": first}
        given[f"comparison/{no}"] = {
            "explanation_first": "Why the first.",
            "explanation_second": "Why the second.",
            "comparison": "They differ.",
            "score_first": first,
            "score_second": second,
        }
    return given


def _upto(count: int) -> range:
    return range(1, count + 1)
