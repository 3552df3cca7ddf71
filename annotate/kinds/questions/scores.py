"""Scores of a rating: the sum of points that rules give to the spans of a question."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict
from pydantic import Field as Limits

from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition_texts import Name, Value
from annotate.kinds.questions.places import Span
from annotate.kinds.questions.types.spans import Spans
from annotate.kinds.shapes import Shape
from lib.texts.stored_sentences import say as _

MOST_RULES = 200
Points = Annotated[int | float, Limits(ge=-1_000_000, le=1_000_000)]


class ScoreRule(Shape):
    """Points for a span with this label or category, and these values of attributes; without any, for every span."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[Name, Value]

    points: Points
    label: Value | None = None

    @property
    def attributes(self) -> dict[str, str]:
        return dict(self.__pydantic_extra__)

    def fits(self, span: Span) -> bool:
        label = span.get("label", "")
        right_label = self.label is None or self.label in (label, label.partition("/")[0])
        return right_label and all(span.get(name) == value for name, value in self.attributes.items())


class Score(Shape):
    """A number for each rating: the sum over the spans of the question `sum`, of the first rule that fits each.

    A span that no rule fits gives none. lower_is_better: whether 0 is the best score.
    """

    sum: Name
    rules: Annotated[list[ScoreRule], Limits(min_length=1, max_length=MOST_RULES)]
    lower_is_better: bool = False

    def of(self, answers: Mapping[str, Any]) -> float | None:
        """The score of a rating; None if the question was not answered."""
        spans = answers.get(self.sum)
        return float(sum(map(self.points, spans))) if isinstance(spans, list) else None

    def points(self, span: Span) -> float:
        return next((rule.points for rule in self.rules if rule.fits(span)), 0)


Faults = Iterator[tuple[tuple[int | str, ...], str]]


def score_faults(scores: Mapping[str, Score], questions: Sequence[Question], columns: Sequence[str]) -> Faults:
    """(path, message) of what is wrong with scores beside these questions and shown columns."""
    by_name = {question.name: question for question in questions}
    for name, score in scores.items():
        if name in by_name or name in columns:
            message = _("“%(name)s” is the name of a question or a shown column too; give the score another name.")
            yield ("scores", name), message % {"name": name}
        question = by_name.get(score.sum)
        if isinstance(question, Spans):
            for index, rule in enumerate(score.rules):
                yield from ((("scores", name, "rules", index), message) for message in _rule_faults(rule, question))
            yield from _unreached(name, score)
        else:
            message = _("“%(name)s” is no question of the type `spans`; a score sums points of spans.")
            yield ("scores", name, "sum"), message % {"name": score.sum}


def _rule_faults(rule: ScoreRule, question: Spans) -> Iterator[str]:
    labels = [*question.known_labels, *(category for category, _labels in question.categories)]
    if rule.label is not None and rule.label not in labels and not question.others:
        message = _("“%(label)s” is not a label of “%(question)s”; correct it or remove the rule.")
        yield message % {"label": rule.label, "question": question.name}
    for name, value in rule.attributes.items():
        if value not in question.attributes.get(name, []):
            message = _("“%(question)s” has no %(name)s “%(value)s”; correct it or remove the rule.")
            yield message % {"question": question.name, "name": name, "value": value}


def _unreached(name: str, score: Score) -> Faults:
    general = [place for place, rule in enumerate(score.rules) if rule.label is None and not rule.attributes]
    for place in range(general[0] + 1 if general else len(score.rules), len(score.rules)):
        message = _("comes after a rule that fits every span, so it never counts; move it up.")
        yield ("scores", name, "rules", place), message
