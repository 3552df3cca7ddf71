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
    first_ratings: dict[tuple[Rater, str], Rating] = {}
    for rating in ratings:
        previous = first_ratings.get((rating.rater, rating.unit))
        if previous is None or (rating.repeat, _turned(rating)) < (previous.repeat, _turned(previous)):
            first_ratings[rating.rater, rating.unit] = rating
    return first_ratings


def _turned(rating: Rating) -> bool:
    """People see a pair once, in whatever order; only judges are asked again the other way round."""
    return rating.swapped and rating.rater.sort == "judge"


def votes(ratings: Iterable[Rating]) -> dict[str, list[Label]]:
    """unit -> what people said of it, without those who could not tell."""
    values_by_unit: dict[str, list[Label]] = defaultdict(list)
    for (rater, unit), rating in first_said(ratings).items():
        if rater.sort == "person" and rating.value is not None:
            values_by_unit[unit].append(rating.value)
    return values_by_unit


def majorities(ratings: Iterable[Rating], rating_kind: str) -> dict[str, str | None]:
    """unit -> what more people said than anything else; None where they are split."""
    return {unit: majority(word(value, rating_kind) for value in values) for unit, values in votes(ratings).items()}


def word(value: Label, rating_kind: str) -> str | None:
    """A value as a label."""
    if value is None or isinstance(value, str):
        return value
    return WORDS[value] if rating_kind == CHECKLIST else f"{value:g}"


def counted_as_ties(raters: Iterable[Rater]) -> frozenset[int]:
    """The judges whose published figures take what could not be read as a tie. One query."""
    judges = Judge.objects.filter(pk__in={rater.pk for rater in raters if rater.sort == "judge"})
    return frozenset(judges.filter(variant__contains=UNREADABLE_IS_A_TIE).values_list("pk", flat=True))


def unreadable(ratings: Iterable[Rating]) -> Mapping[Rater, int]:
    """rater -> how many of their ratings have no value."""
    return Counter(rating.rater for rating in ratings if rating.value is None)
