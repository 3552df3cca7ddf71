"""Descriptions of judging's columns that name a person, for the page that shows people what is stored about them."""

from django.utils.translation import gettext_lazy as _

from annotate.people import own_record

WORDS = {
    "judging.explanationlabel.person": _("Checks of what a model read in explanations of judges"),
    "judging.study.created_by": _("Studies of votes that you drew"),
    "judging.savedview.owner": _("Views of reports that you saved"),
}


def start() -> None:
    own_record.WORDS.update(WORDS)
