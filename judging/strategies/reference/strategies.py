"""Three instances: by the trusted answer alone, and as evaluators do it that were trained to follow a rubric."""

from django.utils.translation import gettext_lazy as _

from judging.strategies.base import Strategy
from judging.strategies.scored import OneToFive, Scored


class WithReference(Scored):
    """A score for one answer beside a trusted one."""


STRATEGIES: list[Strategy] = [
    WithReference(
        slug="reference",
        family="reference",
        steps=["reference"],
        name=_("Reference"),
        about=_("An explanation, then a score for the answer, held against a trusted one."),
        needs_reference=True,
    ),
    WithReference(
        slug="evaluator",
        family="reference",
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
        family="reference",
        steps=["evaluator-task"],
        name=_("Rubric evaluator, by task"),
        about=_("The same with a rubric from 1 to 5 for the ability that the item tests."),
        rubric="ability",
        needs_reference=True,
        options=OneToFive,
    ),
]
