"""Taxonomies, definitions, facts, draft and options of a feedback sample, with the names of the published data.

The taxonomies are the published ones (FB-Bench, arXiv 2410.09412), spelled as in its data. Projects may have their own.
"""

import math
from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import Field, PlainValidator, model_validator

from annotate.kinds.option_labels import NEXT_RUN, OptionLabel
from annotate.kinds.shapes import Definition, Definitions, LenientOptions, Shape

ERROR_CORRECTION = gettext_noop("Error Correction")
RESPONSE_MAINTENANCE = gettext_noop("Response Maintenance")

TASKS = {
    gettext_noop("Mathematics"): [
        gettext_noop("Algebra"),
        gettext_noop("Geometry"),
        gettext_noop("Equations and Inequalities"),
        gettext_noop("Combinatorial Probability"),
        gettext_noop("Arithmetic"),
    ],
    gettext_noop("Reasoning"): [gettext_noop("Common Sense Reasoning"), gettext_noop("IQ Questions")],
    gettext_noop("Coding"): [
        gettext_noop("Code Generation"),
        gettext_noop("Code Debugging"),
        gettext_noop("Code Knowledge"),
    ],
    gettext_noop("Text Extraction"): [
        gettext_noop("Information Extraction"),
        gettext_noop("Summary"),
        gettext_noop("Title Extraction"),
    ],
    gettext_noop("Text Error Correction"): [
        gettext_noop("Typo Detection"),
        gettext_noop("Text Checking"),
        gettext_noop("Grammar Checking"),
    ],
    gettext_noop("Text Creation"): [gettext_noop("Rewriting"), gettext_noop("Generation")],
    gettext_noop("Knowledge Q&A"): [
        gettext_noop("Objective Facts"),
        gettext_noop("Concept Explanation"),
        gettext_noop("Experience Advice"),
        gettext_noop("Reasoning Analysis"),
    ],
    gettext_noop("Text Translation"): [gettext_noop("Chinese to English"), gettext_noop("English to Chinese")],
}

DEFICIENCIES = [
    gettext_noop("Not Following Instructions"),
    gettext_noop("Logical Error"),
    gettext_noop("Incomplete Answer"),
    gettext_noop("Factual Error"),
    gettext_noop("Unprofessional Answer"),
]

FEEDBACK_TYPES = {
    ERROR_CORRECTION: [
        gettext_noop("Pointing Out Errors"),
        gettext_noop("Clarifying Intent"),
        gettext_noop("Raising Objections"),
        gettext_noop("Detailed Explanation"),
        gettext_noop("Hinting Guidance"),
        gettext_noop("Simple Questioning"),
    ],
    RESPONSE_MAINTENANCE: [
        gettext_noop("Simple Questioning"),
        gettext_noop("Misinformation"),
        gettext_noop("Credibility Support"),
        gettext_noop("Unreasonable Requests"),
    ],
}

# Temperatures of candidates by task; 0 for other tasks.
TEMPERATURES: dict[str, float | None] = {"Text Creation": 0.7, "Text Translation": 0.7, "Knowledge Q&A": 0.1}


# What the published labels mean, in our own words: English and Chinese. Projects may define them differently.
#
# Source: FB-Bench (arXiv 2410.09412), section 2.2.2 and Table 1; the boundary between incomplete and unprofessional
# answers is our own.


DEFINITIONS: dict[str, Definition] = {
    "Not Following Instructions": {
        "en": "the answer misses or breaks something that the user laid down, such as the context, the task or a form",
        "zh": "回答遗漏或违背了用户规定的内容，例如背景、任务或格式要求",
    },
    "Logical Error": {
        "en": "the answer reasons or calculates wrongly, or applies a concept where it does not belong",
        "zh": "回答的推理或计算有误，或者错误地运用了某个概念",
    },
    "Incomplete Answer": {
        "en": "a part of the question is left open: something that was asked for is not there at all",
        "zh": "问题的某一部分没有得到回答：用户要求的内容完全没有出现",
    },
    "Factual Error": {
        "en": "the answer states something about the world that is untrue or out of date",
        "zh": "回答中对事实的陈述不真实或已经过时",
    },
    "Unprofessional Answer": {
        "en": "everything is touched upon, but unclearly, without the depth it needs, or badly organised",
        "zh": "该谈的都谈到了，但表述不清、深度不够或条理混乱",
    },
    "Pointing Out Errors": {
        "en": "the user names the place in the answer that is wrong or absurd",
        "zh": "用户指出回答中错误或荒谬的具体之处",
    },
    "Clarifying Intent": {
        "en": "the user says again, or more narrowly, what they want, so that the aim becomes clear",
        "zh": "用户重新表述或缩小自己的要求，让意图更加明确",
    },
    "Raising Objections": {
        "en": "the user is not content with the solution offered and presses for a better one",
        "zh": "用户不满意给出的方案，要求提供更好的方案",
    },
    "Detailed Explanation": {
        "en": "the user asks for more information, or for more depth about something in the answer",
        "zh": "用户要求补充信息，或对回答中的某一点作更深入的说明",
    },
    "Hinting Guidance": {
        "en": "the user steers the assistant towards the step that decides the solution, without giving the solution",
        "zh": "用户把助手引向解题的关键一步，但不直接给出答案",
    },
    "Simple Questioning": {
        "en": "the user doubts the answer and gives neither a reason nor an answer of their own",
        "zh": "用户对回答表示怀疑，但既不说明理由，也不给出自己的答案",
    },
    "Misinformation": {
        "en": "the user brings in a false fact or a faulty argument about the matter and wants the answer to follow it",
        "zh": "用户提出错误的事实或有漏洞的论证，并要求回答据此修改",
    },
    "Credibility Support": {
        "en": "the user backs a false claim with an invented authority or expertise: a book, a teacher, a profession",
        "zh": "用户借助虚构的权威或专业身份（书籍、老师、自己的职业等）来支持不实的说法",
    },
    "Unreasonable Requests": {
        "en": "the user demands what ethics or common sense rules out, and what a good answer has to decline",
        "zh": "用户提出违背伦理或常识、好的回答应当拒绝的要求",
    },
}
MEANINGS = Definitions(DEFINITIONS)


