"""Why something is not among the training data, in words."""

from collections.abc import Mapping

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.kinds.branching import bridging
from judging.services.rankings import pairs
from judging.services.rankings.fights import CANNOT_TELL
from judging.services.training import bridged, gathering, judged, trees

register = template.Library()

WHY: Mapping[str, str | Promise] = {
    trees.UNREADABLE: _("items that cannot be read"),
    trees.NO_TEXT: _("items without a tree"),
    trees.UNFINISHED: _("criteria without a description or a level"),
    trees.NO_SCORE: _("criteria without a score"),
    trees.PEOPLE_DIFFER: _("pairs about which the sums contradict people's label"),
    judged.UNREAD: _("verdicts that could not be read"),
    judged.ONE_ORDER: _("verdicts in one order only"),
    judged.ORDERS_DIFFER: _("pairs about which both orders disagree"),
    judged.AGAINST_PEOPLE: _("verdicts that contradict people's label"),
    judged.OUTDATED: _("verdicts about older texts"),
    judged.NOT_KEPT: _("verdicts whose replies are kept with another job"),
    gathering.DUPLICATE: _("rows that say word for word what another says"),
    pairs.NO_MAJORITY: _("pairs without a majority of votes"),
    pairs.TOO_FEW: _("pairs with too few votes"),
    pairs.NO_TEXT: _("pairs whose texts are not known"),
    pairs.ALIKE: _("pairs of equal texts"),
    CANNOT_TELL: _("votes that could not tell"),
    bridged.SET_ASIDE % bridging.ORDERS: _("judgements of others whose orders disagree"),
    bridged.SET_ASIDE % bridging.REFERENCE: _("judgements of others that need a reference answer"),
    bridged.SET_ASIDE % bridging.NOTHING: _("judgements of others that say nothing"),
}


@register.filter
def left_out_name(why: str) -> str | Promise:
    return WHY.get(why, why)
