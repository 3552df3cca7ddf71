"""The single-answer strategies: five instances of one class; with an axis, a rubric is that of the item's ability."""

from django.utils.translation import gettext_lazy as _

from judging.strategies.scored import OneToTenByAxis, OneToThree, OneToThreeByAxis, ScoredStrategy
from judging.strategies.strategy import Strategy


class Single(ScoredStrategy):
    """A score for one answer that is shown alone."""

    family = "single"


STRATEGIES: list[Strategy] = [
    Single(
        slug="vanilla-star",
        steps=["bare"],
        name=_("Vanilla*"),
        about=_("A score for the answer, and nothing else."),
        explained=False,
    ),
    Single(
        slug="vanilla",
        steps=["explained"],
        name=_("Vanilla"),
        about=_("An explanation, then a score for the answer."),
    ),
    Single(
        slug="rubric",
        steps=["rubric"],
        name=_("Rubric"),
        about=_("A score by a rubric that says what each score means; the same for all items."),
        rubric="general",
        options=OneToThree,
    ),
    Single(
        slug="axis",
        steps=["axis"],
        name=_("Axis"),
        about=_("A score on one axis, given by the ability that the item tests."),
        by_axis=True,
        options=OneToTenByAxis,
    ),
    Single(
        slug="axis-rubric",
        steps=["axis-rubric"],
        name=_("Axis+Rubric"),
        about=_("A score on the axis of the item's ability, by a rubric for that ability."),
        by_axis=True,
        rubric="ability",
        options=OneToThreeByAxis,
    ),
]
