"""How models draft a tree of judgements, and how criteria are recovered from a judgement that names none.

Replies become parts of the tree; what does not fit becomes a doubt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.utils.translation import gettext_noop as _

from annotate.kinds.branching import shapes
from annotate.kinds.branching.shapes import BranchingDraft, BranchingFacts, BranchingOptions, Original, grounds
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import AnswerShape, Finding
from annotate.kinds.trees import (
    NOTHING,
    ORDERS,
    PEOPLE,
    REFERENCE,
    SIDES,
    Corrected,
    Criteria,
    Criterion,
    Levels,
    Side,
    is_score,
)
from annotate.kinds.values import ModelSuggestion
from lib.texts.fencing import fenced
from lib.texts.suspicions import suspicions

_SPEAKS = {
    "query": _("the query %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
    "first": _("the first response %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
    "second": _("the second response %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
}


def branch(number: int, criterion: Criterion, levels: Sequence[str]) -> dict[str, Any]:
    """A branch as it is stored, not judged yet. Its parts keep the number that it was made with."""
    return {
        "id": f"c{number}",
        "name": criterion.name.strip(),
        "description": criterion.description.strip(),
        "weight": None,
        "merged": [],
        "guideline": {"id": f"g{number}", "criterion": f"c{number}", "levels": list(levels)},
        "judgement": {
            "id": f"j{number}",
            "guideline": f"g{number}",
            "score_first": None,
            "explanation_first": "",
            "score_second": None,
            "explanation_second": "",
            "comparison": "",
        },
    }


def guideline_text(stored_branch: Mapping[str, Any]) -> str:
    """The levels as a judge reads them, one per line."""
    return "\n".join(f"{score}: {words}" for score, words in enumerate(stored_branch["guideline"]["levels"], start=1))


def judgements_text(branches: Sequence[Mapping[str, Any]], side: Side) -> str:
    """The faults found in one response, as the model that corrects it reads them."""
    lines = []
    for stored_branch in branches:
        score, why = stored_branch["judgement"][f"score_{side}"], stored_branch["judgement"][f"explanation_{side}"]
        lines.append(f"- {stored_branch['name']} ({stored_branch['description']}): {score:g}/5. {why}")
    return "\n".join(lines)


@dataclass
class TreeReader:
    """Reads the replies about one item and collects the doubts: message ids with values, put into words when shown."""

    doubts: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, facts: BranchingFacts) -> "TreeReader":
        """Begins with doubts about facts that look like instructions to the model."""
        reader = cls()
        for suspicion in suspicions({"query": facts.query, "first": facts.first, "second": facts.second or ""}):
            reader.doubt("", _SPEAKS[suspicion.name], what=suspicion.what, excerpt=suspicion.excerpt)
        return reader

    def doubt(self, path: str, message: str, **params: Any) -> None:
        self.doubts.append(Finding(path, message, "model", params))

    def criteria(self, stated: Sequence[Criterion], count: int) -> list[Criterion]:
        """The criteria that are not empty, at most `count`."""
        criteria = [criterion for criterion in stated if criterion.description.strip()]
        if len(criteria) != count:
            self.doubt("branches", _("the model gave %(n)d criteria; %(wanted)d were requested."),
                       n=len(criteria), wanted=count)  # fmt: skip
        return criteria[:count]

    def levels(self, number: int, levels: Sequence[str]) -> list[str]:
        if not all(words.strip() for words in levels):
            self.doubt(f"branches[{number - 1}]", _("the model left levels of the guideline empty."))
        return [words.strip() for words in levels]

    def judged(self, number: int, side: Side, score: float, explanation: str) -> dict[str, Any]:
        """A score as the model gave it: one that is not on the guideline's scale stays, with a doubt."""
        path = f"branches[{number - 1}]"
        if not is_score(score):
            self.doubt(path, _("the model scored %(score)s; the guideline goes from 1 to 5."), score=f"{score:g}")
        if not explanation.strip():
            self.doubt(path, _("the model gave a score without a reason."))
        return {f"score_{side}": int(score) if score == int(score) else score, f"explanation_{side}": explanation}

    def correction(self, side: Side, text: str, response: str) -> str:
        path = f"correction_{side}"
        if not text.strip():
            self.doubt(path, _("the model left this empty."))
        elif text.split() == response.split():
            self.doubt(path, _("the model changed nothing."))
        return text


