"""Satisfaction with assistants by intent from the survey, its correlation with authors' means, and participants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.intents import in_order
from annotate.models import Participant, Project
from annotate.survey.survey_questions import AGES, FREQUENCIES
from judging.ratings.intent_scores import IntentMean, means
from lib.stats.figures import Figure
from lib.stats.folding import Folded, folded
from lib.stats.intents import against_satisfaction


def satisfied(
    rows: Sequence[IntentMean], intent_names: Sequence[str], satisfaction: Mapping[str, float]
) -> list[tuple[str, Figure]]:
    """(author, correlation of its means by intent with people's satisfaction); empty if nobody reported any."""
    if not satisfaction:
        return []
    by_group = {intent: means(rows, intent) for intent in intent_names}
    authors = sorted({row.author for row in rows})
    return [(author, against_satisfaction(_by_author(author, by_group), satisfaction)) for author in authors]


def satisfied_all(
    rows: Sequence[IntentMean], intent_names: Sequence[str], satisfaction: Mapping[str, float]
) -> Figure | None:
    """The same for the plain mean over all authors by intent; None if nobody reported any satisfaction.

    One point per intent; n counts intents. Source: URS (arXiv 2404.13940), figure 5.
    """
    return against_satisfaction(over_authors(rows, intent_names), satisfaction) if satisfaction else None


def over_authors(rows: Sequence[IntentMean], intent_names: Sequence[str]) -> dict[str, float]:
    """intent -> plain mean of the means of the authors who have cases there; each author counts once."""
    by_group = {
        intent: [value for value in means(rows, intent).values() if value is not None] for intent in intent_names
    }
    return {intent: sum(values) / len(values) for intent, values in by_group.items() if values}


def _by_author(author: str, by_group: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    mean_by_intent = {intent: author_means.get(author) for intent, author_means in by_group.items()}
    return {intent: value for intent, value in mean_by_intent.items() if value is not None}


# Participants: counts of what they said of themselves, folded so that nobody can be recognised.


QUESTIONS = ("country", "age", "profession", "services", "frequency")
ORDERS: Mapping[str, Sequence[str]] = {"age": AGES, "frequency": list(FREQUENCIES)}
NOT_SAID = ""


@dataclass(frozen=True)
class People:
    """n: counted participants, those who submitted. left_out: state -> the others. satisfaction: intent -> ratings.

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
    """One query. Participants who failed the check question, did not submit or withdrew are left out and counted."""
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
    spelled: dict[str, str] = {}  # case does not distinguish countries
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
    """The values of an answer, each once, with normalised blanks; NOT_SAID without an answer."""
    values = answer if isinstance(answer, list) else [answer]
    return list(dict.fromkeys(" ".join(str(value).split()) for value in values if value)) or [NOT_SAID]


def _satisfaction(answers: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """In the order of the intents: the two databases keep the names in an answer in different orders."""
    scores_by_intent: dict[str, list[int]] = {}
    for answer in answers:
        for intent, value in (answer.get("satisfaction") or {}).items():
            if isinstance(value, int) and 1 <= value <= 5:
                scores_by_intent.setdefault(intent, []).append(value)
    return {intent: scores_by_intent[intent] for intent in in_order(scores_by_intent)}
