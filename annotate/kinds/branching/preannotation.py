"""How a model drafts the tree: criteria and guidelines from the query alone, then judgements, then corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotate.kinds.branching import told
from annotate.kinds.branching.reading import Reader, branch, guideline_text, judgements_text
from annotate.kinds.branching.scoring import SIDES, Side, grounds
from annotate.kinds.branching.shapes import BranchingFacts, BranchingOptions
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import Told
from annotate.kinds.values import Suggested
from lib.texts.fencing import fenced

CRITERIA, GUIDELINE, SINGLE, PAIR, CORRECTION = "criteria", "guideline", "judgement", "comparison", "correction"
STEPS = (CRITERIA, GUIDELINE, SINGLE, PAIR, CORRECTION)
# Of Fennec's published code.
CORRECTION_TEMPERATURE = 0.1

Answer = TypeVar("Answer", bound=Told)


@dataclass(frozen=True)
class Talk:
    """One item's conversation. Each step gets the texts that it may see, and no other."""

    facts: BranchingFacts
    options: BranchingOptions
    prompts: Prompts
    ask: Ask
    language: str

    async def put(
        self, prompt: str, place: str, answer: type[Answer], texts: Mapping[str, str], temperature: float = 0.0
    ) -> Answer:
        """place: what tells this question from others with the same prompt; "" where there is one only."""
        wording = self.prompts.text(prompt, self.language)
        messages = messages_of(wording, {"query": self.facts.query, **texts}, self.language)
        step = f"{prompt}/{place}" if place else prompt
        reply = await self.ask(Question(step, messages, answer, temperature=temperature))
        assert isinstance(reply.read, answer)
        return reply.read


def messages_of(wording: str, texts: Mapping[str, str], language: str) -> list[dict[str, str]]:
    """What is sent for one step, bridging included; the chats of training data are made of it too."""
    return fenced(wording, texts, language=language).messages()


async def drafted(talk: Talk) -> Suggested:
    """The whole tree with what is doubtful about it. Raises CallFailed where a step stays without an answer."""
    reader = Reader.of(talk.facts)
    asked_for = talk.options.criteria
    criteria = (await talk.put(CRITERIA, "", told.Criteria, {"count": str(asked_for)})).criteria
    branches = []
    for number, criterion in enumerate(reader.criteria(criteria, asked_for), start=1):
        levels = await talk.put(GUIDELINE, str(number), told.Levels, _of(criterion))
        branches.append(branch(number, criterion, reader.levels(number, levels.in_order())))
    for number, stored_branch in enumerate(branches, start=1):
        stored_branch["judgement"] |= await _judged(talk, reader, number, stored_branch)
    draft: dict[str, Any] = {"branches": branches, "numbered": len(branches)}
    for side in SIDES:
        draft |= await _corrected(talk, reader, branches, side)
    return Suggested(draft, reader.doubts)


def _of(criterion: told.Criterion) -> dict[str, str]:
    return {"criterion": f"{criterion.name}\n{criterion.description}"}


async def _judged(talk: Talk, reader: Reader, number: int, stored_branch: Mapping[str, Any]) -> dict[str, Any]:
    """Scores and explanations of one judgement."""
    texts = {
        "criterion": f"{stored_branch['name']}\n{stored_branch['description']}",
        "guideline": guideline_text(stored_branch),
    }
    first, second = talk.facts.first, talk.facts.second
    if second is None:
        single = await talk.put(SINGLE, str(number), told.Judged, {**texts, "answer": first})
        return reader.judged(number, "first", single.score, single.explanation)
    pair = await talk.put(PAIR, str(number), told.Compared, {**texts, "answer": first, "second": second})
    return {
        **reader.judged(number, "first", pair.score_first, pair.explanation_first),
        **reader.judged(number, "second", pair.score_second, pair.explanation_second),
        "comparison": pair.comparison,
    }


async def _corrected(talk: Talk, reader: Reader, branches: Sequence[Mapping[str, Any]], side: Side) -> dict[str, Any]:
    """A better text where a score asks for one, written from the judgements that do and no others."""
    low = grounds(branches, side, talk.options)
    text = ""
    if low:
        response = talk.facts.first if side == "first" else talk.facts.second or ""
        low_branches = [stored_branch for stored_branch in branches if stored_branch["judgement"]["id"] in low]
        texts = {"answer": response, "judgements": judgements_text(low_branches, side)}
        reply = await talk.put(CORRECTION, side, told.Corrected, texts, CORRECTION_TEMPERATURE)
        text = reader.correction(side, reply.corrected_response, response)
    return {f"correction_{side}": text, f"grounds_{side}": low}


def most_calls(facts: BranchingFacts, options: BranchingOptions) -> int:
    """Criteria, a guideline and a judgement each, and a correction of every response."""
    return 1 + 2 * options.criteria + (1 if facts.second is None else 2)
