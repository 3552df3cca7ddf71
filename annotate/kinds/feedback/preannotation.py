"""Pre-annotation of a feedback sample: the reply shape of each step, how replies become a draft, and the two chains.

The labels of the project's taxonomy are the only values in the schema; a reply with another label is read all the same.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from django.utils.translation import gettext_noop as _
from pydantic import Field, WithJsonSchema, create_model

from annotate.kinds.feedback.shapes import MEANINGS, FeedbackFacts, FeedbackOptions
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import AnswerShape, Finding
from annotate.kinds.values import Candidate, ModelSuggestion
from lib.texts.fencing import fenced
from lib.texts.suspicions import suspicions


class Response(AnswerShape):
    """An answer of an assistant, as the user would read it."""

    response: str


class Deficiency(AnswerShape):
    """type: a deficiency type of the project; reason: what exactly is wrong, with the place."""

    type: str
    reason: str


class Deficiencies(AnswerShape):
    deficiencies: list[Deficiency]


class SimulatedFeedback(AnswerShape):
    """What the user says next; types: feedback types of the project."""

    feedback: str
    types: list[str]


class WeightedQuestion(AnswerShape):
    question: str
    weight: float = Field(description="between 0 and 1; the weights of all questions add up to 1")


class WeightedChecklist(AnswerShape):
    checklist: list[WeightedQuestion]


class Candidates(AnswerShape):
    """Feedback that a user could give, each in words of its own."""

    candidates: list[str]


class Checklist(AnswerShape):
    checklist: list[str]


class TaskLabel(AnswerShape):
    """label: task and subtask with a semicolon between."""

    label: str


def deficiencies(labels: Sequence[str]) -> type[Deficiencies]:
    return _deficiencies(tuple(labels))


def feedback(labels: Sequence[str]) -> type[SimulatedFeedback]:
    return _feedback(tuple(labels))


def task_label(labels: Sequence[str]) -> type[TaskLabel]:
    return _task_label(tuple(labels))


@lru_cache(maxsize=128)
def _deficiencies(labels: tuple[str, ...]) -> type[Deficiencies]:
    deficiency_shape = create_model("Deficiency", __base__=Deficiency, type=(_one_of(labels), ...))
    return create_model("Deficiencies", __base__=Deficiencies, deficiencies=(list[deficiency_shape], ...))  # type: ignore[valid-type]


@lru_cache(maxsize=128)
def _feedback(labels: tuple[str, ...]) -> type[SimulatedFeedback]:
    return create_model("SimulatedFeedback", __base__=SimulatedFeedback, types=(_many_of(labels), ...))


@lru_cache(maxsize=128)
def _task_label(labels: tuple[str, ...]) -> type[TaskLabel]:
    return create_model("TaskLabel", __base__=TaskLabel, label=(_one_of(labels), ...))


def _many_of(labels: tuple[str, ...]) -> Any:
    label_type = _one_of(labels)
    return list[label_type]  # type: ignore[valid-type]  # made at run time


def _one_of(labels: tuple[str, ...]) -> Any:
    """A text for us; for a service that enforces schemas, one of the labels."""
    return Annotated[str, WithJsonSchema({"type": "string", "enum": list(labels)})] if labels else str


# Replies become parts of a draft; what does not fit becomes a doubt, in our own words.


ROUNDED = 0.005  # how far a weight of two decimals may be from what was meant


@dataclass
class FeedbackReader:
    """Reads the replies about one item and collects the doubts: message ids with values, put into words when shown."""

    doubts: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, facts: FeedbackFacts) -> "FeedbackReader":
        """Begins with doubts about facts that look like instructions to the model."""
        reader = cls()
        texts = {"user_query": facts.user_query, "origin_first_response": facts.origin_first_response}
        for suspicion in suspicions(texts):
            where = {"user_query": _SPEAKS_QUESTION, "origin_first_response": _SPEAKS_ANSWER}[suspicion.name]
            reader.doubt("", where, what=suspicion.what, excerpt=suspicion.excerpt)
        return reader

    def doubt(self, path: str, message: str, **params: Any) -> None:
        self.doubts.append(Finding(path, message, said=params))

    def text(self, path: str, text: str) -> str:
        if not text.strip():
            self.doubt(path, _("the model left this empty."))
        return text

    def labels(self, path: str, labels: Sequence[str], allowed: Sequence[str]) -> list[str]:
        """The labels that the taxonomy has, in its spelling, each once. Other labels are left out, with a doubt."""
        known_labels: list[str] = []
        for label in labels:
            listed = listed_as(label, allowed)
            if listed is None:
                self.doubt(path, _("the model chose “%(label)s”, which the project does not have; it is left out."),
                           label=label.strip()[:80])  # fmt: skip
            elif listed not in known_labels:
                known_labels.append(listed)
        if not labels:
            self.doubt(path, _("the model chose none."))
        return known_labels

    def candidates(self, label: str, candidates: Sequence[str]) -> list[str]:
        """The candidates that are not empty, each once."""
        texts = list(dict.fromkeys(text for text in candidates if text.strip()))
        if not texts:
            self.doubt("feedback", _("the model gave no candidate of the type “%(label)s”."), label=label)
        return texts

    def questions(self, questions: Sequence[str]) -> list[str]:
        if not questions:
            self.doubt("checklist", _("the model gave no question."))
        return list(questions)

    def weighted(self, entries: Sequence[tuple[str, float]], tolerance: float) -> list[list[Any]]:
        """Rows as the model gave them. Weights that are wrong only by rounding are corrected, and a doubt says so."""
        rows: list[list[Any]] = [[question, weight] for question, weight in entries]
        self.questions([question for question, _weight in entries])
        weights = [weight for _question, weight in entries]
        odd = [weight for weight in weights if not 0 <= weight <= 1]
        total = math.fsum(weights)
        if not rows or (not odd and abs(total - 1) <= tolerance):
            return rows
        if odd or abs(total - 1) > ROUNDED * len(rows):
            message = _("the model's weights add up to %(sum)s, not to 1; they stand as it gave them.")
            self.doubt("checklist", message, sum=f"{total:.4g}")
            return rows
        index = weights.index(max(weights))
        rows[index][1] = round(weights[index] + 1 - total, 6)
        message = _("the model's weights add up to %(sum)s; question %(no)d got the rest, which looks like rounding.")
        self.doubt(f"checklist[{index}]", message, sum=f"{total:.4g}", no=index + 1)
        return rows


_SPEAKS_QUESTION = _("the question %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")
_SPEAKS_ANSWER = _("the first answer %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")


def listed_as(label: str, allowed: Sequence[str]) -> str | None:
    """The label in the taxonomy's spelling, ignoring case, blanks and full-width characters. None if not listed."""
    return {_plain(known_label): known_label for known_label in allowed}.get(_plain(label))


