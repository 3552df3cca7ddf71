"""One label for each unit: what most people said, and what a judge said first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from judging.formats.base import UNREADABLE_IS_A_TIE
from judging.models import Judge
from judging.services.ratings.base import CHECKLIST, Rater, Rating
from lib.stats.labels import majority

TIE = "tie"
UNREADABLE = "unreadable"
WORDS = {1.0: "met", 0.0: "not met"}
Label = float | str | None


def first_said(ratings: Iterable[Rating]) -> dict[tuple[Rater, str], Rating]:
    """(rater, unit) -> one rating: where somebody was asked several times, the first time and the first order."""
    found: dict[tuple[Rater, str], Rating] = {}
    for one in ratings:
        before = found.get((one.rater, one.unit))
        if before is None or (one.repeat, _turned(one)) < (before.repeat, _turned(before)):
            found[one.rater, one.unit] = one
    return found


def _turned(one: Rating) -> bool:
    """People see a pair once, in whatever order; only judges are asked again the other way round."""
    return one.swapped and one.rater.sort == "judge"


def votes(ratings: Iterable[Rating]) -> dict[str, list[Label]]:
    """unit -> what people said of it, without those who could not tell."""
    found: dict[str, list[Label]] = defaultdict(list)
    for (rater, unit), one in first_said(ratings).items():
        if rater.sort == "person" and one.value is not None:
            found[unit].append(one.value)
    return found


def majorities(ratings: Iterable[Rating], what: str) -> dict[str, str | None]:
    """unit -> what more people said than anything else; None where they are split."""
    return {unit: majority(word(value, what) for value in given) for unit, given in votes(ratings).items()}


def word(value: Label, what: str) -> str | None:
    """A value as a label."""
    if value is None or isinstance(value, str):
        return value
    return WORDS[value] if what == CHECKLIST else f"{value:g}"


def counted_as_ties(raters: Iterable[Rater]) -> frozenset[int]:
    """The judges whose published figures take what could not be read as a tie. One query."""
    judges = Judge.objects.filter(pk__in={rater.pk for rater in raters if rater.sort == "judge"})
    return frozenset(judges.filter(variant__contains=UNREADABLE_IS_A_TIE).values_list("pk", flat=True))


def unreadable(ratings: Iterable[Rating]) -> Mapping[Rater, int]:
    """rater -> how many of their ratings have no value."""
    return Counter(one.rater for one in ratings if one.value is None)