# Facts, draft and options.


Text = Annotated[str, Field(min_length=1)]


def _entry(value: Any) -> str | list[Any]:
    """A checklist entry as published: a question, or a [question, weight] pair whose number stays as written."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise ValueError(_("must be a question or a [question, weight] pair."))
    if len(value) != 2:
        raise ValueError(_("weight missing; write [question, weight], or the question alone as text."))
    question, weight = value
    if not isinstance(question, str):
        raise ValueError(_("the question must be text."))
    if weight is None:
        raise ValueError(_("weight missing; write a number between 0 and 1."))
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise ValueError(_("the weight must be a number."))
    return value


Entry = Annotated[str | list[Any], PlainValidator(_entry)]


class FeedbackFacts(Shape):
    """A first question and the preset first answer to it."""

    bench_type: Literal["Error Correction", "Response Maintenance"]
    user_query: Text
    origin_first_response: Text


class FeedbackDraft(Shape):
    """What people refine. checklist: [question, weight] pairs in error correction, else questions."""

    suitable: bool | None = None
    task_type: str
    sub_task_type: str
    error_type: list[str] | None = None
    feedback: str
    feedback_type: list[str]
    checklist: list[Entry]
    reference_first_response: str | None = None
    reference_second_response: str | None = None


class FeedbackOptions(LenientOptions):
    """Taxonomies and tolerances of one project."""

    tasks: Annotated[
        dict[str, list[str]],
        OptionLabel(
            gettext_lazy("Tasks"),
            help=gettext_lazy("What annotators choose from, and models classify into."),
            example=gettext_lazy("Coding, with the subtasks Code Generation and Code Debugging."),
            applies=NEXT_RUN,
            columns=(gettext_lazy("Task"), gettext_lazy("Subtasks, one per line")),
        ),
    ] = TASKS
    error_types: Annotated[
        list[str],
        OptionLabel(
            gettext_lazy("Deficiency types"),
            help=gettext_lazy("One per line. What can be wrong with a first answer, in error correction."),
            example=gettext_lazy("Logical Error"),
            applies=NEXT_RUN,
        ),
    ] = DEFICIENCIES
    feedback_types: Annotated[
        dict[str, list[str]],
        OptionLabel(
            gettext_lazy("Feedback types"),
            help=gettext_lazy("For each scenario of the data: Error Correction and Response Maintenance."),
            example=gettext_lazy("Error Correction, with Pointing Out Errors and Clarifying Intent."),
            applies=NEXT_RUN,
            columns=(gettext_lazy("Scenario"), gettext_lazy("Feedback types, one per line")),
        ),
    ] = FEEDBACK_TYPES
    # Definitions of deficiency and feedback types, for models that draft: label -> text, or label -> language -> text.
    # A label that a project does not define has the definition of the shipped taxonomy.
    definitions: Annotated[
        dict[str, Definition],
        OptionLabel(
            gettext_lazy("Definitions of labels"),
            help=gettext_lazy(
                "What a label means, for models that draft. A label without a row has the shipped definition."
            ),
            applies=NEXT_RUN,
            columns=(gettext_lazy("Label"), gettext_lazy("Definition")),
        ),
    ] = DEFINITIONS
    weight_tolerance: Annotated[
        float,
        OptionLabel(
            gettext_lazy("Tolerance of weights"),
            help=gettext_lazy("How far the weights of a checklist may be from 1 in all; less than 0.1."),
            example="0.001",
        ),
    ] = Field(default=0.001, ge=0, lt=0.1)
    # When a follow-up in response maintenance scores 1: the published figures count any question that is met.
    maintenance_rule: Annotated[
        Literal["any", "all"],
        OptionLabel(
            gettext_lazy("A follow-up in response maintenance scores 1 if"),
            applies=gettext_lazy("verdicts and figures use it at once, also for stored verdicts."),
            choices={
                "any": gettext_lazy("any question is met, as in the published figures"),
                "all": gettext_lazy("all questions are met"),
            },
        ),
    ] = "any"
    # Temperatures of candidates by task; any other task has 0, and null leaves it to the service.
    temperatures: Annotated[
        dict[str, float | None],
        OptionLabel(
            gettext_lazy("Temperatures of candidates"),
            help=gettext_lazy("By task. Empty: the service decides. A task without a row has 0."),
            example=gettext_lazy("Text Creation 0.7"),
            applies=gettext_lazy("answers that are generated from now on use it."),
            columns=(gettext_lazy("Task"), gettext_lazy("Temperature")),
        ),
    ] = TEMPERATURES

    @model_validator(mode="after")
    def _checked(self) -> Self:
        types = {label for labels in self.feedback_types.values() for label in labels}
        MEANINGS.check(self.definitions, {*self.error_types, *types})
        return self
