"""The contract of strategies: what a way of asking a judge has to define, and the registry of all strategies.

A family is a folder with its prompts; its module `strategies` lists the instances in `STRATEGIES`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict

from annotate.kinds.protocol import Ask, JudgedItem, Prompts
from judging.readers.scales import Scale
from lib.discovery import discover


class NoOptions(BaseModel):
    """What a strategy lets a lead choose: nothing. Others give a model like this one; forms and `--option` read it."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class ShownCase:
    """One case as a judge sees it. second: None for a single answer. at: the path before its steps' names. repeat: 1,
    2, … if it is asked several times.

    It does not contain the authors. The engine swaps orders and counts repeats, not the strategies.
    """

    judged: JudgedItem
    first: str
    second: str | None = None
    reference: str | None = None
    language: str = "en"
    options: Any = None
    at: str = "judge/1"
    swapped: bool = False
    repeat: int = 1


@dataclass(frozen=True)
class OpinionPart:
    """One criterion, axis or question of an opinion; it is stored as judging.models.Part.

    axis: unique within the opinion. label: as the judge wrote it; the answer to an own question, as JSON. score_…:
    finite, 0 or 1 for a question of a checklist; None if there is none.
    """

    axis: str
    label: str = ""
    score_first: float | None = None
    score_second: float | None = None
    weight: float | None = None
    reason: str = ""
    joined: str = "exact"


@dataclass(frozen=True)
class Opinion:
    """A judge's reply, parsed. choice: first, second, both_good, both_bad, tie; "" if a strategy has none.

    score_…: as the judge gave it, on the scale of `Strategy.scale_of`; None if the strategy asks for none. An opinion
    that is not on the scale is stored as unparsed (judging/strategies/orders.py).
    top: the highest score of the scale; strategies with a reference set it, and blind spots are counted by it.
    """

    score_first: float | None = None
    score_second: float | None = None
    choice: str = ""
    reason: str = ""
    pieces: Sequence[OpinionPart] = ()
    note: str = ""
    top: float | None = None

    @property
    def preferred(self) -> str:
        """For a pair, the choice or the result of its two scores; "" for a single answer."""
        if self.choice or self.score_first is None or self.score_second is None:
            return self.choice
        if self.score_first == self.score_second:
            return "tie"
        return "first" if self.score_first > self.score_second else "second"


@dataclass(frozen=True)
class Unparsed:
    """The judge's reply could not be read. reason: one sentence. said: the end of the reply, as received."""

    reason: str
    said: str = ""


class Strategy:
    """One way of asking a judge about one answer or two. Pure: asks only through `ask`, knows no database.

    Raises CallFailed if no reply came at all; a reply that cannot be read is Unparsed, a value and never a zero.
    """

    slug: str
    family: str
    name: str | Promise
    about: str | Promise
    source: str = ""  # the paper that it comes from
    steps: Sequence[str] = ()  # prompts: judging/strategies/<family>/prompts/<step>.<language>.md
    pairwise: bool = False
    scale: Scale | None = None  # of its scores; None if it chooses, or if the item's checklist makes the score
    answers_checklist: bool = False  # whether its axes 1, 2, … are the questions of the item's checklist
    asks_questions: bool = False  # whether it asks the own questions of a project; only those projects have it
    judges_by_criteria: bool = False  # whether it names criteria and scores by each, so that corrections can go by them
    for_some_items: bool = False  # whether it is made for what only some items have, such as a checklist
    needs_reference: bool = False
    reference_score: float | None = None  # the score that the prompt gives the reference; None if it gives none
    always_both_orders: bool = False  # for pairs: also in the swapped order, whatever the run's options
    options: type[BaseModel] = NoOptions
    takes_raw: bool = False  # a lead may write raw messages for its step, see questions.py

    def suits(self, judged: JudgedItem) -> bool:
        """Whether such an item can be judged this way; a checklist strategy needs a checklist."""
        return judged.questions is None

    def fits(self, judged: JudgedItem, options: Any) -> bool:
        """The same with these options, if they require more of an item."""
        return self.suits(judged)

    def refusal(self, options: Any) -> str:
        """Why no new run may have these options, and what to do; "" if they are allowed.

        Runs that were planned before a reason was known can still be read.
        """
        return ""

    def scale_of(self, options: Any) -> Scale | None:
        """The scale with these options, if they decide it."""
        return self.scale

    def variant(self, options: Any) -> str:
        """The options that make verdicts incomparable with others of this strategy, such as `scale=1-5`.

        The scale is always among them: scores on different scales are those of different judges.
        """
        scale = self.scale_of(options)
        return f"scale={scale}" if scale else ""

    def reads(self, judged: JudgedItem) -> str:
        """The labels of the item on which the prompt depends: items equal in texts and in this get equal prompts."""
        return ""

    def texts(self, options: Any) -> Sequence[str]:
        """The texts of tables that its prompts hold, as patterns `<scope>.<name>`, see lib/texts/prompt_texts.py."""
        return ()

    def judged_texts(self, case: ShownCase) -> Mapping[str, str]:
        """first, second, reference or material -> a text of others, in which people may address the judge."""
        texts = {"first": case.first, "second": case.second, "reference": case.reference}
        return {name: text for name, text in texts.items() if text is not None}

    def labels(self, options: Any) -> Literal["exchanged", "kept"]:
        """For a pair in the other order: whether A is again the first answer (exchanged), or the same answer (kept)."""
        return "exchanged"

    def calls_expected(self, options: Any) -> float:
        """Calls for one case in one order, when nothing fails."""
        return 1.0

    def calls_about(self, judged: JudgedItem, material: str, options: Any) -> float:
        """The same about one item, of strategies that ask own questions. material: what the judge reads of it."""
        return self.calls_expected(options)

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        """The opinion. Steps are `<shown.at>/<step>`; all external texts go through lib/texts/fencing.py."""
        raise NotImplementedError  # every strategy overrides it; the contract test calls it


# Registry.


@cache
def strategies() -> Mapping[str, Strategy]:
    """slug -> strategy, of the `STRATEGIES` of every family's folder."""
    families = discover("judging.strategies", "STRATEGIES", "strategies")
    return {strategy.slug: strategy for family in families for strategy in family}


def numbers_its_own(strategy: str) -> bool:
    """Whether the axes 1, 2, … of a judge asked in this way are its own criteria, not questions of a checklist.

    False for the strategies of external judges, which are unknown here.
    """
    known_strategy = strategies().get(strategy)
    return known_strategy is not None and not known_strategy.answers_checklist
