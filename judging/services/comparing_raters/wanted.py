"""What somebody wants compared: the coefficient, the level of measurement, the division, how many draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.services.comparing_raters.subjects import Subject
from judging.services.ratings import CHECKLIST, SCORE
from lib.stats.agreement import LEVELS, RESAMPLES, SEED, Level
from lib.stats.agreement.names import NAMES, OF_NUMBERS

COSTLY = 40_000  # pairs of raters × units, from which a first look has no intervals of means over pairs
HOPELESS = 2_000_000  # from which there are none at all, and no slices
USUAL: Mapping[bool, str] = {False: "cohen_kappa", True: "weighted_kappa"}

GROUP, LANGUAGE, AUTHOR, AXIS, PERSON, STRATEGY = "group", "language", "author", "axis", "person", "strategy"
DIVISIONS: Mapping[str, str | Promise] = {
    GROUP: _("Group"),
    LANGUAGE: _("Language"),
    AUTHOR: _("Author"),
    AXIS: _("Question or criterion"),
    PERSON: _("Person"),
    STRATEGY: _("Way of asking"),
}


@dataclass(frozen=True)
class Wanted:
    """by: one of DIVISIONS. draws: 0 leaves intervals out, -1 is as many as a page can wait for; seed: of them."""

    coefficient: str
    level: Level
    by: str
    draws: int = RESAMPLES
    seed: int = SEED


def coefficients_of(subject: Subject) -> Sequence[str]:
    """Those that have a value for such ratings: labels have no distance."""
    numbers = subject.scored or subject.what == CHECKLIST
    return [name for name in NAMES if numbers or name not in OF_NUMBERS]


def levels_of(subject: Subject) -> Sequence[Level]:
    return LEVELS if subject.scored else (subject.level,)


def divisions_of(subject: Subject) -> Sequence[str]:
    """Fields have no authors; only questions and criteria differ within a unit's answer."""
    if subject.field:
        return (GROUP, LANGUAGE, PERSON, AXIS) if subject.what in (CHECKLIST, SCORE) else (GROUP, LANGUAGE, PERSON)
    return tuple(by for by in DIVISIONS if by != AXIS or subject.what in (CHECKLIST, SCORE))


def wanted(
    subject: Subject, *, coefficient: str = "", level: str = "", by: str = "", all_draws: bool = False
) -> Wanted:
    """Words that there are not fall back to the usual ones. all_draws: as many as it takes, however long."""
    levels = levels_of(subject)
    return Wanted(
        coefficient if coefficient in coefficients_of(subject) else USUAL[subject.scored],
        next((known_level for known_level in levels if known_level == level), subject.level),
        by if by in divisions_of(subject) else GROUP,
        RESAMPLES if all_draws else -1,
    )
