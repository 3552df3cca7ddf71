"""Simulated evaluator models: each answers in its own format, whatever format the request asks for.

The verdict is drawn by the Bench of the simulated judge. The judged texts are read from the data blocks, or from the
templates on which these models were trained.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.scores import Bench

PROMETHEUS = {
    "turn_1": r"^###(?:The instruction to evaluate|Instruction):[ ]*\n(.*?)\n+###",
    "answer": r"^###(?:Response to evaluate|Response A|Response):[ ]*\n(.*?)\n+###",
    "second": r"^###Response B:[ ]*\n(.*?)\n+###",
    "reference": r"^###Reference Answer(?: \(Score 5\))?:[ ]*\n(.*?)\n+###",
}
AUTO_J = {
    "turn_1": r"^\[Query\]: (.*?)\n\*\*\*",
    "answer": r"^\[Response(?: 1)?\]: (.*?)\n\*\*\*",
    "second": r"^\[Response 2\]: (.*?)\n\*\*\*",
}
JUDGELM = {
    "turn_1": r"^\[Question\]\n(.*?)\n+\[",
    "answer": r"^\[The Start of Assistant 1's Answer\]\n(.*?)\n+\[The End of Assistant 1's Answer\]",
    "second": r"^\[The Start of Assistant 2's Answer\]\n(.*?)\n+\[The End of Assistant 2's Answer\]",
    "reference": r"^\[Reference Answer\]\n(.*?)\n+\[",
}


@dataclass(frozen=True)
class EvaluatorReply:
    """scores: of each text from 0 to 1, in order; place: 0 first, 1 second, 2 or 3 a tie; words: why."""

    scores: tuple[float, ...]
    place: int
    words: str

    def points(self, low: int, top: int) -> list[int]:
        return [low + int((top - low) * score + 1e-9) for score in self.scores]


def prometheus(judged: EvaluatorReply) -> str:
    """Feedback and a score of 1 to 5, or A or B: there is no tie."""
    result = judged.points(1, 5)[0] if len(judged.scores) == 1 else "AB"[judged.place % 2]
    return f"Feedback: {judged.words} [RESULT] {result}"


def auto_j(judged: EvaluatorReply) -> str:
    """A critique and a rating of 1 to 10, or which response is better."""
    if len(judged.scores) == 1:
        return f"{judged.words}\n\nRating: [[{judged.points(1, 10)[0]}]]"
    decision = ("Response 1", "Response 2", "Tie", "Tie")[judged.place]
    return f"{judged.words}\n\nSo, the final decision is {decision}."


def judgelm(judged: EvaluatorReply) -> str:
    """A line with the scores of 1 to 10, then the reasons. The line agrees with the place."""
    points = judged.points(1, 10)
    if len(points) == 2 and judged.place < 2 and points[judged.place] <= points[1 - judged.place]:
        points[judged.place] = min(10, points[1 - judged.place] + 1)
        points[1 - judged.place] = min(points[1 - judged.place], points[judged.place] - 1)
    return f"{' '.join(map(str, points))}\n{judged.words}"


TEMPLATES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"prometheus-2": PROMETHEUS, "auto-j": AUTO_J, "judgelm": JUDGELM}
)
FORMS: Mapping[str, Callable[[EvaluatorReply], str]] = MappingProxyType(
    {"prometheus-2": prometheus, "auto-j": auto_j, "judgelm": judgelm}
)


def evaluation(name: str, request: ChatRequest, knobs: Knobs) -> str:
    """What the evaluator of this name says to the request."""
    bench = Bench(request, knobs, blocks_of(name, request))
    if "second" in bench.blocks:
        scores, verdict_index, words = bench.placed()
        return FORMS[name](EvaluatorReply(scores, verdict_index, words))
    worth, sentences, _shown = bench.worth_of_answer()
    return FORMS[name](EvaluatorReply((worth,), 0, bench.words(sentences)))


def blocks_of(name: str, request: ChatRequest) -> dict[str, str]:
    """name -> text: blocks of data, else the parts of the evaluator's own template, else all as one answer."""
    blocks = {block.tag: block.text for block in request.material.blocks}
    text = "\n".join(text for _role, text in request.material.said)
    for part, pattern in TEMPLATES[name].items():
        match = re.search(pattern, text, re.MULTILINE | re.DOTALL)
        if match and part not in blocks:
            blocks[part] = match[1]
    return {"answer": request.material.main} | blocks
