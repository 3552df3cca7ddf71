"""Cases by intent, by service or by rating, and by language, as the dataset's tables give them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotate.kinds.use_case.intents import NAMES
from annotate.models import Item, Project
from judging.services.intents.reading import UNKNOWN

INTENT = "intent"
FIELDS = {
    INTENT: "group",
    "service": "facts__service",
    "difficulty": "facts__difficulty",
    "satisfaction": "facts__satisfaction",
}
DIVISIONS = tuple(FIELDS)


@dataclass(frozen=True)
class CaseTable:
    """counts: (group, language) -> cases. groups: the values of one division; what nobody said is UNKNOWN.

    dropped: left out, and counted.
    """

    groups: Sequence[str]
    languages: Sequence[str]
    counts: Mapping[tuple[str, str], int]
    dropped: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def known(self) -> int:
        """Cases of which the value is known."""
        return self.total - self.of(UNKNOWN)

    def of(self, group: str = "", language: str = "") -> int:
        """Cases of a group, a language, or both."""
        return sum(
            n
            for (counted_group, spoken), n in self.counts.items()
            if group in ("", counted_group) and language in ("", spoken)
        )


def case_table(project: Project, by: str = INTENT) -> CaseTable:
    """In one query. by: one of DIVISIONS. Languages as the cases say them.

    Intents stand in the order of the paper, then others; services by their cases, most first, whatever capitals people
    wrote them with; ratings from 1 to 5; what nobody said last.
    """
    counts: dict[tuple[str, str], int] = {}
    spelled: dict[str, str] = {}
    dropped = 0
    rows = Item.objects.filter(project=project, purpose=Item.Purpose.WORK).order_by()
    counted = rows.values_list(FIELDS[by], "facts__language", "language", "state").annotate(n=Count("pk"))
    for value, case_language, language, state, n in sorted(counted, key=lambda row: (-row[4], str(row[0]))):
        if state == Item.State.DROPPED:
            dropped += n
            continue
        name = " ".join(str(value or "").split())
        group = (name if by == INTENT else spelled.setdefault(name.casefold(), name)) or UNKNOWN
        cell = group, case_language or language or UNKNOWN
        counts[cell] = counts.get(cell, 0) + n
    languages = sorted({language for _group, language in counts})
    return CaseTable(_ordered(counts, by), languages, counts, dropped)


def _ordered(counts: Mapping[tuple[str, str], int], by: str) -> list[str]:
    cases = Counter[str]()
    for (group, _language), n in counts.items():
        cases[group] += n
    if by == INTENT:
        order = {intent: index for index, intent in enumerate(NAMES)}
        return sorted(cases, key=lambda group: (order.get(group, len(order)), group))
    most_first = {group: -n if by == "service" else 0 for group, n in cases.items()}
    return sorted(cases, key=lambda group: (group == UNKNOWN, most_first[group], group))