# The chain: criteria and guidelines from the query alone, then judgements, then corrections.


CRITERIA, GUIDELINE, SINGLE, PAIR, CORRECTION = "criteria", "guideline", "judgement", "comparison", "correction"
STEPS = (CRITERIA, GUIDELINE, SINGLE, PAIR, CORRECTION)
# From Fennec's published code.
CORRECTION_TEMPERATURE = 0.1

Answer = TypeVar("Answer", bound=AnswerShape)


@dataclass(frozen=True)
class BranchingTalk:
    """The conversation about one item. Each step gets only the texts that it may see."""

    facts: BranchingFacts
    options: BranchingOptions
    prompts: Prompts
    ask: Ask
    language: str

    async def put(
        self, prompt: str, place: str, answer: type[Answer], texts: Mapping[str, str], temperature: float = 0.0
    ) -> Answer:
        """place: tells this question apart from others with the same prompt; "" if there is only one."""
        wording = self.prompts.text(prompt, self.language)
        messages = fenced(wording, {"query": self.facts.query, **texts}, language=self.language).messages()
        step = f"{prompt}/{place}" if place else prompt
        reply = await self.ask(Question(step, messages, answer, temperature=temperature))
        assert isinstance(reply.read, answer)
        return reply.read


async def drafted(talk: BranchingTalk) -> ModelSuggestion:
    """The whole tree with its doubts. Raises CallFailed if a step gets no answer."""
    reader = TreeReader.of(talk.facts)
    asked_for = talk.options.criteria
    criteria = (await talk.put(CRITERIA, "", Criteria, {"count": str(asked_for)})).criteria
    branches = []
    for number, criterion in enumerate(reader.criteria(criteria, asked_for), start=1):
        levels = await talk.put(GUIDELINE, str(number), Levels, _of(criterion))
        branches.append(branch(number, criterion, reader.levels(number, levels.in_order())))
    for number, stored_branch in enumerate(branches, start=1):
        stored_branch["judgement"] |= await _judged(talk, reader, number, stored_branch)
    draft: dict[str, Any] = {"branches": branches, "numbered": len(branches)}
    for side in SIDES:
        draft |= await _corrected(talk, reader, branches, side)
    return ModelSuggestion(draft, reader.doubts)


def _of(criterion: Criterion) -> dict[str, str]:
    return {"criterion": f"{criterion.name}\n{criterion.description}"}


async def _judged(
    talk: BranchingTalk, reader: TreeReader, number: int, stored_branch: Mapping[str, Any]
) -> dict[str, Any]:
    """Scores and explanations of one judgement."""
    texts = {
        "criterion": f"{stored_branch['name']}\n{stored_branch['description']}",
        "guideline": guideline_text(stored_branch),
    }
    first, second = talk.facts.first, talk.facts.second
    if second is None:
        single = await talk.put(SINGLE, str(number), shapes.Judged, {**texts, "answer": first})
        return reader.judged(number, "first", single.score, single.explanation)
    pair = await talk.put(PAIR, str(number), shapes.Compared, {**texts, "answer": first, "second": second})
    return {
        **reader.judged(number, "first", pair.score_first, pair.explanation_first),
        **reader.judged(number, "second", pair.score_second, pair.explanation_second),
        "comparison": pair.comparison,
    }


