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
    project: Project, material: Material, judge: Judge, *, epsilon: float = EPSILON, today: Today | None = None
) -> Trust:
    """material: the project's votes and verdicts of one sort; today: that they were read with, where it is at hand.

    Read anew where anything has changed, else remembered.
    """
    also = _also(project)
    state = f"{VERSION}:{material.state}:{_digest(also)}:{judge.pk}:{epsilon}"

    def made() -> Trust:
        current_grounds = grounds_of(today or Today(project), material, judge, _drawn(also))
        sha256 = {blind: ground_digest(current_grounds, pseudonyms=blind) for blind in (False, True)}
        return replace(weighed(current_grounds, epsilon), sha256=sha256)

    return remembered("trust", state, made)


def grounds(project: Project, material: Material, judge: Judge, today: Today) -> Grounds:
    """What the numbers are made of."""
    return grounds_of(today, material, judge, _drawn(_also(project)))


def _also(project: Project) -> list[tuple[Any, ...]]:
    """What these numbers are made of beside the material, in one query: names and families of authors; beside each of
    them the same: the newest call that failed, how many failed, whether votes come from elsewhere than a study."""
    failed = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED)
    imported = Exists(Ballot.objects.filter(first__item__project=project, study=None))
    authors = Author.objects.filter(project=project).order_by("pk")
    author_rows = authors.annotate(
        newest=figure_of(failed, Max("ended_at")), n=figure_of(failed, Count("pk")), files=imported
    )
    return list(author_rows.values_list("pk", "name", "family", "newest", "n", "files"))


def _digest(also: Sequence[tuple[Any, ...]]) -> str:
    return sha256(repr(also).encode("utf-8", "surrogatepass")).hexdigest()


def _drawn(also: Sequence[tuple[Any, ...]]) -> bool:
    return not any(from_files for *_author, from_files in also)


def grounds_of(today: Today, material: Material, judge: Judge, is_drawn: bool) -> Grounds:
    """Four queries at most beside those of `today`."""
    answers, subject = written(today.project), material.subject.slug
    scored = rows(material, judge, answers, today, _top(today.project) if subject == SCORE else 0)
    pairs = seen(material, judge) if subject == PREFERENCE else None
    return Grounds(material, judge, scored, family_of(judge, answers.values()), pairs, is_drawn)


def weighed(grounds: Grounds, epsilon: float) -> Trust:
    """All numbers of the page. Pure."""
    material, judge, scored = grounds.given, grounds.judge, grounds.scored
    ratings = rated(material)
    table, once = table_of(grounds), [row for row in scored if row.first]
    tests = sorted(_tests(material, ratings, epsilon), key=_best_first)
    corrected = corrected_means(table)
    calibrated = calibration(*(np.array([getattr(row, side) for row in once]) for side in ("judged", "said")))
    biases = cards(material.subject.slug, grounds.seen, scored, grounds.family)
    lenient, errs = list(leniency(material, ratings)), erring(coded(ratings))
    units_by_key = {
        **{f"test-{test.judge.key}-{who.key}": units for test in tests for who, units in _behind_test(test)},
        **{f"tested-{test.judge.key}": _tested(test) for test in tests},
        **behind_means(scored, table),
        **{
            f"bin-{number}": [once[index].unit for index in score_bin.units]
            for number, score_bin in enumerate(calibrated.bins)
        },
        "calibration": [row.unit for row in once if not np.isnan(row.said + row.judged)],
        **{f"card-{card.named}": card.units for card in biases},
        **{f"leaning-{card.named}": card.leaning for card in biases},
        **{f"lenient-{card.rater}": card.units for card in lenient},
        **{f"lenient-leaning-{card.rater}": card.leaning for card in lenient},
        **{f"errs-{rater.rater}": rater.differing for rater in errs.raters},
        **{f"rated-{rater.rater}": rater.units for rater in errs.raters},
    }
    return Trust(
        what=material.subject.slug,
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
        behind=units_by_key,
        drawn=grounds.drawn,
        family=grounds.family,
    )


def _tests(material: Material, ratings: Rated, epsilon: float) -> list[Tested]:
    alignment = "distance" if material.subject.slug == SCORE else "match"
    people = ratings.of(*(person.key for person in material.people))
    tests = []
    for judge in material.judges:
        result = alternative_annotator_test(people, ratings.of(judge.key)[:, 0], alignment=alignment, epsilon=epsilon)
        units = [[ratings.units[index] for index in person.units] for person in result.people]
        tests.append(Tested(judge, result, material.people, units))
    return tests


def _best_first(test: Tested) -> tuple[float, str]:
    return -(test.result.advantage.value or 0.0), test.judge.name


def _behind_test(test: Tested) -> list[tuple[Somebody, Sequence[str]]]:
    return list(zip(test.raters, test.units, strict=True))


def _tested(test: Tested) -> list[str]:
    """Of all people who could be tested; that of a person is open too where that person could not."""
    counted = [units for person, units in zip(test.result.people, test.units, strict=True) if person.wins is not None]
    return list(dict.fromkeys(unit for units in counted for unit in units))


def _top(project: Project) -> int:
    """The best score that people can give; of several studies with different ones the largest."""
    of_votes = Project.objects.filter(items__ballot__first__item__project=project).distinct()
    tops = [vote_project.kind_options.scale for vote_project in of_votes if vote_project.kind.voted == SCORE]
    return max(tops, default=5)


def key(judge: Judge) -> str:
    return key_of(judge)
