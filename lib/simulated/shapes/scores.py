"""One answer scored, or two compared: by what is wrong with them, as far as the judge notices and counts it.

Of a text that a simulated candidate wrote the merit counts, which shows in it; of any other its slips. A careful judge
notices nearly all, a careless one few; what is forgiven is named in the explanation and not counted.
"""

import re
from collections.abc import Mapping
from typing import Any

from lib.simulated.answering import merit
from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape, properties
from lib.simulated.shapes.verdicts import JUDGES
from lib.simulated.slips import departures, slips

BOUNDARY = re.compile(r"data-[0-9a-f]{16}")
BAD = 0.5  # below this a text is no good
STEP = 0.2  # what a slip costs
NOTHING = ("I find nothing to object to.", "没有发现问题。")
FOUND = ("{name}: something is wrong at “{part}”.", "{name}：“{part}”处有误。")
NAMES = {"": ("The answer", "该回答"), "A": ("Answer A", "回答 A"), "B": ("Answer B", "回答 B")}
MOST = 3  # slips that an explanation names


class Scores(Shape):
    def answers(self, asked: Asked) -> bool:
        decided = {"score", "verdict"} & set(properties(asked))
        return len(decided) == 1 and set(properties(asked)) <= decided | {"explanation"} and _has(asked, "answer")

    def improved(self, value: Any, asked: Asked, draw: Draw, knobs: Knobs) -> Any:
        judge = Bench(asked, knobs)
        if "score" in value:
            told = judge.scored()
        elif _has(asked, "second"):
            told = judge.compared(properties(asked)["verdict"]["enum"])
        else:
            return value
        return {name: told[name] for name in value}


def _has(asked: Asked, name: str) -> bool:
    return any(block.tag == name for block in asked.material.blocks)


class Bench:
    """One judge in front of one request. Its draws depend on the way it is asked, not on the boundary of the blocks."""

    def __init__(self, asked: Asked, knobs: Knobs, blocks: Mapping[str, str] | None = None) -> None:
        """blocks: what is judged, where it does not stand in the blocks of the request."""
        self.asked = asked
        self.blocks = blocks or {block.tag: block.text for block in asked.material.blocks}
        self.request = "\n".join(text for tag, text in self.blocks.items() if tag.startswith("turn_"))
        around = BOUNDARY.sub("", asked.material.instructions)
        self.in_chinese = is_chinese(around)
        self.draw = Draw(knobs.seed, f"{asked.model}\n{around}\n{self.request}")
        self.biases = {**knobs.biases, **JUDGES.get(asked.model, {})}

    def scored(self) -> dict[str, Any]:
        """By its slips, or where there is a reference by what departs from it."""
        worth, told = self._worth("", self.blocks["answer"], self.blocks.get("reference"))
        part = properties(self.asked)["score"]
        low, top = int(part.get("minimum", 1)), int(part.get("maximum", 10))
        score = low + int((top - low) * worth + 1e-9)
        return {"explanation": self.words(told), "score": score}

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
        _scores, place, words = self.placed()
        return {"explanation": words, "verdict": verdicts[place]}

    def placed(self) -> tuple[tuple[float, float], int, str]:
        """Both worths, the place of the verdict (A, B, both good, both bad), and why.

        A draw for the first is the same in both orders.
        """
        first, second = self.blocks["answer"], self.blocks["second"]
        (one, told), (other, more) = self._worth("A", first), self._worth("B", second)
        place = 0 if one > other else 1 if other > one else 2 if one >= BAD else 3
        if self.draw.happens(self.biases.get("position", 0.0), "position", *sorted((first, second))):
            place = 0
        return (one, other), place, self.words([*told, *more])

    def _worth(self, name: str, text: str, trusted: str | None = None) -> tuple[float, list[str]]:
        """0..1, and the sentences about it."""
        shown = merit(text)
        if shown is not None:
            return shown, []
        found = slips(text, self.request) if trusted is None else departures(text, trusted)
        noticed = [each for each in found if self._happens(1 - self.biases.get("blindness", 0.0), "notices", each)]
        counted = [each for each in noticed if not self._happens(self.biases.get("leniency", 0.0), "forgives", each)]
        words = FOUND[self.in_chinese].replace("{name}", NAMES[name][self.in_chinese])
        return max(0.0, 1 - STEP * len(counted)), [words.replace("{part}", each) for each in noticed[:MOST]]

    def _happens(self, share: float, *name: object) -> bool:
        return self.draw.happens(share, *name)

    def words(self, told: list[str]) -> str:
        return ("" if self.in_chinese else " ").join(told) or NOTHING[self.in_chinese]


SHAPE = Scores()
