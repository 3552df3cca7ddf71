"""Steps of a branching judgement: criteria and guidelines for a query, scores by one criterion, a corrected text.

A text by a simulated candidate is scored by its merit, any other text by its slips. The bias `noise` makes single
criteria deviate from that score, independently for each criterion and order. Criteria about a measurable trait, such as
those recovered from judgements, are scored by that trait.
"""

import re
from collections.abc import Mapping
from typing import Any

from lib.simulated.candidate import MET, PUT_OFF, merit
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import fragments, is_chinese, topic
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, block_text, entry_properties, properties
from lib.simulated.shapes.verdicts import JUDGES
from lib.simulated.traits import criterion_in, score, slips

STEP = 0.25  # what a slip costs
MOST, USUAL = 10, 5
LACKS = (0, 0, 1, 2)  # possible deductions of a text of unknown merit under one criterion; the same on every reading
OFF = 2  # by how many points a noisy criterion misses at most
CRITERIA = (
    [
        ("Reach", "Whether the response takes up “{part}” and does not leave it open."),
        ("Correctness", "Whether what the response says about “{part}” is right."),
        ("Focus", "Whether the response keeps to “{topic}” and to nothing else."),
        ("Evidence", "Whether the response shows where its statements come from."),
        ("Order", "Whether one step leads to the next."),
        ("Clarity", "Whether a reader understands the response at once."),
        ("Completeness", "Whether every part of “{topic}” is answered."),
        ("Usefulness", "Whether the reader can act on the response."),
        ("Care", "Whether the response names conditions and limits."),
        ("Economy", "Whether the response says nothing twice."),
    ],
    [
        ("覆盖", "回答是否处理了“{part}”，没有避而不谈。"),
        ("正确", "回答关于“{part}”的说法是否正确。"),
        ("切题", "回答是否紧扣“{topic}”，没有离题。"),
        ("依据", "回答是否说明了各个说法的来由。"),
        ("条理", "各步骤是否前后相承。"),
        ("清楚", "读者是否一读就懂。"),
        ("完整", "“{topic}”的每个部分是否都得到了回答。"),
        ("实用", "读者能否照着回答去做。"),
        ("审慎", "回答是否说明了条件和限度。"),
        ("简洁", "回答是否没有重复。"),
    ],
)
LEVELS = (
    ["Nothing of it: {part}", "Little of it: {part}", "Half of it: {part}", "Nearly all of it: {part}", "All: {part}"],
    ["完全没有：{part}", "很少：{part}", "一半：{part}", "几乎全部：{part}", "全部：{part}"],
)
REASONS = ("Under “{part}” this is worth {score}.", "就“{part}”而言，值 {score} 分。")
COMPARED = (
    ("The first is ahead.", "The second is ahead.", "Both are alike."),
    ("前者更好。", "后者更好。", "两者相当。"),
)
LONGEST = 60


class BranchingShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        if block_text(request, "judgement"):  # criteria of a judgement that is there already
            return False
        names = set(properties(request))
        if names == {"criteria"}:
            return {"name", "description"} <= set(entry_properties(request, "criteria"))
        judged = {"score", "explanation"} <= names or {"score_first", "score_second"} <= names
        by_criterion = judged and bool(block_text(request, "criterion"))
        return "level_5" in names or names == {"corrected_response"} or by_criterion

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        if "criteria" in value:
            rows = _criteria(request, draw)
            scored = "score_first" in entry_properties(request, "criteria")
            return {"criteria": [row | _scored(request, knobs, row) for row in rows] if scored else rows}
        if "level_5" in value:
            return _levels(request)
        if "corrected_response" in value:
            return {"corrected_response": _corrected(request, draw, knobs)}
        return _BranchingJudge(request, knobs).said()


def _query(request: ChatRequest) -> str:
    return block_text(request, "query") or "\n".join(
        block.text for block in request.material.blocks if block.tag.startswith("turn_")
    )


def _criteria(request: ChatRequest, draw: Draw) -> list[dict[str, str]]:
    """As many as the request says, in an order of the request's own."""
    query = _query(request)
    requested_count, about = block_text(request, "count").strip(), topic(query) or "…"
    count = min(int(requested_count), MOST) if requested_count.isdecimal() else USUAL
    parts = fragments([query]) or [about]
    criteria = draw.of("criteria").sample(CRITERIA[is_chinese(query)], count)
    return [
        {"name": name, "description": text.replace("{topic}", about).replace("{part}", parts[index % len(parts)])}
        for index, (name, text) in enumerate(criteria)
    ]