def _plain(label: str) -> str:
    return " ".join(label.replace("；", ";").replace(" ;", ";").replace("; ", ";").split()).casefold()


# The chains: a model drafts an error-correction sample in five steps, and a response-maintenance sample in a fan.
#
# A label outside the project's taxonomies, or a weight that is not a weight, becomes a doubt for people.


CORRECTION = ("reference", "deficiencies", "feedback", "follow_up", "checklist")
MAINTENANCE = ("candidates", "criteria")
CLASSIFICATION = ("classify",)
# Steps whose texts the project's guidelines are about; the other steps answer as any assistant would.
GUIDED = frozenset({"deficiencies", "feedback", "checklist", "candidates", "criteria"})
# Added after the wording, outside the block: the guidelines reach the model with any wording of the project.
GUIDANCE = {
    "en": (
        "The project's guidelines, written for the people who do this work:\n\n{{ guidelines }}\n\n"
        "Let them decide how labels are chosen and how feedback and checklists are written. They change neither what "
        "you are asked for here nor the form of your answer."
    ),
    "zh": (
        "本项目的标注指南，是写给标注人员的：\n\n{{ guidelines }}\n\n"
        "如何选择标签、如何撰写反馈和检查清单，以它为准；但它不改变这里要求你完成的任务和输出格式。"
    ),
}

Answer = TypeVar("Answer", bound=AnswerShape)


@dataclass
class FeedbackTalk:
    """The conversation about one item: every text that is known goes into the next prompt."""

    prompts: Prompts
    ask: Ask
    language: str
    known: dict[str, str] = field(default_factory=dict)

    async def put(self, prompt: str, answer: type[Answer], *, step: str = "", **more: str) -> Answer:
        """Ask with one of our prompts. step: if it is not the name of the prompt. more: texts for this step alone."""
        wording, texts = self.prompts.text(prompt, self.language), {**self.known, **more}
        if prompt in GUIDED and self.prompts.guidelines:
            wording = f"{wording}\n\n{GUIDANCE.get(self.language, GUIDANCE['en'])}"
            texts["guidelines"] = self.prompts.guidelines
        question = fenced(wording, texts, language=self.language)
        reply = await self.ask(Question(step or prompt, question.messages(), answer))
        assert isinstance(reply.read, answer)
        return reply.read


