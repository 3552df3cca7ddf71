"""The pairwise strategies: five instances of one class.

Every pair is judged in both orders, because one order alone does not show a judge's position bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from annotate.kinds.protocol import Ask, JudgedItem, Prompts
from judging.readers.choices import choice_in_text, choice_shape
from judging.strategies import criteria
from judging.strategies.criteria import OwnAxes, OwnRules, Texts
from judging.strategies.questions import case_message, put_question, put_raw
from judging.strategies.strategy import NoOptions, Opinion, ShownCase, Strategy, Unparsed
from lib.texts.raw_messages import is_raw


class ByRules(Texts, OwnRules):
    pass


class ByAxis(Texts, OwnAxes):
    pass


class ByAxisAndRules(Texts, OwnAxes, OwnRules):
    pass


@dataclass(eq=False, kw_only=True)
class Pairwise(Strategy):
    """A, B, both good or both bad. steps: its only prompt."""

    family = "pairwise"
    source = "FBI (arXiv 2406.13439)"
    pairwise = True
    always_both_orders = True
    takes_raw = True

    slug: str
    steps: Sequence[str]
    name: str | Promise
    about: str | Promise
    explained: bool = True
    by_axis: bool = False
    options: type[BaseModel] = NoOptions

    def reads(self, judged: JudgedItem) -> str:
        return criteria.ability_of(judged) if self.by_axis else ""

    def variant(self, options: Any) -> str:
        return criteria.variant_of(options)

    def texts(self, options: Any) -> Sequence[str]:
        rules = [f"{criteria.scope_of(options)}.rules"] if "rules" in self.slug else []
        return [*rules, *([f"{criteria.scope_of(options)}.*-axis"] if self.by_axis else [])]

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        (step,), ours = self.steps, {"rules": criteria.rules_for(case.options, case.language)}
        if self.by_axis:
            ours["axis"] = criteria.axis_for(case.judged, case.options, case.language)
        wording = prompts.text(step, case.language)
        if is_raw(wording):
            reply = await put_raw(ask, f"{case.at}/{step}", wording, case, ours, None)
        else:
            messages = case_message(criteria.worded(wording, ours), case).messages()
            shape = choice_shape(explained=self.explained)
            reply = await put_question(ask, f"{case.at}/{step}", messages, shape, "verdict", choice_in_text)
        return reply if isinstance(reply, Unparsed) else Opinion(choice=reply.value, reason=reply.reason)


STRATEGIES: list[Strategy] = [
    Pairwise(
        slug="pairwise-star",
        steps=["bare"],
        name=_("Pairwise*"),
        about=_("Which of two answers is better, and nothing else."),
        explained=False,
    ),
    Pairwise(
        slug="pairwise",
        steps=["explained"],
        name=_("Pairwise"),
        about=_("An explanation, then which of two answers is better."),
    ),
    Pairwise(
        slug="pairwise-rules",
        steps=["rules"],
        name=_("Rules"),
        about=_("Two answers compared by the rules in the prompt."),
        options=ByRules,
    ),
    Pairwise(
        slug="pairwise-axis",
        steps=["axis"],
        name=_("Axis, pairwise"),
        about=_("Two answers compared on one axis, given by the ability that the item tests."),
        by_axis=True,
        options=ByAxis,
    ),
    Pairwise(
        slug="pairwise-axis-rules",
        steps=["axis-rules"],
        name=_("Axis+Rules"),
        about=_("Two answers compared on the axis of the item's ability, by the rules."),
        by_axis=True,
        options=ByAxisAndRules,
    ),
]
