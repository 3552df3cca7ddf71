"""Personal data in judging: descriptions of its columns that name a person, and erasure of withdrawn items.

The descriptions are for the page that shows people what is stored about them; erasure is called by
annotate/survey/withdrawal.py.
"""

from collections.abc import Collection

from django.db.models import F, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext_lazy

from annotate.kinds.contract import ERASED
from annotate.survey.withdrawal import Keeper
from judging import results
from judging.models import Answer, Ballot, Part, Verdict

WORDS = {
    "judging.explanationlabel.person": gettext_lazy("Your checks of what a model read in judge explanations"),
    "judging.study.created_by": gettext_lazy("Vote studies that you drew"),
    "judging.boardcomputation.asked_by": gettext_lazy("Figures that were computed because you opened their page"),
}


def _votes(items: Collection[int]) -> set[int]:
    """Vote items that hold copies of the answers to these items."""
    about = Q(first__item__in=items) | Q(second__item__in=items)
    return set(Ballot.objects.filter(about).values_list("item", flat=True))


def _erase(item: int) -> None:
    """Erase the texts of one item. Scores and choices stay, as numbers without anybody's words."""
    answers = Answer.objects.filter(item=item)
    answers.filter(known=True).update(text=ERASED)
    answers.update(note="")
    Verdict.objects.filter(item=item).update(reason="", note="")
    # The criterion may have been written for this very case. Named after its row, it stays unique in its verdict.
    axis = Concat(Value("#"), Cast(F("pk"), output_field=Part._meta.get_field("axis")))
    Part.objects.filter(verdict__item=item).update(label="", reason="", axis=axis)
    results.forget_all()  # figures that were computed hold names, and may hold texts


KEEPER = Keeper(items=_votes, erase=_erase)
