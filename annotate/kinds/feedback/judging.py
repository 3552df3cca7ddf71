"""What candidates are asked about a feedback sample, and what judges see: both turns, the feedback, the checklist."""

from typing import Any

from annotate.kinds.feedback.shapes import Entry, FeedbackDraft, FeedbackFacts, FeedbackOptions
from annotate.kinds.feedback.taxonomy import ERROR_CORRECTION
from annotate.kinds.judged import Asked, Judged, Question
from annotate.kinds.protocol import Message


def messages(facts: FeedbackFacts, draft: FeedbackDraft) -> list[Message]:
    """The conversation up to the feedback, which the candidate answers."""
    return [
        {"role": "user", "content": facts.user_query},
        {"role": "assistant", "content": facts.origin_first_response},
        {"role": "user", "content": draft.feedback},
    ]


def asked(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> Asked:
    temperature = options.temperatures.get(draft.task_type, 0.0)
    return Asked(messages(facts, draft), temperature=temperature, group=draft.task_type)


def judged(facts: FeedbackFacts, draft: FeedbackDraft, options: FeedbackOptions) -> Judged:
    corrects = facts.bench_type == ERROR_CORRECTION
    return Judged(
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


def as_judgement(facts: FeedbackFacts, draft: FeedbackDraft) -> dict[str, Any] | None:
    """What people found wanting in the first response: their feedback, deficiencies, and what they ask of a better one.

    None in response maintenance, where the feedback may be wrong on purpose, and where nobody has said anything.
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


def _question(entry: Entry) -> Question:
    return Question(entry) if isinstance(entry, str) else Question(entry[0], float(entry[1]))
