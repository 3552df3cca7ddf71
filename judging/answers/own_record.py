"""Descriptions of judging's columns that name a person, for the page that shows people what is stored about them."""

from django.utils.translation import gettext_lazy as _

from annotate.people import own_record

WORDS = {
    "judging.explanationlabel.person": _("Your checks of what a model read in judge explanations"),
    "judging.study.created_by": _("Vote studies that you drew"),
    "judging.savedview.owner": _("Report views that you saved"),
}


def start() -> None:
    own_record.WORDS.update(WORDS)
