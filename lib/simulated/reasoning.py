"""What a reasoning model thinks before it answers: a short text, and how many tokens it takes of those allowed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lib.simulated.drawing import Draw
from lib.simulated.profiles import HIDDEN, Profile
from lib.simulated.requests import Asked
from lib.simulated.tokens import cut_to, tokens
from lib.simulated.wording import Wording

# Hidden reasoning is counted in blocks of 64, as the services do that hide it.
BLOCKS: Mapping[str, int] = MappingProxyType({"minimal": 0, "low": 1, "medium": 3, "high": 9})
BLOCK = 64
USUAL_EFFORT = "medium"


@dataclass(frozen=True)
class Thought:
    """field: of the message, in which the text stands, or HIDDEN. is_counted: whether the usage tells its tokens."""

    text: str
    tokens: int
    field: str = HIDDEN
    is_counted: bool = False

    def within(self, most: int) -> "Thought":
        """No longer than the tokens that the request allows altogether."""
        if self.tokens <= most:
            return self
        return Thought(cut_to(self.text, most), most, self.field, self.is_counted)


def thought(profile: Profile, request: Asked, draw: Draw, effort: str = USUAL_EFFORT) -> Thought | None:
    """What stands before the answer to this request; None where the service does not reason."""
    if profile.reasoning is None:
        return None
    text = Wording(request.material, draw).prose("reasoning")
    size = BLOCK * BLOCKS.get(effort, BLOCKS[USUAL_EFFORT]) if profile.reasoning == HIDDEN else tokens(text)
    return Thought(text, size, profile.reasoning, profile.counts_reasoning)
