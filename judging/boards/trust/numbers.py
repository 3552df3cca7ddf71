"""Numbers of trust: corrected means of authors, tests of all judges, and the units behind each number.

An author's mean by a judge is corrected by people's labels. Everything about one judge that a lead needs to decide
whether it can replace people is computed together and cached for each state of the project.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max

from annotate.models import Job, Project
from judging.boards.trust.biases import (
    ByAuthor,
    ErrorModel,
    JudgeBiasCard,
    by_author,
    cards,
    coded,
    error_model,
    leniency,
    rated,
)
from judging.boards.trust.judge_tests import Tested, tests_of_judges
from judging.cache import cached
from judging.models import Author, Ballot, Judge
from judging.ratings.grounds import (
    Grounds,
    answers_of,
    family_of,
    key_of,
    ordered_choices,
    rows,
    similar_answers,
)
from judging.ratings.grounds import ScoredSide as Scored
from judging.ratings.tables import UnitTable, figure_of
from judging.ratings.trust_rows import ground_digest
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, AnswerUnit, Today, Unit
from lib.stats.alternative_annotator import EPSILON
from lib.stats.averages import AverageCell, columns
from lib.stats.calibration import Calibration, calibration
from lib.stats.figures import BY_DEGREES, bounded
from lib.stats.prediction_powered import FEWEST_IN_A_TASK, FEWEST_LABELS, LabelledRow, corrected_leaderboard
from lib.stats.prediction_powered import LabelledRow as Corrected

SHARES = (0.0, 1.0)


def table_of(grounds: Grounds) -> ByAuthor:
    """Scores by task, as checklists are published.

    Groups of other votes are tasks if each has enough labels. If one has not, groups are ignored, provided that
    everything is labelled or was not drawn by a study, which may have drawn more of a small group than of a large one.
    """
    table = by_author(grounds.scored)
    if grounds.given.subject.slug == CHECKLIST or not _is_thin(table):
        return table
    return _without_tasks(table) if _is_labelled_whole(table) or not grounds.drawn else table


def is_without_tasks(table: ByAuthor, scored: Sequence[Scored]) -> bool:
    return len(table.cells) == 1 < len({row.cell for row in scored})


def corrected_means(table: ByAuthor) -> list[LabelledRow]:
    """Best first."""
    if not table.authors:
        return []
    leaderboard = corrected_leaderboard(table.authors, table.said, table.judged, table.cell, table.cells)
    return sorted((_on_scale(row) for row in leaderboard), key=lambda row: (-_mean(row), row.author))


def _on_scale(row: LabelledRow) -> LabelledRow:
    """Clip the row to 0..1: scores are shares, so means and interval ends cannot lie outside."""
    columns = {
        column: replace(
            mean,
            corrected=bounded(mean.corrected, SHARES),
            labelled_only=bounded(mean.labelled_only, SHARES),
            judged_only=bounded(mean.judged_only, SHARES),
        )
        for column, mean in row.columns.items()
    }
    return replace(row, columns=columns)


def behind_means(scored: Sequence[Scored], table: ByAuthor) -> dict[str, list[Unit]]:
    """For each author, by alphabetical index: the units with labels and a verdict, and those with a verdict."""
    units_by_key: dict[str, list[Unit]] = {}
    for number, author in enumerate(table.authors):
        judged = [row for row in scored if row.answer.author == author and not np.isnan(row.judged)]
        units_by_key[f"judged-{number}"] = [row.unit for row in judged]
        units_by_key[f"labelled-{number}"] = [row.unit for row in judged if not np.isnan(row.said)]
    return units_by_key


def _is_thin(table: ByAuthor) -> bool:
    """Whether an author with enough labels has a task with too few of them to correct its mean."""
    judged = ~np.isnan(table.judged)
    both = judged & ~np.isnan(table.said)
    for judged_mask, labelled in zip(judged, both, strict=True):
        by_task = np.bincount(table.cell[labelled], minlength=len(table.cells))
        if labelled.sum() >= FEWEST_LABELS and by_task[table.cell[judged_mask]].min() < FEWEST_IN_A_TASK:
            return True
    return False


def _is_labelled_whole(table: ByAuthor) -> bool:
    return not (np.isnan(table.said) & ~np.isnan(table.judged)).any()


def _without_tasks(table: ByAuthor) -> ByAuthor:
    return replace(table, cell=np.zeros_like(table.cell), cells=[AverageCell("", "")])


def _mean(row: LabelledRow) -> float:
    overall = row.columns["overall"]
    value = overall.corrected.value
    return (overall.judged_only.value or 0.0) if value is None else value


# All numbers about one judge, cached for each state of the project.


EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2)


@dataclass(frozen=True)
class Trust:
    """tests: of every judge, the best average advantage first. corrected: best corrected mean first; columns: of its
    averages; together: they do not distinguish tasks. behind: key of a number -> its units, or answers. drawn: whether
    all votes of people come from drawn studies. family: of the judge, "" if unknown. sha256: of a release of all this,
    by whether people appear under numbers in it; empty if the numbers were computed from a release.
    """

    what: str
    judge: Judge
    epsilon: float
    tests: Sequence[Tested]
    columns: Sequence[str]
    corrected: Sequence[Corrected]
    together: bool
    calibrated: Calibration
    cards: Sequence[JudgeBiasCard]
    leniency: Sequence[JudgeBiasCard]
    erring: ErrorModel
    behind: Mapping[str, Sequence[Unit]]
    drawn: bool
    family: str
    sha256: Mapping[bool, str] = field(default_factory=dict)


def trust(
    project: Project, material: UnitTable, judge: Judge, *, epsilon: float = EPSILON, today: Today | None = None
) -> Trust:
    """material: the project's votes and verdicts of one kind; today: the one they were read with, if at hand.

    Cached until something changes.
    """
    also = _also(project)
    state = f"{material.state}:{_digest(also)}:{judge.pk}:{epsilon}"

    def made() -> Trust:
        current_grounds = grounds_of(today or Today(project), material, judge, _is_resampled(also))
        sha256 = {blind: ground_digest(current_grounds, pseudonyms=blind) for blind in (False, True)}
        return replace(weigh_judges(current_grounds, epsilon), sha256=sha256)

    return cached("trust", state, made)


def grounds(project: Project, material: UnitTable, judge: Judge, today: Today) -> Grounds:
    """The data from which the numbers are computed."""
    return grounds_of(today, material, judge, _is_resampled(_also(project)))


def _also(project: Project) -> list[tuple[Any, ...]]:
    """Further data of these numbers besides the material, in one query: names and families of authors; each row also
    repeats the newest failed call, the number of failed calls, and whether votes come from outside a study."""
    failed = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED)
    imported = Exists(Ballot.objects.filter(first__item__project=project, study=None))
    authors = Author.objects.filter(project=project).order_by("pk")
    author_rows = authors.annotate(
        newest=figure_of(failed, Max("ended_at")), n=figure_of(failed, Count("pk")), files=imported
    )
    return list(author_rows.values_list("pk", "name", "family", "newest", "n", "files"))


def _digest(also: Sequence[tuple[Any, ...]]) -> str:
    return sha256(repr(also).encode("utf-8", "surrogatepass")).hexdigest()


def _is_resampled(also: Sequence[tuple[Any, ...]]) -> bool:
    return not any(from_files for *_author, from_files in also)


def grounds_of(today: Today, material: UnitTable, judge: Judge, is_drawn: bool) -> Grounds:
    """The same with `today` given: four queries at most besides those of `today`."""
    answers, subject = answers_of(today.project), material.subject.slug
    scored = rows(material, judge, answers, today, _top(today.project) if subject == SCORE else 0)
    pairs = ordered_choices(material, judge) if subject == PREFERENCE else None
    family = family_of(judge, answers.values())
    return Grounds(material, judge, scored, family, pairs, is_drawn, similar_answers(material, today))


def weigh_judges(grounds: Grounds, epsilon: float) -> Trust:
    """All numbers of the page. Pure."""
    material, judge, scored = grounds.given, grounds.judge, grounds.scored
    ratings = rated(material)
    table, once = table_of(grounds), [row for row in scored if row.first]
    tests = tests_of_judges(grounds, ratings, epsilon)
    corrected = corrected_means(table)
    calibrated = calibration(*(np.array([getattr(row, side) for row in once]) for side in ("judged", "said")))
    biases = [] if material.subject.question else cards(material.subject.slug, grounds.seen, scored, grounds.family)
    lenient = list(leniency(material, ratings))
    errs = ErrorModel(note=BY_DEGREES) if material.subject.graded else error_model(coded(ratings))
    units_by_key = {
        **{f"test-{test.judge.key}-{who.key}": units for test in tests for who, units in test.behind},
        **{f"tested-{test.judge.key}": test.tested for test in tests},
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


def _top(project: Project) -> int:
    """The highest score that people can give; the largest one if studies differ."""
    of_votes = Project.objects.filter(items__ballot__first__item__project=project).distinct()
    tops = [vote_project.kind_options.scale for vote_project in of_votes if vote_project.kind.voted == SCORE]
    return max(tops, default=5)


def key(judge: Judge) -> str:
    return key_of(judge)


# Drill-down: from what a number is made of to the units that can be opened.


def units_of(material: UnitTable, units_behind: Sequence[Unit]) -> list[Unit]:
    """Rated units by item. A whole answer that nobody has rated as such stands for its questions and criteria.

    An answer that nobody has rated, because its judging failed without a verdict, has no unit.
    """
    parts: dict[Unit, list[Unit]] = defaultdict(list)
    for unit in material.said:
        if isinstance(unit, AnswerUnit):
            parts[AnswerUnit(unit.answer)].append(unit)
    units = [
        part for unit in dict.fromkeys(units_behind) for part in ([unit] if unit in material.said else parts[unit])
    ]
    return sorted(units, key=lambda unit: (material.item(unit), str(unit)))
