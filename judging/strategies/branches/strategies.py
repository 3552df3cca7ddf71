"""Judging in branches (Fennec), without guidelines (branch, solve, merge), and with everything in one step."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.protocol import Ask, CallFailed, Cause, JudgedItem, Prompts, Question, Standard
from annotate.kinds.shapes import AnswerShape
from annotate.kinds.trees import Criteria, Levels
from judging.readers.scales import Scale
from judging.strategies.branches.criterion_scores import LOW, SCALE, TOP, AtOnce, Compared, Scored, merged
from judging.strategies.orders import turned
from judging.strategies.questions import UNREADABLE, case_message
from judging.strategies.strategy import Opinion, OpinionPart, ShownCase, Strategy, Unparsed
from lib.texts.fencing import slots_of

MOST_TOKENS = 4096
OWN, RECOVERED = "own", "recovered"
SHARED, APART = "shared", "apart"

# Both answers, each with the line above it that names its label.
SIDES = re.compile(
    r"(?P<one>(?:[^\n]+\n\s*\n)?\{\{\s*answer\s*\}\})(?P<between>\s+)(?P<other>(?:[^\n]+\n\s*\n)?\{\{\s*second\s*\}\})"
)

Answer = TypeVar("Answer", bound=AnswerShape)


def weights_in(text: str) -> list[float]:
    """Weights in the order of a text such as `3 2 1`, separated by commas or blanks. Raises ValueError."""
    weights = [float(part) for part in re.split(r"[\s,;，；]+", text.strip()) if part]
    if any(not 0 <= weight <= 1000 for weight in weights) or (weights and not any(weights)):
        raise ValueError("weights lie between 0 and 1000, and one is above 0")
    return weights


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        weights_in(value)
    return value


class Branches(BaseModel):
    """How many criteria count, and how much each."""

    model_config = ConfigDict(extra="forbid")

    branches: int = Field(
        default=5,
        ge=1,
        le=10,
        title=gettext_noop("Criteria"),
        description=gettext_noop(
            "How many criteria are used for each answer. You can count fewer later without a new run."
        ),
    )
    weights: Annotated[str, BeforeValidator(_readable)] = Field(
        default="",
        max_length=200,
        title=gettext_noop("Weights"),
        description=gettext_noop("By position, first criterion first, such as 3 2 1. Empty: equal weights."),
    )


class BranchesOfPairs(Branches):
    labels: Literal["exchanged", "kept"] = Field(
        default="exchanged",
        title=gettext_noop("Labels in the other order"),
        description=gettext_noop(
            "Exchanged: the answer shown first is called A. Kept: an answer stays A or B in both orders."
        ),
    )


class Shared(Branches):
    """And how often the judge is asked for them. A run that was planned without this option asked apart."""

    sharing: Literal["shared", "apart"] = Field(
        default="shared",
        title=gettext_noop("How criteria are requested"),
        description=gettext_noop(
            "shared: criteria and guidelines are requested once per query, for both orders and all its "
            "answers; apart: again for each answer and order."
        ),
    )


class OfWhose(Shared):
    """And whose criteria they are."""

    criteria: Literal["own", "recovered"] = Field(
        default="own",
        title=gettext_noop("Source of criteria"),
        description=gettext_noop(
            "own: the judge derives them from the request; recovered: those that people have approved in "
            "the item, such as criteria recovered from another judgement."
        ),
    )


class OfWhoseInPairs(OfWhose, BranchesOfPairs):
    pass


def is_recovered(options: Any) -> bool:
    return getattr(options, "criteria", OWN) == RECOVERED


def shares_criteria(options: Any) -> bool:
    return not is_recovered(options) and getattr(options, "sharing", APART) == SHARED


# One judgement, step by step.


class Lost(Exception):
    """A reply of one step cannot be read, so there is no opinion."""

    def __init__(self, unparsed: Unparsed) -> None:
        super().__init__(unparsed.reason)
        self.unparsed = unparsed


@dataclass(frozen=True)
class Talk:
    """One case in one order. b_first: the answers keep their labels, and the second one is shown first."""

    shown: ShownCase
    prompts: Prompts
    ask: Ask
    b_first: bool = False

    @property
    def n(self) -> int:
        return int(self.shown.options.branches)

    async def put(
        self, prompt: str, answer: type[Answer], texts: Mapping[str, str], *, place: int = 0, shared: bool = False
    ) -> tuple[Answer, str]:
        """The reply, parsed and as text. Raises Lost if it cannot be read, CallFailed if there was none."""
        wording = self.prompts.text(prompt, self.shown.language)
        messages = messages_of(wording, self.shown, texts, b_first=self.b_first)
        step = f"{self.shown.at}/{prompt}" + (f"/{place}" if place else "")
        try:
            reply = await self.ask(
                Question(step, messages, answer, temperature=0.0, max_tokens=MOST_TOKENS, shared=shared)
            )
        except CallFailed as failed:
            if failed.cause not in UNREADABLE:
                raise
            raise Lost(Unparsed(_why(failed, prompt, place), failed.said)) from failed
        assert isinstance(reply.read, answer)
        return reply.read, reply.text

    def weight(self, number: int) -> float | None:
        """Weight of the criterion with this number, from 1; None without weights. Criteria beyond the list count 0."""
        weights = weights_in(self.shown.options.weights)
        return (weights[number - 1] if number <= len(weights) else 0.0) if weights else None

    @property
    def shares(self) -> bool:
        """Whether criteria and guidelines are shared by the query, for all answers and orders."""
        return shares_criteria(self.shown.options)

    def recovered(self) -> Sequence[Standard]:
        """The first n of the item's own criteria, or fewer if it has fewer."""
        return self.shown.judged.criteria[: self.n]

    def enough(self, criteria: Sequence[Any], reply_text: str) -> Sequence[Any]:
        """The first n criteria with a description. Raises Lost if there are fewer: sums of fewer are lower."""
        useful = [criterion for criterion in criteria if criterion.description.strip()]
        if len(useful) < self.n:
            reason = _("The judge named %(n)d criteria; %(wanted)d were requested.")
            raise Lost(Unparsed(reason % {"n": len(useful), "wanted": self.n}, reply_text))
        return useful[: self.n]


