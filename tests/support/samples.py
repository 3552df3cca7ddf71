"""Feedback samples of our own making, about as long as published ones, no two alike."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.visitors import Answer

THINGS = ["orders", "readings", "invoices", "passengers", "samples", "letters", "parcels", "recipes", "plots", "songs"]
PLACES = ["Lisbon", "Oslo", "Nairobi", "Kyoto", "Lima", "Tartu", "Halifax", "Pune", "Graz", "Cork"]
VERBS = ["counts", "groups", "compares", "averages", "filters", "sorts", "merges", "checks"]
REMARKS = [
    "The order of the {things} must not matter, and an empty list is not an error.",
    "Values from {place} come in another unit, so they are converted before anything is added up.",
    "Nobody should have to read the {things} twice: one pass is enough, and memory stays small.",
    "A missing value is not zero. It is left out, and the number of those left out is told.",
    "If two {things} have the same number, the one from {place} comes first.",
    "The result is rounded only at the end, otherwise small differences add up to a visible one.",
]
CODE = """```python
def {verb}_{things}(rows: list[dict[str, float]]) -> float:
    total, seen = {number}.0, 0
    for row in rows:
        if row.get("value") is None:
            continue  # {place} sends gaps
        total += row["value"] * {factor}
        seen += 1
    return total / seen
```"""
TABLE = """| {things} | value | counted |
|---|---:|---|
| first of {place} | {number} | yes |
| second of {place} | {factor} | yes |
| gap | | no |"""
ENDING = "The cost grows with the number of {things}, and *{place}* is treated like any other place."
FORMULA = "So for $n$ {things} the cost is $O(n)$, and *{place}* is treated like any other place."
FEEDBACK = [
    "Your code divides by `seen` without looking whether anything was read. What happens with an empty list?",
    "You said that the start value does not matter, but {number} is added to every result. Look at it again.",
    "The factor {factor} is applied to {things} from {place} too, although they were converted before.",
    "I asked for one pass, and the explanation below describes two. Which of the two does the code do?",
]
QUESTIONS = [
    "Does the answer say that an empty list must not be divided by?",
    "Does the corrected code start from zero instead of {number}?",
    "Does it keep the rows from {place} in their own unit?",
    "Is the number of left-out values told?",
]


def sample(number: int, *, brief: bool = False) -> dict[str, Any]:
    """One row in the published field names with a suggestion; the same for the same number.

    Of 2.1 kB, with 1.2 kB of question and answer, every tenth with formulas; brief: of 1.3 kB in all.
    """
    chance = random.Random(number)  # texts, not secrets
    words = {
        "things": chance.choice(THINGS),
        "place": chance.choice(PLACES),
        "verb": chance.choice(VERBS),
        "number": number,
        "factor": chance.randint(2, 99),
    }
    remarks = [remark.format(**words) for remark in chance.sample(REMARKS, 1 if brief else len(REMARKS))]
    return {
        "key": f"b-{number}",
        "bench_type": "Error Correction",
        "user_query": _question(words, remarks[:3]),
        "origin_first_response": _answer(words, remarks[3:], brief),
        "suggestion": _suggestion(words, chance),
    }


def _question(words: dict[str, Any], remarks: list[str]) -> str:
    return (
        "I have a list of {things} from {place}, about {number} a day, each a dictionary with a `value`. Write a "
        "Python function that {verb} them and gives **one number** back. ".format(**words)
        + " ".join(remarks)
    )


def _answer(words: dict[str, Any], remarks: list[str], brief: bool) -> str:
    if brief:
        return CODE.format(**words)
    steps = "\n".join(f"{place}. {remark}" for place, remark in enumerate(remarks, start=1))
    ending = FORMULA if words["number"] % 10 == 0 else ENDING
    parts = ["Here is a function that does it:", CODE, "What it gives:", TABLE, "What to know about it:", steps, ending]
    return "\n\n".join(part.format(**words) for part in parts)


def _suggestion(words: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    texts = [text.format(**words) for text in chance.sample(FEEDBACK, 3)]
    questions = [text.format(**words) for text in QUESTIONS]
    return {
        "task_type": "Coding",
        "sub_task_type": "Code Debugging",
        "error_type": ["Logical Error"],
        "feedback": " ".join(texts),
        "feedback_type": ["Pointing Out Errors", "Detailed Explanation"],
        "checklist": [[question, 0.25] for question in questions],
    }


def samples(count: int, start: int = 0, *, brief: bool = False) -> Iterator[dict[str, Any]]:
    return (sample(number, brief=brief) for number in range(start, start + count))


def write_samples(path: Path, count: int, start: int = 0, *, brief: bool = False) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for row in samples(count, start, brief=brief):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def written(feedback: str, page: Answer) -> dict[str, str | list[str]]:
    """The form of the work page as a person leaves it who rewrote feedback and checklist."""
    return {"token": page.hidden("token"), "revision": page.hidden("revision"), **rewritten(feedback)}


def rewritten(feedback: str) -> dict[str, str | list[str]]:
    """The same without what is hidden in the page."""
    return {
        "seconds": "2",
        "suitable": "yes",
        "task": "Coding / Code Debugging",
        "error_type": ["Logical Error"],
        "feedback": feedback,
        "feedback_type": ["Pointing Out Errors"],
        "question": ["Does it say that an empty list is possible?", "Does it start from zero?"],
        "weight": ["0.5", "0.5"],
    }
