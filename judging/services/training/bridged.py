"""The way back: from a judgement that was made without criteria to the criteria that people approved for it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from annotate.kinds.branching.bridging import judgement_text, set_aside
from annotate.kinds.branching.shapes import BranchingFacts, Original
from judging.services.training.base import Example
from judging.services.training.steps import About, Criterion

SET_ASIDE = "set aside: %s"
MANNERS = {
    "en": {
        "scores": "a score for each response",
        "verdict": "which response is ahead, or that both are equal",
        "score": "one score for the response",
        "words": "what is found fault with, in words",
        "scale": "{manner}, from {lowest:g} to {highest:g}",
    },
    "zh": {
        "scores": "为每个回复各给一个分数",
        "verdict": "指出哪个回复更好，或两者相当",
        "score": "为该回复给一个分数",
        "words": "用文字指出不足之处",
        "scale": "{manner}，从 {lowest:g} 到 {highest:g}",
    },
}


def of_judgement(
    about: About, facts: BranchingFacts, criteria: Sequence[Criterion], skip_counts: Counter[str]
) -> Iterator[Example]:
    """Reverse steps by the approved criteria; pairs are judged in both orders, the responses keep their names."""
    original = facts.original
    assert original is not None, "only items with a judgement of others have a way back"
    if why := set_aside(facts):
        skip_counts[SET_ASIDE % why] += 1
        return
    if not criteria:
        return
    judgement = judgement_text(original)
    yield about.reverse_criteria(facts.first, facts.second, judgement, criteria)
    for criterion in criteria:
        yield about.reverse_guideline(facts.first, facts.second, judgement, criterion)
    responses = {"only": facts.first} if facts.second is None else {"first": facts.first, "second": facts.second}
    orders = [responses] if facts.second is None else [responses, dict(reversed(responses.items()))]
    for order in orders:
        yield about.reverse_judgement(order, criteria, _manner(original, about.language), judgement)


def _manner(original: Original, language: str) -> str:
    words = MANNERS["zh" if language == "zh" else "en"]
    manner = words[original.style]
    if original.lowest is None or original.highest is None:
        return manner
    return words["scale"].format(manner=manner, lowest=original.lowest, highest=original.highest)
