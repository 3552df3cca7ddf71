"""Scores of one answer, or comparison of two, by the mistakes that the judge notices and counts.

A text by a simulated candidate is scored by its merit, which can be read from it, any other text by its slips. A
careful judge notices nearly all slips, a careless one few; forgiven slips are named in the explanation, not counted.
"""

import re
from collections.abc import Mapping
from typing import Any

from lib.simulated.candidate import merit
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import ChatRequest, Schema
from lib.simulated.shapes.base import ReplyShape, properties
from lib.simulated.shapes.verdicts import JUDGES
from lib.simulated.traits import departures, slips

BOUNDARY = re.compile(r"data-[0-9a-f]{16}")
BAD = 0.5  # below this a text is no good
STEP = 0.2  # what a slip costs
NOTHING = ("I find nothing to object to.", "没有发现问题。")
FOUND = ("{name}: something is wrong at “{part}”.", "{name}：“{part}”处有误。")
NAMES = {"": ("The answer", "该回答"), "A": ("Answer A", "回答 A"), "B": ("Answer B", "回答 B")}
FREE = {"type", "title", "description", "default"}  # what the schema of a free text may say
ENDS = {"minimum", "maximum"}
MOST = 3  # slips that an explanation names


class Scores(ReplyShape):
    """A score of one answer: a number with its two ends, whatever it is called, and beside it only free texts, which
    explain it. A comparison: `verdict`, perhaps with an `explanation`.
    """

    def answers(self, request: ChatRequest) -> bool:
        if not _has(request, "answer"):
            return False
        compares = "verdict" in properties(request) and set(properties(request)) <= {"verdict", "explanation"}
        return compares or bool(score_name(request))

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        judge = Bench(request, knobs)
        if name := score_name(request):
            score, words = judge.scored(properties(request)[name])
            return {field: score if field == name else words for field in value}
        if not _has(request, "second"):
            return value
        judgement = judge.compared(properties(request)["verdict"]["enum"])
        return {name: judgement[name] for name in value}


def score_name(request: ChatRequest) -> str:
    """The name of the only number, if it has two ends and every other field is a free text; else ""."""
    fields = properties(request)
    if "score" in fields and set(fields) <= {"score", "explanation"}:
        return "score"
    names = [name for name, part in fields.items() if part.get("type") in ("integer", "number")]
    texts = [part for part in fields.values() if part.get("type") == "string" and set(part) <= FREE]
    if len(names) != 1 or len(texts) + 1 != len(fields):
        return ""
    return names[0] if ENDS <= set(fields[names[0]]) <= ENDS | FREE else ""


def _has(request: ChatRequest, name: str) -> bool:
    return any(block.tag == name for block in request.material.blocks)


class Bench:
    """One judge for one request. Its draws depend on the wording of the request, not on the boundary of the blocks."""

    def __init__(self, chat_request: ChatRequest, knobs: Knobs, blocks: Mapping[str, str] | None = None) -> None:
        """blocks: what is judged, where it does not stand in the blocks of the request."""
        self.asked = chat_request
        self.blocks = blocks or {block.tag: block.text for block in chat_request.material.blocks}
        self.request = "\n".join(text for tag, text in self.blocks.items() if tag.startswith("turn_"))
        around = BOUNDARY.sub("", chat_request.material.instructions)
        self.in_chinese = is_chinese(around)
        self.draw = Draw(knobs.seed, f"{chat_request.model}\n{around}\n{self.request}")
        self.biases = {**knobs.biases, **JUDGES.get(chat_request.model, {})}

    def scored(self, scale: Schema) -> tuple[float, str]:
        """The score and why: by its slips, or where there is a reference by what departs from it.

        scale: the schema of a number, from 1 to 10 if it has no ends; a whole number is rounded down.
        """
        worth, sentences = self._worth("", self.blocks["answer"], self.blocks.get("reference"))
        low, top = scale.get("minimum", 1), scale.get("maximum", 10)
        above = (top - low) * worth
        score = low + (round(above, 2) if scale.get("type") == "number" else int(above + 1e-9))
        return score, self.words(sentences)

    def worth_of_answer(self) -> tuple[float, list[str], bool]:
        """0..1, the sentences about it, and whether its text shows its merit; else it is held against a reference."""
        answer = self.blocks["answer"]
        return *self._worth("", answer, self.blocks.get("reference")), merit(answer) is not None

    def leaning(self) -> int:
        """A point more or less for this answer, as often as this judge is lenient or severe."""
        answer = self.blocks["answer"]
        more, less = (self.biases.get(name, 0.0) for name in ("leniency", "severity"))
        return self._happens(more, "lenient", answer) - self._happens(less, "severe", answer)

    def compared(self, verdicts: list[str]) -> dict[str, Any]:
        """verdicts: A, B, both good, both bad, in this order."""
        _scores, verdict_index, words = self.placed()
        return {"explanation": words, "verdict": verdicts[verdict_index]}

    def placed(self) -> tuple[tuple[float, float], int, str]:
        """Both worths, the place of the verdict (A, B, both good, both bad), and why.

        A draw for the first is the same in both orders.
        """
        first, second = self.blocks["answer"], self.blocks["second"]
        (first_worth, sentences), (second_worth, more) = self._worth("A", first), self._worth("B", second)
        verdict_index = (
            0 if first_worth > second_worth else 1 if second_worth > first_worth else 2 if first_worth >= BAD else 3
        )
        if self.draw.happens(self.biases.get("position", 0.0), "position", *sorted((first, second))):
            verdict_index = 0
        return (first_worth, second_worth), verdict_index, self.words([*sentences, *more])

    def _worth(self, name: str, text: str, trusted: str | None = None) -> tuple[float, list[str]]:
        """0..1, and the sentences about it."""
        text_merit = merit(text)
        if text_merit is not None:
            return text_merit, []
        slip_texts = slips(text, self.request) if trusted is None else departures(text, trusted)
        noticed = [slip for slip in slip_texts if self._happens(1 - self.biases.get("blindness", 0.0), "notices", slip)]
        counted = [slip for slip in noticed if not self._happens(self.biases.get("leniency", 0.0), "forgives", slip)]
        words = FOUND[self.in_chinese].replace("{name}", NAMES[name][self.in_chinese])
        return max(0.0, 1 - STEP * len(counted)), [words.replace("{part}", slip) for slip in noticed[:MOST]]

    def _happens(self, share: float, *name: object) -> bool:
        return self.draw.happens(share, *name)

    def words(self, sentences: list[str]) -> str:
        return ("" if self.in_chinese else " ").join(sentences) or NOTHING[self.in_chinese]


SHAPE = Scores()
