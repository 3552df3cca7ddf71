"""What a way of asking a judge has to say. One class a file of a family's folder; instances in its `STRATEGIES`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict

from annotate.kinds.judged import Judged
from annotate.kinds.protocol import Ask, Prompts


class NoOptions(BaseModel):
    """What a strategy lets a lead choose: nothing. Others give a model like this one; forms and `--option` read it."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Shown:
    """One case as a judge sees it. second: None for a single answer. at: the path before its steps' names.

    Who wrote what is nowhere in it. Orders are swapped and repeats counted by the engine, not by strategies.
    """

    judged: Judged
    first: str
    second: str | None = None
    reference: str | None = None
    language: str = "en"
    options: Any = None
    at: str = "judge/1"
    swapped: bool = False


@dataclass(frozen=True)
class Piece:
    """One criterion, axis or question of an opinion; see judging.models.Part, which it becomes."""

    axis: str
    label: str = ""
    score_first: float | None = None
    score_second: float | None = None
    weight: float | None = None
    reason: str = ""
    joined: str = "exact"


@dataclass(frozen=True)
class Opinion:
    """What a judge said, read. choice: first, second, both_good, both_bad, tie; "" where a strategy has none.

    top: the highest score that the scale allows; a strategy with a reference says it, blind spots are counted by it.
    """

    score_first: float | None = None
    score_second: float | None = None
    choice: str = ""
    reason: str = ""
    pieces: Sequence[Piece] = ()
    note: str = ""
    top: float | None = None

    @property
    def preferred(self) -> str:
        """Of a pair, the choice or what its two scores give; "" where it is about one answer."""
        if self.choice or self.score_first is None or self.score_second is None:
            return self.choice
        if self.score_first == self.score_second:
            return "tie"
        return "first" if self.score_first > self.score_second else "second"


@dataclass(frozen=True)
class Unparsed:
    """The judge answered and could not be read. reason: one sentence. said: its last words, as received."""

    reason: str
    said: str = ""


class Strategy:
    """One way of asking a judge about one answer or two. Pure: asks only through `ask`, knows no database.

    Raises CallFailed where no reply came at all; a reply that cannot be read is Unparsed, a value and never a zero.
    """

    slug: str
    family: str
    name: str | Promise
    about: str | Promise
    source: str = ""  # the paper that it comes from
    steps: Sequence[str] = ()  # prompts: judging/strategies/<family>/prompts/<step>.<language>.md
    pairwise: bool = False
    needs_reference: bool = False
    reference_score: float | None = None  # what the judge is told that the reference is worth; None: nothing is said
    always_both_orders: bool = False  # of pairs: swapped too, whether a run asks for it or not
    options: type[BaseModel] = NoOptions
    takes_raw: bool = False  # a lead may write raw messages for its step, see raw.py

    def suits(self, judged: Judged) -> bool:
        """Whether such an item can be judged this way; a checklist strategy needs a checklist."""
        return True

    def fits(self, judged: Judged, options: Any) -> bool:
        """The same with these options, where they ask for more of an item."""
        return self.suits(judged)

    def refusal(self, options: Any) -> str:
        """Why no new run may have these options, with the remedy; "" where nothing speaks against them.

        Runs that were planned before a reason was known can still be read.
        """
        return ""

    def variant(self, options: Any) -> str:
        """The options that make verdicts incomparable with others of this strategy, such as `scale=1-5`."""
        return ""

    def reads(self, judged: Judged) -> str:
        """What of the item's labels the prompt depends on: two items with equal texts and this are asked alike."""
        return ""

    def texts(self, options: Any) -> Sequence[str]:
        """The texts of tables that its prompts hold, as patterns `<scope>.<name>`, see lib/texts/own.py."""
        return ()

    def labels(self, options: Any) -> Literal["exchanged", "kept"]:
        """Of a pair in the other order: whether A is again what stands first, or stays on its answer."""
        return "exchanged"

    def calls_expected(self, options: Any) -> float:
        """Calls for one case in one order, when nothing fails."""
        return 1.0

    async def judge(self, case: Shown, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        """The opinion. Steps are `<shown.at>/<step>`; every text of others goes through texts/fencing.py."""
        raise NotImplementedError  # every strategy says it; the contract test calls it
