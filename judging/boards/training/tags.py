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
    trees.PEOPLE_DIFFER: _("pairs whose score sums contradict the human label"),
    verdict_examples.UNREAD: _("verdicts that are not readable"),
    verdict_examples.ONE_ORDER: _("verdicts in one order only"),
    verdict_examples.ORDERS_DIFFER: _("pairs with different verdicts in the two orders"),
    verdict_examples.AGAINST_PEOPLE: _("verdicts that contradict the human label"),
    verdict_examples.OUTDATED: _("verdicts on older texts"),
    verdict_examples.NOT_KEPT: _("verdicts whose replies are stored with another job"),
    training_files.DUPLICATE: _("rows identical to another row"),
    preferences.NO_MAJORITY: _("pairs without a majority of votes"),
    preferences.TOO_FEW: _("pairs with too few votes"),
    preferences.NO_TEXT: _("pairs with unknown texts"),
    preferences.ALIKE: _("pairs of equal texts"),
    CANNOT_TELL: _("votes of “cannot tell”"),
    trees.SET_ASIDE % ORDERS: _("others' judgements whose orders disagree"),
    trees.SET_ASIDE % REFERENCE: _("others' judgements that need a reference answer"),
    trees.SET_ASIDE % NOTHING: _("others' judgements without content"),
}


@register.filter
def left_out_name(why: str) -> str | Promise:
    return WHY.get(why, why)