async def _corrected(
    talk: BranchingTalk, reader: TreeReader, branches: Sequence[Mapping[str, Any]], side: Side
) -> dict[str, Any]:
    """A better text if a score asks for one, written only from the judgements that ask for it."""
    low = grounds(branches, side, talk.options)
    text = ""
    if low:
        response = talk.facts.first if side == "first" else talk.facts.second or ""
        low_branches = [stored_branch for stored_branch in branches if stored_branch["judgement"]["id"] in low]
        texts = {"answer": response, "judgements": judgements_text(low_branches, side)}
        reply = await talk.put(CORRECTION, side, Corrected, texts, CORRECTION_TEMPERATURE)
        text = reader.correction(side, reply.corrected_response, response)
    return {f"correction_{side}": text, f"grounds_{side}": low}


def most_calls(facts: BranchingFacts, options: BranchingOptions) -> int:
    """One for the criteria, a guideline and a judgement for each criterion, and a correction of every response."""
    return 1 + 2 * options.criteria + (1 if facts.second is None else 2)


# Bridging: criteria recovered from a judgement that names none, and judgements made of people's work.
#
# The reverse prompts see the query, the responses and the original judgement, each as data. The proposed criteria
# become branches without scores, because the judgement of such an item is the original one.


OF_ONE = ("recovered-criteria", "recovered-guideline")
OF_PAIRS = ("recovered-criteria-pair", "recovered-guideline-pair")
RECOVERY_STEPS = (*OF_ONE, *OF_PAIRS)

_JUDGEMENT_SPEAKS = _("the judgement %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")
_LEANS = _("the criterion speaks of “%(excerpt)s”; it has to serve readers of other responses.")
# Words that a criterion must not contain: it has to be usable without having seen these responses.
_NAMES = re.compile(r"\b(?:first|second) response\b|\bresponse [ab]\b|第[一二]个回答|[前后]一个回答", re.IGNORECASE)
AHEAD = {"first": "The first response is ahead.", "second": "The second response is ahead.", "tie": "Both are equal."}
DESCRIBED = {"first": "First response", "second": "Second response"}


def set_aside(facts: BranchingFacts) -> str:
    """See ModelledKind.set_aside."""
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


async def recovered(talk: BranchingTalk) -> ModelSuggestion:
    """Branches without scores, and their doubts. Raises CallFailed if a step gets no answer."""
    facts, reader = talk.facts, TreeReader.of(talk.facts)
    assert facts.original is not None, "an item without a judgement is set aside"
    judgement = judgement_text(facts.original)
    for suspicion in suspicions({"judgement": judgement}):
        reader.doubt("", _JUDGEMENT_SPEAKS, what=suspicion.what, excerpt=suspicion.excerpt)
    criteria, guideline = OF_PAIRS if facts.second is not None else OF_ONE
    texts = {"answer": facts.first, "second": facts.second or "", "judgement": judgement}
    asked_for = talk.options.criteria
    model_criteria = (await talk.put(criteria, "", Criteria, {**texts, "count": str(asked_for)})).criteria
    branches = []
    for number, criterion in enumerate(reader.criteria(model_criteria, asked_for), start=1):
        if match := _NAMES.search(f"{criterion.name} {criterion.description}"):
            reader.doubt(f"branches[{number - 1}]", _LEANS, excerpt=match[0])
        about = {**texts, "criterion": f"{criterion.name}\n{criterion.description}"}
        levels = await talk.put(guideline, str(number), Levels, about)
        branches.append(branch(number, criterion, reader.levels(number, levels.in_order())))
    return ModelSuggestion(
        BranchingDraft(branches=[], numbered=len(branches)).stored() | {"branches": branches}, reader.doubts
    )


def parent_key(facts: BranchingFacts) -> str:
    """The key after the slash of `project/key`; "" for judgements from elsewhere."""
    ours = facts.original is not None and facts.original.judge == PEOPLE
    return (facts.original.source or "").partition("/")[2] if ours and facts.original else ""


def of_people(facts: BranchingFacts, draft: BranchingDraft) -> dict[str, Any] | None:
    """What people criticised and corrected in a tree, as a judgement in words that no longer names its criteria.

    None if they gave no reason and corrected nothing.
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
