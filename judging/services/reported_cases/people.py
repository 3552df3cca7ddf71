"""Who took part in the survey and what they said of themselves, so folded that nobody can be recognised."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Participant, Project
from annotate.services.survey.questions import AGES, FREQUENCIES
from lib.stats.folding import Folded, folded

QUESTIONS = ("country", "age", "profession", "services", "frequency")
ORDERS: Mapping[str, Sequence[str]] = {"age": AGES, "frequency": list(FREQUENCIES)}
NOT_SAID = ""


@dataclass(frozen=True)
class People:
    """n: participants that count, those who have sent. left_out: state -> the others. satisfaction: intent -> ratings.

    by_question: question -> folded counts; in the order of the question's own choices where it has any.
    """

    n: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    by_question: Mapping[str, Folded] = field(default_factory=dict)
    satisfaction: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def means(self) -> dict[str, float]:
        """intent -> mean satisfaction, 1 to 5."""
        return {intent: sum(scores) / len(scores) for intent, scores in self.satisfaction.items() if scores}


def people(project: Project) -> People:
    """In one query. Who failed the check question, has not sent or has withdrawn is left out, and counted."""
    participants = (
        Participant.objects.filter(survey__project=project).order_by("pk").values_list("pk", "state", "answers")
    )
    sent, excluded_counts = [], dict.fromkeys(("begun", "aside", "withdrawn"), 0)
    for pk, state, answers in participants:
        if state == Participant.State.SENT:
            sent.append((pk, answers))
        else:
            excluded_counts[state] += 1
    return People(
        len(sent),
        {state: n for state, n in excluded_counts.items() if n},
        {question: _folded(question, sent) for question in QUESTIONS},
        _satisfaction(answers for _pk, answers in sent),
    )


def _folded(question: str, sent: Sequence[tuple[int, Mapping[str, Any]]]) -> Folded:
    pks_by_value: dict[str, set[int]] = {}
    spelled: dict[str, str] = {}  # capitals make no other country
    for pk, answers in sent:
        for value in _values(answers.get(question)):
            pks_by_value.setdefault(spelled.setdefault(value.casefold(), value), set()).add(pk)
    folding, order = folded(pks_by_value), ORDERS.get(question)
    if not order:
        return folding
    index_by_value = {value: index for index, value in enumerate(order)}
    ordered = sorted(folding.shown, key=lambda entry: index_by_value.get(entry[0], len(index_by_value)))
    return Folded(tuple(ordered), folding.others, folding.values, folding.hidden)


def _values(answer: Any) -> list[str]:
    """What somebody said, each once, however they spaced it; NOT_SAID where they said nothing."""
    values = answer if isinstance(answer, list) else [answer]
    return list(dict.fromkeys(" ".join(str(value).split()) for value in values if value)) or [NOT_SAID]


def _satisfaction(answers: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    scores_by_intent: dict[str, list[int]] = {}
    for answer in answers:
        for intent, value in (answer.get("satisfaction") or {}).items():
            if isinstance(value, int) and 1 <= value <= 5:
                scores_by_intent.setdefault(intent, []).append(value)
    return scores_by_intent
