"""How a model drafts a feedback sample: error correction in a chain of five steps, response maintenance in a fan.

What a reply says outside the project's taxonomies, or with weights that are none, becomes a doubt for people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from annotate.kinds.feedback import told
from annotate.kinds.feedback.definitions import MEANINGS
from annotate.kinds.feedback.reading import Reader
from annotate.kinds.feedback.shapes import FeedbackFacts, FeedbackOptions
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import Told
from annotate.kinds.values import Candidate, Suggested
from lib.texts.fencing import fenced

CORRECTION = ("reference", "deficiencies", "feedback", "follow_up", "checklist")
MAINTENANCE = ("candidates", "criteria")
CLASSIFICATION = ("classify",)
# Steps that write what the project's guidelines speak of; the others answer as any assistant would.
GUIDED = frozenset({"deficiencies", "feedback", "checklist", "candidates", "criteria"})
# Said outside the block, after the wording: the guidelines reach the model whatever the project's own wording says.
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

Answer = TypeVar("Answer", bound=Told)


@dataclass
class Talk:
    """One item's conversation: every text that is known goes on into the next prompt."""

    prompts: Prompts
    ask: Ask
    language: str
    known: dict[str, str] = field(default_factory=dict)

    async def put(self, prompt: str, answer: type[Answer], *, step: str = "", **more: str) -> Answer:
        """Ask with a prompt of ours. step: where it is not the prompt's own name. more: texts of this step alone."""
        wording, texts = self.prompts.text(prompt, self.language), {**self.known, **more}
        if prompt in GUIDED and self.prompts.guidelines:
            wording = f"{wording}\n\n{GUIDANCE.get(self.language, GUIDANCE['en'])}"
            texts["guidelines"] = self.prompts.guidelines
        question = fenced(wording, texts, language=self.language)
        reply = await self.ask(Question(step or prompt, question.messages(), answer))
        assert isinstance(reply.read, answer)
        return reply.read


def talk(facts: FeedbackFacts, prompts: Prompts, ask: Ask, language: str) -> Talk:
    texts = {"user_query": facts.user_query, "first_response": facts.origin_first_response}
    return Talk(prompts, ask, language, texts)


async def correct(talk: Talk, facts: FeedbackFacts, options: FeedbackOptions) -> Suggested:
    """Reference answer, what is wrong with the preset one, the user's feedback, the follow-up, weighted checklist."""
    reader = Reader.of(facts)
    allowed = options.feedback_types.get(facts.bench_type, [])
    texts, definitions = talk.known, options.definitions

    texts["reference"] = (await talk.put("reference", told.Response)).response
    types = MEANINGS.lines(options.error_types, definitions, talk.language)
    deficiency_reply = await talk.put("deficiencies", told.deficiencies(options.error_types), deficiency_types=types)
    texts["deficiencies"] = _lines(
        f"{deficiency.type}: {deficiency.reason}" for deficiency in deficiency_reply.deficiencies
    )
    offered = MEANINGS.lines(allowed, definitions, talk.language)
    feedback_reply = await talk.put("feedback", told.feedback(allowed), feedback_types=offered)
    texts["feedback"] = feedback_reply.feedback
    texts["follow_up"] = (await talk.put("follow_up", told.Response)).response
    rows = (await talk.put("checklist", told.WeightedChecklist)).checklist

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
    return Suggested(draft, reader.doubts, reasons=texts["deficiencies"])


async def maintain(talk: Talk, facts: FeedbackFacts, options: FeedbackOptions) -> Suggested:
    """Several candidates for each feedback type, then a checklist without weights; feedback is for people to pick."""
    reader = Reader.of(facts)
    allowed = options.feedback_types.get(facts.bench_type, [])
    candidates: list[Candidate] = []
    for number, label in enumerate(allowed, start=1):
        meant = MEANINGS.line(label, options.definitions, talk.language)
        candidate_reply = await talk.put(
            "candidates", told.Candidates, step=f"candidates/{number}", feedback_type=meant
        )
        texts = reader.candidates(label, candidate_reply.candidates)
        candidates += [Candidate(label, {"feedback": text, "feedback_type": [label]}) for text in texts]
    talk.known["candidates"] = _lines(f"{candidate.label}: {candidate.draft['feedback']}" for candidate in candidates)
    questions = (await talk.put("criteria", told.Checklist)).checklist
    draft = {
        "task_type": "",
        "sub_task_type": "",
        "feedback": "",
        "feedback_type": [],
        "checklist": reader.questions(questions),
    }
    return Suggested(draft, reader.doubts, candidates)


def labels_of(tasks: Mapping[str, Sequence[str]]) -> list[str]:
    """The taxonomy as models see and name it: `Task;Subtask`."""
    return [f"{task};{subtask}" for task, subtasks in tasks.items() for subtask in subtasks]


async def classify(talk: Talk, options: FeedbackOptions) -> str:
    """What the model calls the query, as it wrote it."""
    labels = labels_of(options.tasks)
    return (await talk.put("classify", told.task_label(labels), taxonomy=_lines(labels))).label


def _lines(rows: Any) -> str:
    return "\n".join(f"- {row}" for row in rows)
