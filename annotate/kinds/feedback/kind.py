"""Feedback samples for error correction and response maintenance (FB-Bench, arXiv 2410.09412).

Candidates are asked both turns up to the feedback; judges see both turns, the feedback and the checklist.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.contract import Kind
from annotate.kinds.feedback import forms, preannotation
from annotate.kinds.feedback.forms import choices_for, posted_draft
from annotate.kinds.feedback.preannotation import listed_as
from annotate.kinds.feedback.shapes import ERROR_CORRECTION, Entry, FeedbackDraft, FeedbackFacts, FeedbackOptions
from annotate.kinds.protocol import Ask, CandidatePrompt, ChecklistQuestion, JudgedItem, Message, Prompts
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, ModelClassification, ModelSuggestion, Native
from lib.texts.listing import listed
from lib.texts.stored_sentences import say as _


def messages(facts: FeedbackFacts, draft: FeedbackDraft) -> list[Message]:
    """The conversation up to the feedback, which the candidate answers."""
    return [
        {"role": "user", "content": facts.user_query},
        {"role": "assistant", "content": facts.origin_first_response},
        {"role": "user", "content": draft.feedback},
    ]


def candidate_prompt(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> CandidatePrompt:
    temperature = options.temperatures.get(draft.task_type, 0.0)
    return CandidatePrompt(messages(facts, draft), temperature=temperature, group=draft.task_type)


def judged_feedback(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> JudgedItem:
    corrects = facts.bench_type == ERROR_CORRECTION
    return JudgedItem(
        messages=messages(facts, draft),
        checklist=[_question(entry) for entry in draft.checklist],
        rule="weights" if corrects else options.maintenance_rule,
        scenario="error_correction" if corrects else "response_maintenance",
        labels={
            "task": [draft.task_type],
            "subtask": [draft.sub_task_type],
            "error_type": draft.error_type or [],
            "feedback_type": draft.feedback_type,
        },
    )


def feedback_as_judgement(facts: FeedbackFacts, draft: FeedbackDraft) -> dict[str, Any] | None:
    """What people criticised in the first response: feedback, deficiencies, and what they ask of a better response.

    None in response maintenance, where the feedback may be wrong on purpose, and if nobody has said anything.
    """
    if facts.bench_type != ERROR_CORRECTION or not draft.feedback.strip():
        return None
    questions = "\n".join(f"- {_question(entry).text}" for entry in draft.checklist)
    wanting = f"Found wanting: {', '.join(draft.error_type)}" if draft.error_type else ""
    asked_for = f"Asked of a better response:\n{questions}" if questions else ""
    text = "\n\n".join(filter(None, [draft.feedback.strip(), wanting, asked_for]))
    return {
        "query": facts.user_query,
        "first": facts.origin_first_response,
        "scenario": draft.task_type,
        "original": {"style": "words", "judge": "people", "text": text},
    }


def _question(entry: Entry) -> ChecklistQuestion:
    return ChecklistQuestion(entry) if isinstance(entry, str) else ChecklistQuestion(entry[0], float(entry[1]))


PUBLISHED_ORDER = (
    "bench_type",
    "task_type",
    "sub_task_type",
    "user_query",
    "origin_first_response",
    "feedback",
    "error_type",
    "feedback_type",
    "checklist",
    "reference_first_response",
    "reference_second_response",
)


FIELDS = (
    Field("suitable", gettext_lazy("Is this question and answer usable?"), "flag"),
    Field("task_type", gettext_lazy("Task"), "choice"),
    Field("sub_task_type", gettext_lazy("Subtask"), "choice", part_of="task_type"),
    Field("error_type", gettext_lazy("Deficiency types"), "choices"),
    Field("feedback", gettext_lazy("Feedback"), "text", free=True),
    Field("feedback_type", gettext_lazy("Feedback types"), "choices"),
    Field("checklist", gettext_lazy("Checklist"), "checklist"),
    Field("reference_first_response", gettext_lazy("Reference answer to the question"), "text", free=True),
    Field("reference_second_response", gettext_lazy("Follow-up"), "text", free=True),
)
FIELDS_OF_MAINTENANCE = tuple(field for field in FIELDS if field.name != "error_type")


def corrects_errors(facts: FeedbackFacts) -> bool:
    return facts.bench_type == ERROR_CORRECTION


class Feedback(Kind[FeedbackFacts, FeedbackDraft, FeedbackOptions]):
    """Curate a user's feedback on a model's first answer, and the checklist by which the follow-up is judged.

    Facts: scenario, first question, preset first answer. Draft: task, deficiency types (error correction only),
    feedback and its types, checklist (weighted in error correction only), reference texts.
    """

    slug = "feedback"
    name = gettext_lazy("Feedback samples")
    about = gettext_lazy("Refine feedback on a model's answer and the checklist that judges the follow-up.")
    live_template = "feedback/written.html"
    facts = FeedbackFacts
    draft = FeedbackDraft
    options = FeedbackOptions

    def title(self, facts: FeedbackFacts) -> str:
        return " ".join(facts.user_query.split())[:160]

    def group(self, facts: FeedbackFacts, draft: FeedbackDraft | None) -> str:
        return draft.task_type[:120] if draft else ""

    def groups(self, options: FeedbackOptions) -> Sequence[str]:
        return list(options.tasks)

    def reading_text(self, facts: FeedbackFacts) -> str:
        return facts.user_query

    def texts(self, facts: FeedbackFacts) -> Mapping[str, str]:
        return {"user_query": facts.user_query, "origin_first_response": facts.origin_first_response}

    def empty_draft(self, facts: FeedbackFacts) -> dict[str, Any]:
        deficiencies: dict[str, Any] = {"error_type": []} if corrects_errors(facts) else {}
        return {
            "task_type": "",
            "sub_task_type": "",
            "feedback": "",
            "feedback_type": [],
            "checklist": [],
        } | deficiencies

    fact_labels = {
        "bench_type": gettext_lazy("Scenario"),
        "user_query": gettext_lazy("First question"),
        "origin_first_response": gettext_lazy("First answer"),
    }

    def listed_values(self, options: FeedbackOptions) -> Mapping[str, Sequence[str]]:
        return {
            "task_type": list(options.tasks),
            "sub_task_type": list(dict.fromkeys(chain.from_iterable(options.tasks.values()))),
            "error_type": options.error_types,
            "feedback_type": list(dict.fromkeys(chain.from_iterable(options.feedback_types.values()))),
        }

    def fields(self, facts: FeedbackFacts) -> Sequence[Field]:
        return FIELDS if corrects_errors(facts) else FIELDS_OF_MAINTENANCE

    def problems(self, facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> list[Finding]:
        if self.unsuitable(draft):
            return []
        weighted = corrects_errors(facts)
        return [
            *_task_problems(draft, options),
            *_deficiency_problems(facts, draft, options),
            *_feedback_problems(facts, draft, options),
            *forms.problems(draft.checklist, weighted=weighted, tolerance=options.weight_tolerance),
        ]

    def doubts(self, facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> list[Finding]:
        return list(forms.doubts(draft.checklist, weighted=corrects_errors(facts)))

    def label(self, field: Field, draft: Mapping[str, Any]) -> str | None:
        """An item that is not marked as unsuitable counts as suitable."""
        if field.name == "suitable" and draft.get("suitable") is None:
            return "yes"
        return super().label(field, draft)

    def unsuitable(self, draft: FeedbackDraft) -> bool:
        return draft.suitable is False

    def read_form(self, data: QueryDict, facts: FeedbackFacts) -> dict[str, Any]:
        return posted_draft(data, weighted=corrects_errors(facts))

    def edited(self, draft: dict[str, Any], action: str, facts: FeedbackFacts) -> dict[str, Any]:
        return {**draft, "checklist": forms.edited(draft.get("checklist", []), action, corrects_errors(facts))}

    def form_context(self, facts: FeedbackFacts, draft: Mapping[str, Any], options: FeedbackOptions) -> dict[str, Any]:
        return choices_for(facts, draft, options, weighted=corrects_errors(facts))

    def shown(self, name: str, value: Any) -> str:
        if name == "checklist" and isinstance(value, list):
            return "\n".join(row if isinstance(row, str) else f"[{row[1]}] {row[0]}" for row in value)
        if name == "suitable":
            return {True: _("Yes"), False: _("No"), None: ""}.get(value, str(value))
        if isinstance(value, list):
            return listed(_(str(label)) for label in value)
        return _(str(value)) if name in self.label_fields and value else super().shown(name, value)

    preannotation_steps = (*preannotation.CORRECTION, *preannotation.MAINTENANCE)
    classification_steps = preannotation.CLASSIFICATION
    label_fields = ("task_type", "sub_task_type")
    drafts_by_guidelines = True

    def asks(self, step: str, facts: FeedbackFacts) -> bool:
        return step not in (preannotation.MAINTENANCE if corrects_errors(facts) else preannotation.CORRECTION)

    def preannotation_calls(self, facts: FeedbackFacts, options: FeedbackOptions) -> int:
        types = options.feedback_types.get(facts.bench_type, [])
        return len(preannotation.CORRECTION) if corrects_errors(facts) else len(types) + 1

    async def preannotate(
        self, facts: FeedbackFacts, options: FeedbackOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        talk = preannotation.talk(facts, prompts, ask, language)
        draft = preannotation.correct if corrects_errors(facts) else preannotation.maintain
        return await draft(talk, facts, options)

    async def classify(
        self, facts: FeedbackFacts, options: FeedbackOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelClassification:
        task_label = await preannotation.classify(preannotation.talk(facts, prompts, ask, language), options)
        listed = listed_as(task_label, preannotation.labels_of(options.tasks))
        return ModelClassification(tuple((listed or task_label).split(";")), listed is not None)

    judges_answers = holds_checklists = True

    def asked(self, facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> CandidatePrompt:
        return candidate_prompt(facts, draft, options)

    def judged(self, facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> JudgedItem:
        return judged_feedback(facts, draft, options)

    def as_judgement(
        self, facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions
    ) -> Mapping[str, Any] | None:
        return feedback_as_judgement(facts, draft)

    def read_row(self, row: Mapping[str, Any]) -> Native:
        """The published data has `error_type: null` if there is none; a row without draft fields is work to do."""
        native = super().read_row(row)
        if native.draft and native.draft.get("error_type", ...) is None:
            native.draft.pop("error_type")
        return native

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        row = {"error_type": None, **facts, **draft}
        return {name: row[name] for name in PUBLISHED_ORDER if name in row}


def _task_problems(draft: FeedbackDraft, options: FeedbackOptions) -> Iterator[Finding]:
    if not draft.task_type:
        yield Finding("task_type", _("choose a task."))
    elif draft.task_type not in options.tasks:
        yield Finding("task_type", _not_among(draft.task_type, options.tasks))
    elif draft.sub_task_type not in options.tasks[draft.task_type]:
        yield Finding("sub_task_type", _not_among(draft.sub_task_type, options.tasks[draft.task_type]))


def _deficiency_problems(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> Iterator[Finding]:
    if not corrects_errors(facts):
        if draft.error_type is not None:
            yield Finding("error_type", _("only error correction has deficiency types; leave them out."))
        return
    if not draft.error_type:
        yield Finding("error_type", _("choose at least one deficiency type."))
        return
    yield from _list_problems("error_type", draft.error_type, options.error_types)


def _feedback_problems(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> Iterator[Finding]:
    if not draft.feedback.strip():
        yield Finding("feedback", _("write the feedback."))
    if not draft.feedback_type:
        yield Finding("feedback_type", _("choose at least one feedback type."))
    yield from _list_problems("feedback_type", draft.feedback_type, options.feedback_types.get(facts.bench_type, []))


def _list_problems(name: str, values: Sequence[str], allowed: Sequence[str]) -> Iterator[Finding]:
    for index, value in enumerate(values):
        if value not in allowed:
            yield Finding(f"{name}[{index}]", _not_among(value, allowed))
        elif value in values[:index]:
            yield Finding(f"{name}[{index}]", _("“%(value)s” appears twice.") % {"value": value})


def _not_among(value: str, allowed: Mapping[str, Any] | Sequence[str]) -> str:
    if not value:
        return _("choose one of %(allowed)s.") % {"allowed": ", ".join(allowed)}
    return _("“%(value)s” is not allowed here; allowed: %(allowed)s.") % {
        "value": value[:60],
        "allowed": ", ".join(allowed),
    }


KIND = Feedback()
