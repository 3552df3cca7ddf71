"""Recovered criteria of an original judgement: traits in which the preferred response is ahead.

Skill decides how many of them point that way; the others are random. A judgement in words alone cannot be read without
a model: its criteria are drawn at random.
"""

import re
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, block_text, entry_properties, properties
from lib.simulated.traits import ENDS, MEASURES, Trait, score, scores

AHEAD = {"The first response is ahead.": 1, "The second response is ahead.": -1, "Both are equal.": 0}
SCORE = re.compile(r"^Score: (\d+(?:\.\d+)?)", re.MULTILINE)
MIDDLE = 3.0
LEVELS = (
    [
        "None of it can be found: {name}",
        "Hardly any of it: {name}",
        "Some of it: {name}",
        "Most of it: {name}",
        "All of it: {name}",
    ],
    ["完全找不到：{name}", "几乎没有：{name}", "有一些：{name}", "大部分都有：{name}", "全部都有：{name}"],
)
LONGEST = 60


class Recovered(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        if not block_text(request, "judgement"):
            return False
        names = set(properties(request))
        return "level_5" in names or (names == {"criteria"} and "name" in entry_properties(request, "criteria"))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        if "level_5" in value:
            criterion = block_text(request, "criterion")
            name = criterion.partition("\n")[0][:LONGEST] or "…"
            words = LEVELS[is_chinese(criterion)]
            return {f"level_{level}": text.replace("{name}", name) for level, text in enumerate(words, start=1)}
        chinese = is_chinese(block_text(request, "query"))
        ends = [_end(request, trait, draw, knobs) for trait in _traits(request, draw)]
        return {"criteria": [{"name": end.names[chinese], "description": end.descriptions[chinese]} for end in ends]}


def _traits(request: ChatRequest, draw: Draw) -> list[str]:
    """As many as the request says and there are."""
    requested_count = block_text(request, "count").strip()
    order = draw.of("traits").sample(sorted(MEASURES), len(MEASURES))
    return order[: int(requested_count)] if requested_count.isdecimal() else order


def _end(request: ChatRequest, trait: str, draw: Draw, knobs: Knobs) -> Trait:
    ends = [end for end in ENDS if end.trait == trait]
    if draw.happens(knobs.skill, "skill", trait) and (fitting := [end for end in ends if _fits(request, end)]):
        return draw.one(fitting, "end", trait)
    return draw.one(ends, "end", trait)


def _fits(request: ChatRequest, end: Trait) -> bool:
    """Whether this criterion agrees with the judgement."""
    query, first, judgement = (block_text(request, name) for name in ("query", "answer", "judgement"))
    if second := block_text(request, "second"):
        verdict = next((sign for words, sign in AHEAD.items() if words in judgement), None)
        first_score, second_score = scores(first, second, query, end)
        return verdict is not None and (first_score > second_score) - (first_score < second_score) == verdict
    match = SCORE.search(judgement)
    return match is not None and (score(first, query, end) >= MIDDLE) == (float(match[1]) >= MIDDLE)


SHAPE = Recovered()
