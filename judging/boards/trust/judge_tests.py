"""The alternative annotator test of every judge, and how similar its answers are to people's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judging.boards.trust.biases import Rated
from judging.ratings.grounds import Grounds, SimilarAnswers
from judging.ratings.tables import Somebody, UnitTable
from judging.ratings.units import Unit
from lib.stats.alternative_annotator import AnnotatorTest, annotator_test_by_similarity, annotator_test_of
from lib.stats.averages import Places
from lib.stats.leave_one_out import LeftOut, SimilarityToOthers, compared, leave_one_out, similarity_to_others


@dataclass(frozen=True)
class Tested:
    """One judge's test. result.people has the order of `raters`; units: those behind each of them.

    likeness: similarity with the other people, the mean over all, and of each of `raters`; None where answers are
    numbers, or are no answers to own questions.
    """

    judge: Somebody
    result: AnnotatorTest
    raters: Sequence[Somebody]
    units: Sequence[Sequence[Unit]]
    likeness: tuple[SimilarityToOthers, Sequence[SimilarityToOthers]] | None = None

    @property
    def likeness_by_person(self) -> list[tuple[Somebody, SimilarityToOthers]]:
        return list(zip(self.raters, self.likeness[1], strict=True)) if self.likeness else []

    @property
    def behind(self) -> list[tuple[Somebody, Sequence[Unit]]]:
        return list(zip(self.raters, self.units, strict=True))

    @property
    def tested(self) -> list[Unit]:
        """Units of all people who could be tested; a person's own units open even if that person could not be."""
        counted = [
            units for person, units in zip(self.result.people, self.units, strict=True) if person.wins is not None
        ]
        return list(dict.fromkeys(unit for units in counted for unit in units))


def tests_of_judges(grounds: Grounds, ratings: Rated, epsilon: float) -> list[Tested]:
    """The best average advantage first. Units of own questions are resampled with their item, or what belongs together.

    Numbers are compared by their distance, labels by equality, and answers to own questions by their similarity.
    """
    clusters = _clusters(grounds.given, ratings.units)
    tests = [_test(grounds, ratings, judge, epsilon, clusters) for judge in grounds.given.judges]
    return sorted(tests, key=_best_first)


def _test(grounds: Grounds, ratings: Rated, judge: Somebody, epsilon: float, clusters: Places | None) -> Tested:
    material, likeness = grounds.given, None
    if grounds.alike is None:
        result = _test_of_values(material, ratings, judge, epsilon, clusters)
    else:
        left_out = _left_out(material, grounds.alike, ratings.units, judge)
        result = annotator_test_by_similarity(left_out, epsilon=epsilon, clusters=clusters)
        likeness = similarity_to_others(left_out, clusters)
    units = [[ratings.units[index] for index in person.units] for person in result.people]
    return Tested(judge, result, material.people, units, likeness)


def _test_of_values(
    material: UnitTable, ratings: Rated, judge: Somebody, epsilon: float, clusters: Places | None
) -> AnnotatorTest:
    alignment = "distance" if material.subject.scored else "match"
    people = ratings.of(*(person.key for person in material.people))
    differences, skipped = compared(people, ratings.of(judge.key)[:, 0], alignment)
    return annotator_test_of(differences, skipped, epsilon=epsilon, clusters=clusters)


def _left_out(material: UnitTable, alike: SimilarAnswers, units: Sequence[Unit], judge: Somebody) -> LeftOut:
    numbers = {person.name: number for number, person in enumerate(material.people)}
    answers = [alike.answers.get(unit, {}) for unit in units]
    people = [{numbers[name]: answer[name] for name in answer if name in numbers} for answer in answers]
    return leave_one_out(people, [answer.get(judge.name) for answer in answers], alike.similarity, len(numbers))


def _clusters(material: UnitTable, units: Sequence[Unit]) -> Places | None:
    """The number of what each unit of an own question is resampled with; None where units stand alone."""
    if not material.subject.question:
        return None
    names = {name: number for number, name in enumerate(dict.fromkeys(material.clusters[unit] for unit in units))}
    numbers = [names[material.clusters[unit]] for unit in units]
    return np.array(numbers, dtype=np.intp) if len(names) < len(units) else None


def _best_first(test: Tested) -> tuple[float, str]:
    return -(test.result.advantage.value or 0.0), test.judge.name
