"""The strategy by intent: five criteria of the user's intent, and a reference worth 8."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.protocol import Ask, JudgedItem, Prompts
from judging.readers.scales import Scale
from judging.strategies.criteria import worded
from judging.strategies.intent.intent_criteria import (
    SCOPE,
    IntentCriterion,
    IntentOptions,
    bands,
    criteria_for,
    criteria_in,
    criteria_variant,
    definitions_in,
    intent_in_words,
    intent_of,
    known_criteria,
    undefined_in,
    weighing,
)
from judging.strategies.intent.intent_replies import IntentCriterionScore, IntentScores, from_text, intent_reply_shape
from judging.strategies.questions import case_message, put_question
from judging.strategies.strategy import Opinion, OpinionPart, ShownCase, Strategy, Unparsed

STEP = "intent"


class ByIntent(Strategy):
    slug = "intent"
    family = "intent"
    name = gettext_lazy("By intent")
    about = gettext_lazy(
        "The answer is compared with a reference worth 8 of 10 and scored on the criteria of its user's "
        "intent, one by one and then overall."
    )
    source = "URS (arXiv 2404.13940)"
    steps = (STEP,)
    for_some_items = True
    needs_reference = True
    reference_score = 8.0
    options = IntentOptions

    def suits(self, judged: JudgedItem) -> bool:
        return bool(intent_of(judged))

    def scale_of(self, options: IntentOptions) -> Scale:
        return Scale.named(options.scale)

    def variant(self, options: IntentOptions) -> str:
        return " ".join(filter(None, [super().variant(options), criteria_variant(options)]))

    def refusal(self, options: IntentOptions) -> str:
        unknown = undefined_in(criteria_in(options.criteria), definitions_in(options.definitions))
        if not unknown:
            return ""
        message = _(
            "The criterion “%(name)s” has no definition. Define it (definitions: “%(name)s: what it asks”) "
            "or choose one of: %(known)s."
        )
        return message % {"name": unknown[0], "known": ", ".join(known_criteria())}

    def reads(self, judged: JudgedItem) -> str:
        return intent_of(judged)

    def texts(self, options: IntentOptions) -> list[str]:
        return [f"{SCOPE}.*"]

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        intent = intent_of(case.judged)
        options: IntentOptions = case.options
        criteria = criteria_for(intent, criteria_in(options.criteria), definitions_in(options.definitions))
        ours = _ours(intent, criteria, case.language, options.weights)
        wording = worded(prompts.text(STEP, case.language), ours)
        messages = case_message(wording, case).messages()
        shape = intent_reply_shape(tuple(criteria))
        reply = await put_question(
            ask, f"{case.at}/{STEP}", messages, shape, "score", lambda text: from_text(text, criteria)
        )
        return reply if isinstance(reply, Unparsed) else opinion(reply.value, reply.reason)


def opinion(reading: IntentScores, reason: str) -> Opinion:
    """The final score, and a part for every criterion, without a score if the judge gave none."""
    missing = [entry.axis for entry in reading.given if entry.score is None]
    note = _("No readable score for: %(names)s.") % {"names": ", ".join(missing)} if missing else ""
    return Opinion(reading.final, reason=reason, pieces=[_piece(entry) for entry in reading.given], note=note)


def _piece(entry: IntentCriterionScore) -> OpinionPart:
    return OpinionPart(entry.axis, entry.said, entry.score, joined=entry.joined)


def _ours(intent: str, criteria: list[IntentCriterion], language: str, weights: str) -> dict[str, Any]:
    """Our own texts by their slots."""
    return {
        "wanted": intent_in_words(intent, language),
        "criteria": "\n".join(criterion.told(language) for criterion in criteria),
        "bands": bands(language),
        "weighing": weighing(intent, criteria, language, weights),
    }


STRATEGIES: list[Strategy] = [ByIntent()]
