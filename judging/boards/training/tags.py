"""Template filter for training data: the reasons why rows are left out, in words."""

from collections.abc import Mapping

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds.trees import NOTHING, ORDERS, REFERENCE
from judging.ratings import preferences
from judging.ratings.preferences import CANNOT_TELL
from judging.training import training_files, trees, verdict_examples

register = template.Library()

WHY: Mapping[str, str | Promise] = {
    trees.UNREADABLE: _("items that cannot be read"),
    trees.NO_TEXT: _("items without a tree"),
    trees.UNFINISHED: _("criteria without a description or a level"),
    trees.NO_SCORE: _("criteria without a score"),
    trees.PEOPLE_DIFFER: _("pairs about which the sums contradict people's label"),
    verdict_examples.UNREAD: _("verdicts that could not be read"),
    verdict_examples.ONE_ORDER: _("verdicts in one order only"),
    verdict_examples.ORDERS_DIFFER: _("pairs about which both orders disagree"),
    verdict_examples.AGAINST_PEOPLE: _("verdicts that contradict people's label"),
    verdict_examples.OUTDATED: _("verdicts about older texts"),
    verdict_examples.NOT_KEPT: _("verdicts whose replies are kept with another job"),
    training_files.DUPLICATE: _("rows that say word for word what another says"),
    preferences.NO_MAJORITY: _("pairs without a majority of votes"),
    preferences.TOO_FEW: _("pairs with too few votes"),
    preferences.NO_TEXT: _("pairs whose texts are not known"),
    preferences.ALIKE: _("pairs of equal texts"),
    CANNOT_TELL: _("votes that could not tell"),
    trees.SET_ASIDE % ORDERS: _("judgements of others whose orders disagree"),
    trees.SET_ASIDE % REFERENCE: _("judgements of others that need a reference answer"),
    trees.SET_ASIDE % NOTHING: _("judgements of others that say nothing"),
}


@register.filter
def left_out_name(why: str) -> str | Promise:
    return WHY.get(why, why)
