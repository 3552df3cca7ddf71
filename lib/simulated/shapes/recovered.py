"""Criteria that an original judgement may have been made by: traits in which the response that it prefers is ahead.

Skill says how many of them point that way; the others point anywhere. A judgement in words alone says too little for a
machine without a model: the criteria are drawn then.
"""

import re
from typing import Any

from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, entry_properties, properties
from lib.simulated.traits import ENDS, MEASURES, Criterion, score, scores

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


class Recovered(Shape):
    def answers(self, asked: Asked) -> bool:
        if not _block(asked, "judgement"):
            return False
        names = set(properties(asked))
        return "level_5" in names or (names == {"criteria"} and "name" in entry_properties(asked, "criteria"))

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        if "level_5" in value:
            criterion = _block(asked, "criterion")
            name = criterion.partition("\n")[0][:LONGEST] or "…"
            words = LEVELS[is_chinese(criterion)]
            return {f"level_{at}": text.replace("{name}", name) for at, text in enumerate(words, start=1)}
        chinese = is_chinese(_block(asked, "query"))
        found = [_end(asked, trait, draw, knobs) for trait in _traits(asked, draw)]
        return {"criteria": [{"name": one.names[chinese], "description": one.descriptions[chinese]} for one in found]}


def _block(asked: Asked, name: str) -> str:
    return next((one.text for one in asked.material.blocks if one.tag == name), "")


def _traits(asked: Asked, draw: Draw) -> list[str]:
    """As many as the request says and there are."""
    wanted = _block(asked, "count").strip()
    order = draw.of("traits").sample(sorted(MEASURES), len(MEASURES))
    return order[: int(wanted)] if wanted.isdecimal() else order


def _end(asked: Asked, trait: str, draw: Draw, knobs: Knobs) -> Criterion:
    ends = [one for one in ENDS if one.trait == trait]
    if draw.happens(knobs.skill, "skill", trait) and (fitting := [one for one in ends if _fits(asked, one)]):
        return draw.one(fitting, "end", trait)
    return draw.one(ends, "end", trait)


def _fits(asked: Asked, end: Criterion) -> bool:
    """Whether somebody who went by it would have judged so."""
    query, first, judgement = (_block(asked, name) for name in ("query", "answer", "judgement"))
    if second := _block(asked, "second"):
        verdict = next((sign for words, sign in AHEAD.items() if words in judgement), None)
        one, other = scores(first, second, query, end)
        return verdict is not None and (one > other) - (one < other) == verdict
    given = SCORE.search(judgement)
    return given is not None and (score(first, query, end) >= MIDDLE) == (float(given[1]) >= MIDDLE)


SHAPE = Recovered()
