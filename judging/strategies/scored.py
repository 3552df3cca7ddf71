"""The class of all strategies that score one answer; its instances define how they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_noop
from pydantic import BaseModel, ConfigDict, Field

from annotate.kinds.protocol import Ask, JudgedItem, Prompts
from judging.readers.scales import Scale, score_shape
from judging.strategies import criteria
from judging.strategies.criteria import OwnAxes, Texts
from judging.strategies.questions import case_message, put_question, put_raw
from judging.strategies.strategy import Opinion, ShownCase, Strategy, Unparsed
from lib.texts.raw_messages import is_raw

TITLE = gettext_noop("Scale")
ABOUT = gettext_noop("Scores on different scales count as different judges.")


class OneToTen(BaseModel):
    model_config = ConfigDict(extra="forbid")

    scale: Literal["1-10", "1-5", "1-3"] = Field(default="1-10", title=TITLE, description=ABOUT)


class OneToThree(Texts):
    """Of rubrics, which have words for 1 to 3 and for 1 to 5."""

    scale: Literal["1-3", "1-5"] = Field(default="1-3", title=TITLE, description=ABOUT)


class OneToFive(Texts):
    scale: Literal["1-5"] = Field(default="1-5", title=TITLE, description=ABOUT)


class OneToTenByAxis(OneToTen, Texts, OwnAxes):
    pass


class OneToThreeByAxis(OneToThree, OwnAxes):
    pass


@dataclass(eq=False, kw_only=True)
class ScoredStrategy(Strategy):
    """A score for one answer, kept as the judge gave it. steps: its only prompt.

    rubric: "" for none, `general`, or `ability` for that of the item's ability. by_axis: the prompt has its axis.
    """

    slug: str
    steps: Sequence[str]
    name: str | Promise
    about: str | Promise
    explained: bool = True
    by_axis: bool = False
    rubric: Literal["", "general", "ability"] = ""
    needs_reference: bool = False
    options: type[BaseModel] = OneToTen
    takes_raw: bool = True
    source: str = "FBI (arXiv 2406.13439)"

    def reads(self, judged: JudgedItem) -> str:
        return criteria.ability_of(judged) if self.by_axis or self.rubric == "ability" else ""

    def scale_of(self, options: Any) -> Scale:
        return Scale.named(options.scale)

    def variant(self, options: Any) -> str:
        """The variant, always with the scale: verdicts on another scale, or by other texts, belong to another judge."""
        return " ".join(filter(None, [super().variant(options), criteria.variant_of(options)]))

    def texts(self, options: Any) -> Sequence[str]:
        rubric_name = {"": "", "general": criteria.GENERAL, "ability": "*"}[self.rubric]
        rubric = (
            [f"{criteria.scope_of(options)}.{rubric_name}-rubric{Scale.named(options.scale).top}"]
            if rubric_name
            else []
        )
        return [*([f"{criteria.scope_of(options)}.*-axis"] if self.by_axis else []), *rubric]

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        (step,), scale = self.steps, self.scale_of(case.options)
        wording, ours = prompts.text(step, case.language), self._ours(case, scale)
        if is_raw(wording):
            reply = await put_raw(ask, f"{case.at}/{step}", wording, case, ours, scale)
        else:
            messages = case_message(criteria.worded(wording, ours), case).messages()
            shape = score_shape(case.options.scale, explained=self.explained)
            reply = await put_question(ask, f"{case.at}/{step}", messages, shape, "score", scale.read_text)
        if isinstance(reply, Unparsed):
            return reply
        return Opinion(reply.value, reason=reply.reason, top=float(scale.top) if self.needs_reference else None)

    def _ours(self, case: ShownCase, scale: Scale) -> dict[str, str]:
        """Our own texts by their slots."""
        ours = {"top": str(scale.top)}
        if self.by_axis:
            ours["axis"] = criteria.axis_for(case.judged, case.options, case.language)
        if self.rubric:
            ability = criteria.ability_of(case.judged) if self.rubric == "ability" else criteria.GENERAL
            texts = criteria.set_of(case.options)
            ours["rubric"] = criteria.text_of(ability, f"rubric{scale.top}", case.language, texts)
        return ours