def _scored(request: ChatRequest, knobs: Knobs, row: dict[str, str]) -> dict[str, Any]:
    """What a judge says of both answers who says everything at once."""
    judgement = _BranchingJudge(request, knobs, f"{row['name']}\n{row['description']}").said()
    return {
        "explanation": judgement["comparison"],
        **{name: judgement[name] for name in ("score_first", "score_second")},
    }


def _levels(request: ChatRequest) -> dict[str, str]:
    criterion = block_text(request, "criterion")
    name = criterion.partition("\n")[0][:LONGEST] or "…"
    words = LEVELS[is_chinese(criterion)]
    return {f"level_{level}": text.replace("{part}", name) for level, text in enumerate(words, start=1)}


def _corrected(request: ChatRequest, draw: Draw, knobs: Knobs) -> str:
    """What the response put off is dealt with, as often as skill says; where nothing was, a sentence is added."""
    response = text = block_text(request, "answer")
    for put_off, met in zip((*PUT_OFF[0], *PUT_OFF[1]), (*MET[0], *MET[1]), strict=True):
        pattern = re.escape(put_off).replace(re.escape("{part}"), "([^“”]+)")
        for match in re.finditer(pattern, response):
            if draw.happens(knobs.skill, "corrected", match[1]):
                text = text.replace(match[0], met.replace("{part}", match[1]))
    if text != response:
        return text
    sentence = draw.one(MET[is_chinese(_query(request))], "added").replace("{part}", topic(_query(request)) or "…")
    return f"{response.rstrip()}\n\n{sentence}"


class _BranchingJudge:
    """One judge in front of one criterion. Draws depend on criterion, text and place, not on the block's boundary."""

    def __init__(self, request: ChatRequest, knobs: Knobs, criterion: str = "") -> None:
        self.asked = request
        self.criterion, self.query = criterion or block_text(request, "criterion"), _query(request)
        self.chinese = is_chinese(self.criterion)
        self.draw = Draw(knobs.seed, f"{request.model}\n{self.query}\n{self.criterion}")
        self.biases: Mapping[str, float] = {**knobs.biases, **JUDGES.get(request.model, {})}

    def said(self) -> dict[str, Any]:
        first = self._score(block_text(self.asked, "answer"), self._place("answer"))
        if "score" in properties(self.asked):
            return {"explanation": self._why(first), "score": first}
        second = self._score(block_text(self.asked, "second"), self._place("second"))
        words = COMPARED[self.chinese]
        return {
            "explanation_first": self._why(first),
            "explanation_second": self._why(second),
            "comparison": words[0 if first > second else 1 if second > first else 2],
            "score_first": first,
            "score_second": second,
        }

    def _place(self, side: str) -> str:
        """The position of the text, independent of its name."""
        tags = [block.tag for block in self.asked.material.blocks if block.tag in ("answer", "second")]
        return "first" if tags[:1] == [side] else "second"

    def _score(self, text: str, position: str) -> int:
        if trait := criterion_in(self.criterion):
            return self._missed(score(text, self.query, trait), position)
        text_merit = merit(text)
        worth = max(0.0, 1 - STEP * len(slips(text, self.query))) if text_merit is None else text_merit
        lacks = 0 if text_merit is not None else self.draw.of("lacks", text).choice(LACKS)
        return self._missed(1 + round(4 * worth) - lacks, position)

    def _missed(self, right: int, position: str) -> int:
        """The score with the noise of this criterion and place."""
        text = block_text(self.asked, {"first": "answer"}.get(position, position))
        if self.draw.happens(self.biases.get("noise", 0.0), "noise", position, text):
            right += self.draw.of("off", position, text).randint(-OFF, OFF)
        return min(5, max(1, right))

    def _why(self, score: int) -> str:
        name = self.criterion.partition("\n")[0][:LONGEST]
        return REASONS[self.chinese].replace("{part}", name).replace("{score}", str(score))


SHAPE = BranchingShape()
