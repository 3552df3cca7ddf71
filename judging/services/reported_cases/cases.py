"""Cases by intent and language, as the dataset's table gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotate.kinds.use_case.intents import NAMES
from annotate.models import Item, Project
from judging.services.intents.reading import UNKNOWN

STATES = ("accepted", "open", "dropped")


@dataclass(frozen=True)
class CaseTable:
    """counts: (intent, language) -> cases. An intent that nobody said is UNKNOWN. dropped: left out, and counted."""

    intents: Sequence[str]
    languages: Sequence[str]
    counts: Mapping[tuple[str, str], int]
    dropped: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def of(self, intent: str = "", language: str = "") -> int:
        """Cases of an intent, a language, or both."""
        return sum(n for (one, spoken), n in self.counts.items() if intent in ("", one) and language in ("", spoken))


def case_table(project: Project) -> CaseTable:
    """In one query. Intents in the order of the paper, then others; languages as the cases say them."""
    counts: dict[tuple[str, str], int] = {}
    dropped = 0
    rows = Item.objects.filter(project=project, purpose=Item.Purpose.WORK).order_by()
    for intent, said, language, state, n in rows.values_list("group", "facts__language", "language", "state").annotate(
        n=Count("pk")
    ):
        if state == Item.State.DROPPED:
            dropped += n
            continue
        place = intent or UNKNOWN, said or language or UNKNOWN
        counts[place] = counts.get(place, 0) + n
    order = {intent: place for place, intent in enumerate(NAMES)}
    intents = sorted({intent for intent, _language in counts}, key=lambda one: (order.get(one, len(order)), one))
    return CaseTable(intents, sorted({language for _intent, language in counts}), counts, dropped)
