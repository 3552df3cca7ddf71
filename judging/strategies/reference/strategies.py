"""The strategies with a reference: by the trusted answer alone, and in the form of evaluators trained on rubrics."""

from django.utils.translation import gettext_lazy as _

from judging.strategies.scored import OneToFive, ScoredStrategy
from judging.strategies.strategy import Strategy


class WithReference(ScoredStrategy):
    """A score for one answer that is shown with a trusted one."""

    family = "reference"


STRATEGIES: list[Strategy] = [
    WithReference(
        slug="reference",
        steps=["reference"],
        name=_("Reference"),
        about=_("An explanation, then a score for the answer, compared with a trusted one."),
        needs_reference=True,
    ),
    WithReference(
        slug="evaluator",
        steps=["evaluator"],
        name=_("Rubric evaluator, general"),
        about=_(
            "Feedback, then a score from 1 to 5 by one rubric for all items, with a trusted answer that would get 5."
        ),
        rubric="general",
        needs_reference=True,
        options=OneToFive,
    ),
    WithReference(
        slug="evaluator-task",
        steps=["evaluator-task"],
        name=_("Rubric evaluator, by task"),
        about=_("The same with a rubric from 1 to 5 for the ability that the item tests."),
        rubric="ability",
        needs_reference=True,
        options=OneToFive,
    ),
]
