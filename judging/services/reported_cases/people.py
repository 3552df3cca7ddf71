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
        return {intent: sum(given) / len(given) for intent, given in self.satisfaction.items() if given}


def people(project: Project) -> People:
    """In one query. Who failed the check question, has not sent or has withdrawn is left out, and counted."""
    found = Participant.objects.filter(survey__project=project).order_by("pk").values_list("pk", "state", "answers")
    sent, left_out = [], dict.fromkeys(("begun", "aside", "withdrawn"), 0)
    for pk, state, answers in found:
        if state == Participant.State.SENT:
            sent.append((pk, answers))
        else:
            left_out[state] += 1
    return People(
        len(sent),
        {state: n for state, n in left_out.items() if n},
        {question: _folded(question, sent) for question in QUESTIONS},
        _satisfaction(answers for _pk, answers in sent),
    )


def _folded(question: str, sent: Sequence[tuple[int, Mapping[str, Any]]]) -> Folded:
    given: dict[str, set[int]] = {}
    spelled: dict[str, str] = {}  # capitals make no other country
    for pk, answers in sent:
        for value in _values(answers.get(question)):
            given.setdefault(spelled.setdefault(value.casefold(), value), set()).add(pk)
    found, order = folded(given), ORDERS.get(question)
    if not order:
        return found
    places = {value: place for place, value in enumerate(order)}
    ordered = sorted(found.shown, key=lambda one: places.get(one[0], len(places)))
    return Folded(tuple(ordered), found.others, found.values, found.hidden)


def _values(said: Any) -> list[str]:
    """What somebody said, each once, however they spaced it; NOT_SAID where they said nothing."""
    each = said if isinstance(said, list) else [said]
    return list(dict.fromkeys(" ".join(str(one).split()) for one in each if one)) or [NOT_SAID]


def _satisfaction(answers: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in answers:
        for intent, value in (each.get("satisfaction") or {}).items():
            if isinstance(value, int) and 1 <= value <= 5:
                found.setdefault(intent, []).append(value)
    return found
