"""By which words a task is recognised: FB-Bench's taxonomy as task_words.toml says, other labels by their names."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

# What is wanted stands at the beginning or the end of a request; between them lies the material it is about.
EDGE = 160

Rules = Sequence[tuple[float, re.Pattern[str]]]


@cache
def words() -> Mapping[str, Rules]:
    """`Task;Subtask` -> weights with what has to be found for them."""
    rules_by_label = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        label: [(float(weight), re.compile("|".join(patterns), re.IGNORECASE)) for weight, patterns in rules.items()]
        for label, rules in rules_by_label.items()
    }


def best(text: str, labels: Sequence[str]) -> str:
    """The label whose words are found most; the first of the labels where nothing is found."""
    edges = text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"
    scores = [_score(edges.strip(), label) for label in labels]
    return labels[scores.index(max(scores))]


def _score(text: str, label: str) -> float:
    rules = words().get(label)
    if rules is None:
        label_words = re.findall(r"\w{4,}", label.lower()) or [label.lower()]
        return sum(2.0 for word in label_words if word in text.lower())
    return sum(weight for weight, pattern in rules if pattern.search(text))
