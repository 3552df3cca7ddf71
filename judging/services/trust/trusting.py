"""All that a lead decides by whether one judge may stand in for people, made once for each state of the project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max

from annotate.models import Job, Project
from judging.models import Author, Ballot, Judge
from judging.services.comparing_raters.material import Material, Somebody, figure_of
from judging.services.rating_release.grounds import ground_digest
from judging.services.ratings import PREFERENCE, SCORE, Today
from judging.services.remembering import remembered
from judging.services.trust.biases import BiasCard, cards, leniency
from judging.services.trust.erring import Erring, erring
from judging.services.trust.grounds import Grounds
from judging.services.trust.means import behind_means, corrected_means, is_without_tasks, table_of
from judging.services.trust.places import seen
from judging.services.trust.rows import family_of, key_of, rows, written
from judging.services.trust.tables import Rated, coded, rated
from lib.stats.alternative_annotator import EPSILON, Result, alternative_annotator_test
from lib.stats.averages import columns
from lib.stats.calibration import Calibration, calibration
from lib.stats.prediction_powered import Row as Corrected

EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2)
VERSION = 5  # of the shapes that are kept


@dataclass(frozen=True)
class Tested:
    """One judge's test. result.people are in the order of `raters`; units: behind each of them."""

    judge: Somebody
    result: Result
    raters: Sequence[Somebody]
    units: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Trust:
    """tests: of every judge, the best average advantage first. corrected: best corrected mean first; columns: of its
    averages; together: tasks are not told apart in them. behind: key of a number -> its units, or answers. drawn:
    whether all of people's votes come of drawn studies. family: of the judge, "" where nobody has said. sha256: of a
    release of all this, by whether people are called by numbers in it; empty where it was counted from one.
    """

    what: str
    judge: Judge
    epsilon: float
    tests: Sequence[Tested]
    columns: Sequence[str]
    corrected: Sequence[Corrected]
    together: bool
    calibrated: Calibration
    cards: Sequence[BiasCard]
    leniency: Sequence[BiasCard]
    erring: Erring
    behind: Mapping[str, Sequence[str]]
    drawn: bool
    family: str
    sha256: Mapping[bool, str] = field(default_factory=dict)


def trust(
    project: Project, given: Material, judge: Judge, *, epsilon: float = EPSILON, today: Today | None = None
) -> Trust:
    """given: the project's votes and verdicts of one sort; today: that they were read with, where it is at hand.

    Read anew where anything has changed, else remembered.
    """
    also = _also(project)
    state = f"{VERSION}:{given.state}:{_digest(also)}:{judge.pk}:{epsilon}"

    def made() -> Trust:
        found = grounds_of(today or Today(project), given, judge, _drawn(also))
        sha256 = {blind: ground_digest(found, pseudonyms=blind) for blind in (False, True)}
        return replace(weighed(found, epsilon), sha256=sha256)

    return remembered("trust", state, made)


def grounds(project: Project, given: Material, judge: Judge, today: Today) -> Grounds:
    """What the numbers are made of."""
    return grounds_of(today, given, judge, _drawn(_also(project)))


def _also(project: Project) -> list[tuple[Any, ...]]:
    """What these numbers are made of beside the material, in one query: names and families of authors; beside each of
    them the same: the newest call that failed, how many failed, whether votes come from elsewhere than a study."""
    failed = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED)
    imported = Exists(Ballot.objects.filter(first__item__project=project, study=None))
    authors = Author.objects.filter(project=project).order_by("pk")
    found = authors.annotate(
        newest=figure_of(failed, Max("ended_at")), n=figure_of(failed, Count("pk")), files=imported
    )
    return list(found.values_list("pk", "name", "family", "newest", "n", "files"))


def _digest(also: Sequence[tuple[Any, ...]]) -> str:
    return sha256(repr(also).encode("utf-8", "surrogatepass")).hexdigest()