def messages_of(
    wording: str, case: ShownCase, texts: Mapping[str, str], *, b_first: bool = False
) -> list[dict[str, str]]:
    """The messages of one step, for the judge's requests and for the chats of training data alike.

    texts: `count`, `criterion`, `guideline`, for the slots of the prompt. b_first: the second answer is above the
    first, each under its own label; raises CallFailed if the wording does not allow it.
    """
    return case_message(showing_b_first(wording) if b_first else wording, case, **texts).messages()


def showing_b_first(wording: str) -> str:
    """The same wording with B, under its label, above A; unchanged if it shows neither.

    Raises CallFailed if it was reworded so that the two do not directly follow each other.
    """
    turned_round, replacements = SIDES.subn(lambda sides: sides["other"] + sides["between"] + sides["one"], wording)
    if not replacements and {"answer", "second"} <= slots_of(wording):
        detail = _("Labels can be kept only where the prompt shows one answer right after the other.")
        raise CallFailed(Cause.UNSUITABLE, detail)
    return turned_round


def _why(failed: CallFailed, prompt: str, number: int) -> str:
    step = f"{prompt}/{number}" if number else prompt
    if failed.cause == Cause.TRUNCATED:
        return _("The reply to step %(step)s was cut off.") % {"step": step}
    if failed.cause == Cause.EMPTY:
        return _("The reply to step %(step)s is empty.") % {"step": step}
    return _("The reply to step %(step)s cannot be read.") % {"step": step}


