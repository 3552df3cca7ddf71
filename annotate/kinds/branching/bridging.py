"""Criteria recovered from a judgement that does not say by which it was made, and judgements made of people's work.

The reverse prompts see the query, the responses and the original judgement, each as data. What they propose becomes
branches without scores: the judgement of such an item is the original one.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_noop as _

from annotate.kinds.branching import told
from annotate.kinds.branching.preannotation import Talk
from annotate.kinds.branching.reading import Reader, branch
from annotate.kinds.branching.scoring import SIDES
from annotate.kinds.branching.shapes import BranchingDraft, BranchingFacts, Original
from annotate.kinds.values import Suggested
from lib.texts.suspicions import suspicions

OF_ONE = ("recovered-criteria", "recovered-guideline")
OF_PAIRS = ("recovered-criteria-pair", "recovered-guideline-pair")
STEPS = (*OF_ONE, *OF_PAIRS)
NOTHING, ORDERS, REFERENCE = "nothing", "orders", "reference"
PEOPLE = "people"  # whose the judgement is that an item holds which was made of accepted work of ours

_SPEAKS = _("the judgement %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")
_LEANS = _("the criterion speaks of “%(excerpt)s”; it has to serve readers of other responses.")
# What a criterion must not speak of: it has to serve somebody who has not seen these responses.
_NAMES = re.compile(r"\b(?:first|second) response\b|\bresponse [ab]\b|第[一二]个回答|[前后]一个回答", re.IGNORECASE)
AHEAD = {"first": "The first response is ahead.", "second": "The second response is ahead.", "tie": "Both are equal."}
DESCRIBED = {"first": "First response", "second": "Second response"}


def set_aside(facts: BranchingFacts) -> str:
    """As Kind.set_aside says."""
    original = facts.original
    if original is None or not _says_something(original):
        return NOTHING
    if original.reference:
        return REFERENCE
    if original.swapped is not None and original.swapped != original.verdict:
        return ORDERS
    return ""


def _says_something(original: Original) -> bool:
    return bool((original.text or "").strip()) or original.verdict is not None or original.score_first is not None


def judgement_text(original: Original) -> str:
    """The judgement as the reverse prompts read it: scores with their scale, who is ahead, the reason, the rubric."""
    return "\n\n".join(_parts(original))


def _parts(original: Original) -> Iterator[str]:
    if scores := scores_text(original):
        yield scores
    if original.verdict is not None:
        yield AHEAD[original.verdict]
    if original.text and original.text.strip():
        yield original.text.strip()
    if original.rubric and original.rubric.strip():
        yield f"The judge was told to look at:\n{original.rubric.strip()}"


def scores_text(original: Original) -> str:
    """Such as `First response: 8, second response: 6 (from 1 to 10)`; "" without scores."""
    scores = [(name, getattr(original, f"score_{side}")) for side, name in DESCRIBED.items()]
    text = ", ".join(f"{name}: {score:g}" for name, score in scores if score is not None)
    if not text or original.style == "score":
        text = f"Score: {original.score_first:g}" if original.score_first is not None else text
    scale = original.lowest is not None and original.highest is not None
    return f"{text} (from {original.lowest:g} to {original.highest:g})" if text and scale else text


async def recovered(talk: Talk) -> Suggested:
    """Branches without scores, and what is doubtful about them. Raises CallFailed where a step stays unanswered."""
    facts, reader = talk.facts, Reader.of(talk.facts)
    assert facts.original is not None, "an item without a judgement is set aside"
    judgement = judgement_text(facts.original)
    for suspicion in suspicions({"judgement": judgement}):
        reader.doubt("", _SPEAKS, what=suspicion.what, excerpt=suspicion.excerpt)
    criteria, guideline = OF_PAIRS if facts.second is not None else OF_ONE
    texts = {"answer": facts.first, "second": facts.second or "", "judgement": judgement}
    asked_for = talk.options.criteria
    model_criteria = (await talk.put(criteria, "", told.Criteria, {**texts, "count": str(asked_for)})).criteria
    branches = []
    for number, criterion in enumerate(reader.criteria(model_criteria, asked_for), start=1):
        if match := _NAMES.search(f"{criterion.name} {criterion.description}"):
            reader.doubt(f"branches[{number - 1}]", _LEANS, excerpt=match[0])
        about = {**texts, "criterion": f"{criterion.name}\n{criterion.description}"}
        levels = await talk.put(guideline, str(number), told.Levels, about)
        branches.append(branch(number, criterion, reader.levels(number, levels.in_order())))
    return Suggested(
        BranchingDraft(branches=[], numbered=len(branches)).stored() | {"branches": branches}, reader.doubts
    )


def parent_key(facts: BranchingFacts) -> str:
    """The key after the slash of `project/key`; "" of judgements from elsewhere."""
    ours = facts.original is not None and facts.original.judge == PEOPLE
    return (facts.original.source or "").partition("/")[2] if ours and facts.original else ""


def of_people(facts: BranchingFacts, draft: BranchingDraft) -> dict[str, Any] | None:
    """What people found and corrected in a tree, as a judgement in words: it no longer says by which criteria.

    None where they gave no reason and corrected nothing.
    """
    reasons = [words for criterion in draft.branches for words in _reasons(criterion.judgement)]
    changed = [
        f"{DESCRIBED[side]}, as people would have it:\n{text}" for side in SIDES if (text := _correction(draft, side))
    ]
    if not reasons and not changed:
        return None
    stored = facts.stored()
    original = {"style": "words", "judge": PEOPLE, "text": "\n".join([*reasons, *changed])}
    if facts.human_label:
        original["verdict"] = facts.human_label
    return {**stored, "original": original}


def _reasons(judgement: Any) -> Iterator[str]:
    for side in SIDES:
        if words := getattr(judgement, f"explanation_{side}").strip():
            yield f"{DESCRIBED[side]}: {words}"
    if judgement.comparison.strip():
        yield judgement.comparison.strip()


def _correction(draft: BranchingDraft, side: str) -> str:
    return str(getattr(draft, f"correction_{side}")).strip()