def _drawn(also: Sequence[tuple[Any, ...]]) -> bool:
    return not any(from_files for *_author, from_files in also)


def grounds_of(today: Today, given: Material, judge: Judge, drawn: bool) -> Grounds:
    """Four queries at most beside those of `today`."""
    answers, what = written(today.project), given.subject.slug
    scored = rows(given, judge, answers, today, _top(today.project) if what == SCORE else 0)
    pairs = seen(given, judge) if what == PREFERENCE else None
    return Grounds(given, judge, scored, family_of(judge, answers.values()), pairs, drawn)


def weighed(grounds: Grounds, epsilon: float) -> Trust:
    """All numbers of the page. Pure."""
    given, judge, scored = grounds.given, grounds.judge, grounds.scored
    found = rated(given)
    table, once = table_of(grounds), [row for row in scored if row.first]
    tests = sorted(_tests(given, found, epsilon), key=_best_first)
    corrected = corrected_means(table)
    calibrated = calibration(*(np.array([getattr(row, side) for row in once]) for side in ("judged", "said")))
    biases = cards(given.subject.slug, grounds.seen, scored, grounds.family)
    lenient, errs = list(leniency(given, found)), erring(coded(found))
    behind = {
        **{f"test-{each.judge.key}-{who.key}": units for each in tests for who, units in _behind_test(each)},
        **{f"tested-{each.judge.key}": _tested(each) for each in tests},
        **behind_means(scored, table),
        **{f"bin-{at}": [once[place].unit for place in each.units] for at, each in enumerate(calibrated.bins)},
        "calibration": [row.unit for row in once if not np.isnan(row.said + row.judged)],
        **{f"card-{card.named}": card.units for card in biases},
        **{f"leaning-{card.named}": card.leaning for card in biases},
        **{f"lenient-{card.rater}": card.units for card in lenient},
        **{f"lenient-leaning-{card.rater}": card.leaning for card in lenient},
        **{f"errs-{each.rater}": each.differing for each in errs.raters},
        **{f"rated-{each.rater}": each.units for each in errs.raters},
    }
    return Trust(
        what=given.subject.slug,
        judge=judge,
        epsilon=epsilon,
        tests=tests,
        columns=columns(table.cells),
        corrected=corrected,
        together=is_without_tasks(table, scored),
        calibrated=calibrated,
        cards=biases,
        leniency=lenient,
        erring=errs,
        behind=behind,
        drawn=grounds.drawn,
        family=grounds.family,
    )


def _tests(given: Material, found: Rated, epsilon: float) -> list[Tested]:
    alignment = "distance" if given.subject.slug == SCORE else "match"
    people = found.of(*(one.key for one in given.people))
    made = []
    for judge in given.judges:
        result = alternative_annotator_test(people, found.of(judge.key)[:, 0], alignment=alignment, epsilon=epsilon)
        units = [[found.units[at] for at in each.units] for each in result.people]
        made.append(Tested(judge, result, given.people, units))
    return made


def _best_first(each: Tested) -> tuple[float, str]:
    return -(each.result.advantage.value or 0.0), each.judge.name


def _behind_test(each: Tested) -> list[tuple[Somebody, Sequence[str]]]:
    return list(zip(each.raters, each.units, strict=True))


def _tested(each: Tested) -> list[str]:
    """Of all people who could be tested; that of a person is open too where that person could not."""
    counted = [units for one, units in zip(each.result.people, each.units, strict=True) if one.wins is not None]
    return list(dict.fromkeys(unit for units in counted for unit in units))


def _top(project: Project) -> int:
    """The best score that people can give; of several studies with different ones the largest."""
    of_votes = Project.objects.filter(items__ballot__first__item__project=project).distinct()
    tops = [each.kind_options.scale for each in of_votes if each.kind.voted == SCORE]
    return max(tops, default=5)


def key(judge: Judge) -> str:
    return key_of(judge)