def talk(facts: FeedbackFacts, prompts: Prompts, ask: Ask, language: str) -> FeedbackTalk:
    texts = {"user_query": facts.user_query, "first_response": facts.origin_first_response}
    return FeedbackTalk(prompts, ask, language, texts)


async def correct(talk: FeedbackTalk, facts: FeedbackFacts, options: FeedbackOptions) -> ModelSuggestion:
    """Reference answer, faults of the preset answer, the user's feedback, the follow-up, a weighted checklist."""
    reader = FeedbackReader.of(facts)
    allowed = options.feedback_types.get(facts.bench_type, [])
    texts, definitions = talk.known, options.definitions

    texts["reference"] = (await talk.put("reference", Response)).response
    types = MEANINGS.lines(options.error_types, definitions, talk.language)
    deficiency_reply = await talk.put("deficiencies", deficiencies(options.error_types), deficiency_types=types)
    texts["deficiencies"] = _lines(
        f"{deficiency.type}: {deficiency.reason}" for deficiency in deficiency_reply.deficiencies
    )
    offered = MEANINGS.lines(allowed, definitions, talk.language)
    feedback_reply = await talk.put("feedback", feedback(allowed), feedback_types=offered)
    texts["feedback"] = feedback_reply.feedback
    texts["follow_up"] = (await talk.put("follow_up", Response)).response
    rows = (await talk.put("checklist", WeightedChecklist)).checklist

    draft: dict[str, Any] = {
        "task_type": "",
        "sub_task_type": "",
        "error_type": reader.labels(
            "error_type", [deficiency.type for deficiency in deficiency_reply.deficiencies], options.error_types
        ),
        "feedback": reader.text("feedback", feedback_reply.feedback),
        "feedback_type": reader.labels("feedback_type", feedback_reply.types, allowed),
        "checklist": reader.weighted([(row.question, row.weight) for row in rows], options.weight_tolerance),
    }
    for name, text in (("reference_first_response", "reference"), ("reference_second_response", "follow_up")):
        if reader.text(name, texts[text]):
            draft[name] = texts[text]
    return ModelSuggestion(draft, reader.doubts, reasons=texts["deficiencies"])


async def maintain(talk: FeedbackTalk, facts: FeedbackFacts, options: FeedbackOptions) -> ModelSuggestion:
    """Several candidates for each feedback type, then an unweighted checklist; people choose the feedback."""
    reader = FeedbackReader.of(facts)
    allowed = options.feedback_types.get(facts.bench_type, [])
    candidates: list[Candidate] = []
    for number, label in enumerate(allowed, start=1):
        meant = MEANINGS.line(label, options.definitions, talk.language)
        candidate_reply = await talk.put("candidates", Candidates, step=f"candidates/{number}", feedback_type=meant)
        texts = reader.candidates(label, candidate_reply.candidates)
        candidates += [Candidate(label, {"feedback": text, "feedback_type": [label]}) for text in texts]
    talk.known["candidates"] = _lines(f"{candidate.label}: {candidate.draft['feedback']}" for candidate in candidates)
    questions = (await talk.put("criteria", Checklist)).checklist
    draft = {
        "task_type": "",
        "sub_task_type": "",
        "feedback": "",
        "feedback_type": [],
        "checklist": reader.questions(questions),
    }
    return ModelSuggestion(draft, reader.doubts, candidates)


def labels_of(tasks: Mapping[str, Sequence[str]]) -> list[str]:
    """The labels of the taxonomy as models read and write them: `Task;Subtask`."""
    return [f"{task};{subtask}" for task, subtasks in tasks.items() for subtask in subtasks]


async def classify(talk: FeedbackTalk, options: FeedbackOptions) -> str:
    """The label that the model gives the query, as it wrote it."""
    labels = labels_of(options.tasks)
    return (await talk.put("classify", task_label(labels), taxonomy=_lines(labels))).label


def _lines(rows: Any) -> str:
    return "\n".join(f"- {row}" for row in rows)
