"""What a person's vote and a judge's verdict have in common: a unit, a rater, a value."""

from dataclasses import dataclass

CHECKLIST, SCORE, PREFERENCE = "checklist", "score", "preference"
WHAT = CHECKLIST, SCORE, PREFERENCE


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody or something that rates. sort: `person` or `judge`; pk: of the account or the judge, None for a person
    of a file; name: as reports show it, which is unique among the raters of a project."""

    sort: str
    name: str
    pk: int | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """One value of one rater for one unit.

    unit: what is rated, the same for everybody: `answer/12/3` (question 3 of a checklist about answer 12),
    `answer/12` or `answer/12/Clarity` (a score, of one criterion), `pair/12/13` (the smaller number first).
    value: 1.0 or 0.0 for a question that is met or not; a score; `first`, `second`, `tie`, `both_bad` for a pair, as
    the unit names its two; None where the rater could not tell or nothing could be read.
    swapped: a judge's verdict, or a person's vote, on the pair shown the other way round; repeat: 1, 2, …
    recognised: a person's vote, by somebody who believes to know whose answer it is.
    item: of the judged project. source: the vote's annotation or the verdict, for whoever opens the number.
    """

    unit: str
    rater: Rater
    value: float | str | None
    item: int
    axis: str = ""
    swapped: bool = False
    repeat: int = 1
    source: int = 0
    recognised: bool = False
