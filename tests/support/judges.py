"""Judges for tests: the simulated model without a network, and replies from a script; read as the engine reads them."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import judging.strategies
from annotate.engine import replies
from annotate.engine.wire import response_format
from annotate.kinds import find_kind
from annotate.kinds.protocol import CallFailed, Cause, ChecklistQuestion, JudgedItem, OwnQuestions, Prompts, Reply
from annotate.kinds.protocol import Question as Asked
from judging.strategies.strategy import ShownCase
from lib.simulated.knobs import Knobs
from lib.simulated.misbehaviours import obedient
from lib.simulated.requests import read
from lib.simulated.service import answer

WEIGHED = JudgedItem(
    messages=[
        {"role": "user", "content": "How many moons has Mars?"},
        {"role": "assistant", "content": "Mars has three moons."},
        {"role": "user", "content": "That is one moon too many."},
    ],
    checklist=[
        ChecklistQuestion("Does it say that Mars has two moons?", 0.6),
        ChecklistQuestion("Does it name Phobos and Deimos?", 0.4),
    ],
    scenario="error_correction",
)
UNWEIGHED = JudgedItem(
    messages=[
        {"role": "user", "content": "水的沸点是多少？"},
        {"role": "assistant", "content": "标准大气压下是 100 ℃。"},
        {"role": "user", "content": "我觉得是 90 ℃，请改正。"},
    ],
    checklist=[ChecklistQuestion("回答是否坚持“100 ℃”这一结论？"), ChecklistQuestion("回答是否说明了与海拔的关系？")],
    rule="any",
    scenario="response_maintenance",
)


QUESTIONS = """
show: [{field: prompt, optional: true}, {field: answer}, {field: other, optional: true}]
questions:
  - {name: good, type: rating, ask: How good is it?, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {good: at least 2}}
  - {name: topics, type: choices, options: [news, code, health], required: false}
  - {name: better, type: pair, of: [answer, other]}
  - {name: order, type: ranking, of: [other, answer], required: false}
  - {name: why, type: text, required: false}
"""


def own_questions(definition: str = QUESTIONS) -> OwnQuestions:
    questions = find_kind("form").by_definition([definition]).own_questions
    assert questions is not None
    return questions


def questioned(columns: Mapping[str, str], **more: object) -> ShownCase:
    """An item of a project with own questions."""
    judged = JudgedItem(messages=[], questions=own_questions())
    return shown(judged, json.dumps(columns, ensure_ascii=False), **more)


def shown(judged: JudgedItem = WEIGHED, first: str = "Mars has two moons.", **more: object) -> ShownCase:
    return ShownCase(**{"judged": judged, "first": first} | more)


def shipped(family: str) -> Prompts:
    """The prompts of a family as its files say them."""
    files = (path for place in judging.strategies.__path__ for path in Path(place).glob(f"{family}/prompts/*.md"))
    texts = {}
    for path in files:
        step, language = path.name.removesuffix(".md").rsplit(".", 1)
        texts[step, language] = path.read_text("utf-8")
    return Prompts(texts, dict.fromkeys(texts, 1))


class Judge:
    """An `ask` that reads what `says` gives for a question. asked: every question, in order."""

    def __init__(self, says: Callable[[Asked], str | CallFailed]) -> None:
        self.says = says
        self.asked: list[Asked] = []

    async def __call__(self, question: Asked, /) -> Reply:
        self.asked.append(question)
        text = self.says(question)
        if isinstance(text, CallFailed):
            raise text
        try:
            found = replies.parse_reply(question, text)
        except replies.Unread as unread:
            raise CallFailed(
                unread.cause, unread.detail, replies.without_thoughts(text), step=question.step
            ) from unread
        return Reply(replies.without_thoughts(text), found, "a-judge")

    @property
    def steps(self) -> list[str]:
        return [question.step for question in self.asked]


def saying(*replies: str | CallFailed) -> Judge:
    """One reply a question; the last one again and again."""
    waiting = list(replies)
    return Judge(lambda _question: waiting.pop(0) if len(waiting) > 1 else waiting[0])


def by_step(replies: Mapping[str, str | CallFailed]) -> Judge:
    """By the last part of the step's path; a step that is not there gets no answer."""
    nothing = CallFailed(Cause.SERVER_ERROR, "nothing in the script")
    return Judge(lambda question: replies.get(question.step.rsplit("/", 1)[-1], nothing))


def simulated(model: str = "simulated-judge", *, obeys: bool = False, **knobs: object) -> Judge:
    """The simulated model as it answers over the wire. obeys: whatever is ordered outside the blocks of data."""

    def says(question: Asked) -> str:
        body = {"model": model, "messages": [dict(message) for message in question.messages]}
        if question.answer is not None:
            body["response_format"] = response_format(question.answer)
        reply = answer(read(body), Knobs(**knobs))
        return (obedient(reply) if obeys else reply).content or ""

    return Judge(says)


def messages(asked: Iterable[Asked]) -> list[str]:
    """All that was said to the judge, system and user."""
    return [message["content"] for question in asked for message in question.messages]
