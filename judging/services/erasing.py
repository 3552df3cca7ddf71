"""What judging keeps about items, erased when their reporters take them back (annotate/services/withdrawing)."""

from collections.abc import Collection

from django.db.models import F, Q, Value
from django.db.models.functions import Cast, Concat

from annotate.kinds.reported import ERASED
from annotate.services.withdrawing.hooks import Keeper, register
from judging.models import Answer, Ballot, Part, Verdict


def start() -> None:
    register(Keeper("judging", items=_votes, erase=_erase))


def _votes(items: Collection[int]) -> set[int]:
    """Vote items hold copies of the answers to these ones."""
    about = Q(first__item__in=items) | Q(second__item__in=items)
    return set(Ballot.objects.filter(about).values_list("item", flat=True))


def _erase(item: int) -> None:
    """Scores and choices stay, as numbers that nobody's words belong to any more."""
    answers = Answer.objects.filter(item=item)
    answers.filter(known=True).update(text=ERASED)
    answers.update(note="")
    Verdict.objects.filter(item=item).update(reason="", note="")
    # A criterion may have been made for this very case; numbered by its row it stays unique in its verdict.
    axis = Concat(Value("#"), Cast(F("pk"), output_field=Part._meta.get_field("axis")))
    Part.objects.filter(verdict__item=item).update(label="", reason="", axis=axis)