@dataclass(eq=False, kw_only=True)
class BranchingStrategy(Strategy):
    """Criteria (from the request alone), the meaning of their scores, a judgement by each, the sum.

    steps: prompts for criteria, guideline and judgement; without the middle one, nothing explains the scores.
    """

    family = "branches"  # not `branching`: prompts are stored by kind or family, and a kind has this name
    source = "Fennec (arXiv 2405.12163)"
    judges_by_criteria = True
    options = Branches

    slug: str
    steps: Sequence[str]
    name: str | Promise
    about: str | Promise
    pairwise: bool = False

    def __post_init__(self) -> None:
        self.always_both_orders = self.pairwise
        self.options = OfWhoseInPairs if self.pairwise else OfWhose

    def scale_of(self, options: Any) -> Scale:
        """Of sums of n criteria; in pairs an item may have fewer criteria of its own, and both sums are lower."""
        least = 1 if self.pairwise and is_recovered(options) else options.branches
        return Scale(least * LOW, options.branches * TOP)

    def variant(self, options: Any) -> str:
        """Sums of a different number of criteria, or with other weights, belong to a different judge."""
        weighed = " ".join(f"{weight:g}" for weight in weights_in(options.weights))
        weights_part = f"weights={weighed.replace(' ', ',')}" if weighed else ""
        labels = "labels=kept" if self.labels(options) == "kept" else ""
        criteria_part = (
            "criteria=recovered" if is_recovered(options) else "criteria=shared" if shares_criteria(options) else ""
        )
        parts = [f"n={options.branches}", weights_part, labels, criteria_part, f"scale={_scale(options.branches)}"]
        return " ".join(filter(None, parts))

    def fits(self, judged: JudgedItem, options: Any) -> bool:
        """Recovered criteria have to exist: one for a pair; for single sums, which are compared, as many as count."""
        if not is_recovered(options):
            return self.suits(judged)
        return len(judged.criteria) >= (1 if self.pairwise else options.branches)

    def labels(self, options: Any) -> Literal["exchanged", "kept"]:
        return "kept" if getattr(options, "labels", "") == "kept" else "exchanged"

    def calls_expected(self, options: Any) -> float:
        if is_recovered(options):
            return float(options.branches)
        with_guidelines = 1.0 + options.branches * (len(self.steps) - 2)
        orders = 2 if self.pairwise and shares_criteria(options) else 1
        return with_guidelines / orders + options.branches

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        labels_kept = case.swapped and self.labels(case.options) == "kept"
        as_stored = replace(case, first=case.second or "", second=case.first) if labels_kept else case
        try:
            merged_opinion = opinion(await self.pieces(Talk(as_stored, prompts, ask, b_first=labels_kept)))
        except Lost as lost:
            return lost.unparsed
        return (
            turned(merged_opinion) if labels_kept else merged_opinion
        )  # on the answers in the order in which they were shown

    async def pieces(self, talk: Talk) -> list[OpinionPart]:
        """One part per criterion, in the order in which the judge named them, or as in the item."""
        if is_recovered(talk.shown.options):
            return [
                await self._recovered_piece(talk, number, criterion)
                for number, criterion in enumerate(talk.recovered(), start=1)
            ]
        reply, reply_text = await talk.put(self.steps[0], Criteria, {"count": str(talk.n)}, shared=talk.shares)
        pieces = []
        for number, criterion in enumerate(talk.enough(reply.criteria, reply_text), start=1):
            texts = {"criterion": f"{criterion.name}\n{criterion.description}"}
            if len(self.steps) == 3:
                levels, _text = await talk.put(self.steps[1], Levels, texts, place=number, shared=talk.shares)
                texts["guideline"] = _levels_text(levels.in_order())
            pieces.append(await self._piece(talk, number, criterion.name, texts))
        return pieces

    async def _recovered_piece(self, talk: Talk, number: int, criterion: Standard) -> OpinionPart:
        """The part for a criterion and guideline of the item. People's weights count if they gave any."""
        texts = {"criterion": f"{criterion.name}\n{criterion.description}"}
        if len(self.steps) == 3:
            texts["guideline"] = _levels_text(criterion.levels)
        piece = await self._piece(talk, number, criterion.name, texts)
        return piece if criterion.weight is None else replace(piece, weight=float(criterion.weight))

    async def _piece(self, talk: Talk, number: int, name: str, texts: dict[str, str]) -> OpinionPart:
        axis, label, weight = str(number), name[:200], talk.weight(number)
        if self.pairwise:
            pair, _text = await talk.put(self.steps[-1], Compared, texts, place=number)
            return OpinionPart(axis, label, pair.score_first, pair.score_second, weight, pair.reason)
        single, _text = await talk.put(self.steps[-1], Scored, texts, place=number)
        return OpinionPart(axis, label, single.score, None, weight, single.explanation)


class InOneStep(BranchingStrategy):
    """Criteria and scores in one reply, as a baseline for judging in steps. steps: its only prompt."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options = BranchesOfPairs  # its criteria come with its scores

    async def pieces(self, talk: Talk) -> list[OpinionPart]:
        reply, reply_text = await talk.put(self.steps[0], AtOnce, {"count": str(talk.n)})
        return [
            OpinionPart(
                str(number),
                criterion.name[:200],
                criterion.score_first,
                criterion.score_second,
                talk.weight(number),
                criterion.explanation,
            )
            for number, criterion in enumerate(talk.enough(reply.criteria, reply_text), start=1)
        ]


def opinion(pieces: Sequence[OpinionPart]) -> Opinion:
    whole = merged(pieces)
    return Opinion(whole.first, whole.second, whole.choice, pieces=pieces)


def _levels_text(levels: Sequence[str]) -> str:
    return "\n".join(f"{score}: {words}" for score, words in enumerate(levels, LOW))


def _scale(n: int) -> str:
    return f"{n * SCALE.low}-{n * TOP}"


STRATEGIES: list[Strategy] = [
    BranchingStrategy(
        slug="branching",
        steps=["criteria", "guideline", "pair"],
        name=gettext_lazy("Branching"),
        about=gettext_lazy(
            "Two answers judged by criteria that the judge derives from the request alone, each with a "
            "guideline for scores from 1 to 5. The larger sum wins; equal sums are a tie."
        ),
        pairwise=True,
    ),
    BranchingStrategy(
        slug="branching-single",
        steps=["criteria", "guideline", "single"],
        name=gettext_lazy("Branching, single"),
        about=gettext_lazy(
            "One answer judged by criteria that the judge derives from the request alone, each with a "
            "guideline for scores from 1 to 5. The score is their sum."
        ),
    ),
    BranchingStrategy(
        slug="branch-solve-merge",
        steps=["criteria", "solve"],
        name=gettext_lazy("Branch, solve, merge"),
        about=gettext_lazy("Like Branching, without guidelines: the meaning of a score is not defined."),
        pairwise=True,
    ),
    InOneStep(
        slug="branching-one-step",
        steps=["at-once"],
        name=gettext_lazy("Branching in one step"),
        about=gettext_lazy("The judge names criteria and scores both answers on each of them in one reply."),
        pairwise=True,
    ),
]
