"""The strategy of own questions: a judge reads what people see of an item and answers the same questions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from annotate.kinds.protocol import Ask, CallFailed, JudgedItem, Prompts, Question, Reply
from annotate.kinds.shapes import Finding
from judging.strategies.questions import UNREADABLE, why_unread
from judging.strategies.strategy import Opinion, OpinionPart, ShownCase, Strategy, Unparsed

LONGEST_VARIANT = 60


def _as_names(value: Any) -> Any:
    """A list, or one text with commas as from the command."""
    return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value


class WhichQuestions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: Annotated[list[str], BeforeValidator(_as_names)] = Field(
        default_factory=list,
        title=gettext_noop("Questions"),
        description=gettext_noop("None selected: all. Questions that a condition names are asked too."),
    )
    one_by_one: bool = Field(
        default=False,
        title=gettext_noop("Criteria one by one"),
        description=gettext_noop(
            "Each criterion of a rubric is asked in a call of its own, all other questions in one call before them. "
            "Such a judge is another one than a judge that reads all criteria at once."
        ),
    )


class OwnQuestionsStrategy(Strategy):
    """The answer to each question is a part, under the question's name. There is no overall score.

    Texts that questions compare are dealt: an item decides their order, and every further repeat is the next order, so
    that two repeats show a pair on both sides.
    """

    slug = "form"
    family = "forms"  # not `form`: prompts are stored by kind or family
    name = gettext_lazy("Own questions")
    about = gettext_lazy(
        "The judge answers the project's own questions about an item, as people do. Texts that are compared change "
        "sides from item to item, and with every repeat."
    )
    steps = ("answers",)
    asks_questions = True
    options = WhichQuestions

    def suits(self, judged: JudgedItem) -> bool:
        return judged.questions is not None

    def variant(self, options: Any) -> str:
        names = ",".join(options.questions)
        questions = f"questions={names if len(names) <= LONGEST_VARIANT else _digest(names)[:8]}" if names else ""
        return " ".join(filter(None, [questions, "criteria=one-by-one" if options.one_by_one else ""]))

    def calls_about(self, judged: JudgedItem, material: str, options: Any) -> float:
        if judged.questions is None or not options.one_by_one:
            return 1.0
        return float(judged.questions.only(options.questions).calls_by_criterion(json.loads(material)))

    def judged_texts(self, case: ShownCase) -> Mapping[str, str]:
        return {"material": "\n".join(_texts_in(json.loads(case.first)))}

    async def judge(self, case: ShownCase, prompts: Prompts, ask: Ask) -> Opinion | Unparsed:
        assert case.judged.questions is not None, "fits() has not been asked"
        questions = case.judged.questions.only(case.options.questions, deal=_deal(case))
        columns, where = json.loads(case.first), {"language": case.language, "step": f"{case.at}/{self.steps[0]}"}
        replies = ReadReplies(ask)
        if case.options.one_by_one:
            given = await questions.given_by_criterion(columns, prompts, replies, **where)
        else:
            given = (await replies(questions.question(columns, prompts, **where))).parts
        answers, doubts = questions.answers(columns, given)
        if not answers:
            return replies.unparsed()
        return Opinion(reason=_in_lines(answers), pieces=[*_answered(answers), *_left_out(answers, doubts)])


class ReadReplies:
    """An `ask` whose replies say nothing where they cannot be read. Raises CallFailed if there is no reply at all."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._said = ""
        self._failed: CallFailed | None = None

    async def __call__(self, question: Question, /) -> Reply:
        try:
            reply = await self._ask(question)
        except CallFailed as failed:
            if failed.cause not in UNREADABLE:
                raise
            self._failed = self._failed or failed
            return Reply(failed.said)
        self._said = reply.text
        return reply

    def unparsed(self) -> Unparsed:
        """Why there is no answer: the first reply that could not be read, else the last one that was."""
        if self._failed is not None:
            return Unparsed(why_unread(self._failed), self._failed.said)
        return Unparsed(_("The reply has no answer that a question allows."), self._said)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(part)


def _deal(case: ShownCase) -> int:
    """The same for the same item, and the next number for each further repeat."""
    return int(_digest(case.first)[:8], 16) + case.repeat - 1


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _answered(answers: Mapping[str, Any]) -> Iterator[OpinionPart]:
    """label: the answer as JSON; score: of an answer that is a number."""
    for name, answer in answers.items():
        score = float(answer) if isinstance(answer, int | float) else None
        yield OpinionPart(name, json.dumps(answer, ensure_ascii=False), score)


def _left_out(answers: Mapping[str, Any], doubts: Sequence[Finding]) -> Iterator[OpinionPart]:
    for path in dict.fromkeys(doubt.path for doubt in doubts):
        if path not in answers:
            doubt = next(doubt for doubt in doubts if doubt.path == path)
            reason = Finding.stored(doubt.as_json()).message
            yield OpinionPart(path, reason=reason, joined="none")


def _in_lines(answers: Mapping[str, Any]) -> str:
    """What people read of a verdict."""
    return "\n".join(f"{name}: {json.dumps(answer, ensure_ascii=False)}" for name, answer in answers.items())


STRATEGIES: list[Strategy] = [OwnQuestionsStrategy()]
