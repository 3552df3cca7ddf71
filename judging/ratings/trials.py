"""Data for trying a judge's prompt: the authors of the answers, and people's votes on them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _

from annotate.models import Project
from judging.models import Answer
from judging.ratings.raters import of_items, of_people
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, AnswerUnit, PairUnit, Rating, Unit, parse_unit
from judging.strategies.orders import OTHER, OrderJudgements, word_of
from judging.strategies.strategy import Opinion

AS_VOTED = {"both_good": "tie"}  # people say "equal" for what a judge may call "both good"


@dataclass
class PeoplesVotes:
    """People's votes on one subject.

    choices: for a pair, as the subject names its two. questions: number -> whether it is met. scores: by criterion.
    """

    choices: list[str] = field(default_factory=list)
    questions: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def text(self) -> str:
        parts = [self._preferred()] if self.choices else []
        parts += [self._met(number, met) for number, met in sorted(self.questions.items(), key=_number)]
        parts += [self._mean(name, scores) for name, scores in self.scores.items()]
        return "; ".join(parts)

    @staticmethod
    def _mean(name: str, scores: Sequence[float]) -> str:
        values = {"name": name, "score": f"{fmean(scores):.3g}", "n": len(scores)}
        return _("%(name)s %(score)s (mean of %(n)d)") % values

    def _preferred(self) -> str:
        (choice, n), *_others = Counter(self.choices).most_common()
        return _("%(what)s (%(n)d of %(all)d)") % {"what": word_of(choice), "n": n, "all": len(self.choices)}

    @staticmethod
    def _met(number: str, met: Sequence[bool]) -> str:
        word = _("Yes") if _majority(met) else _("No")
        n = sum(is_met == _majority(met) for is_met in met)
        return _("%(number)s. %(what)s (%(n)d of %(all)d)") % {"number": number, "what": word, "n": n, "all": len(met)}

    def agrees(self, outcome: Any) -> bool | None:
        """Whether every opinion of the outcome is the majority's; None if nothing can be compared.

        Scores are not compared: the scales of people and judge need not be the same.
        """
        opinions = [judgement.said for judgement in outcome.each] if isinstance(outcome, OrderJudgements) else []
        matches = [self._same(opinion) for opinion in opinions if isinstance(opinion, Opinion)]
        known_matches = [same for same in matches if same is not None]
        return all(known_matches) if known_matches and len(matches) == len(opinions) else None

    def _same(self, opinion: Opinion) -> bool | None:
        if self.choices:
            preference = opinion.preferred
            return (
                AS_VOTED.get(preference, preference) == Counter(self.choices).most_common(1)[0][0]
                if preference
                else None
            )
        met = {piece.axis: piece.score_first > 0 for piece in opinion.pieces if piece.score_first is not None}
        shared = [met[number] == _majority(answers) for number, answers in self.questions.items() if number in met]
        return all(shared) if shared else None


def _number(item: tuple[str, Any]) -> int:
    return int(item[0])


def _majority(met: Sequence[bool]) -> bool:
    return sum(met) * 2 > len(met)


def peoples_votes(project: Project, subjects: Sequence[str]) -> dict[str, PeoplesVotes]:
    """subject -> people's votes, without subjects that nobody has voted on. A few queries."""
    subject_by_unit = {_unit(subject): subject for subject in subjects}
    opinions: dict[str, PeoplesVotes] = {}
    if any(isinstance(unit, PairUnit) for unit in subject_by_unit):
        votes = list(of_people(project, PREFERENCE))
        for rating in [*votes, *of_items(project, PREFERENCE, {vote.unit for vote in votes})]:
            if rating.unit in subject_by_unit and isinstance(rating.value, str):
                turned = subject_by_unit[rating.unit] != str(rating.unit)
                choice = OTHER.get(rating.value, rating.value) if turned else rating.value
                opinions.setdefault(subject_by_unit[rating.unit], PeoplesVotes()).choices.append(choice)
    if any(isinstance(unit, AnswerUnit) for unit in subject_by_unit):
        for rating in of_people(project, CHECKLIST):
            _add(rating, subject_by_unit, opinions, is_score=False)
        for rating in of_people(project, SCORE):
            _add(rating, subject_by_unit, opinions, is_score=True)
    return opinions


def _add(
    rating: Rating, subject_by_unit: Mapping[Unit, str], opinions: dict[str, PeoplesVotes], *, is_score: bool
) -> None:
    unit = rating.unit
    subject = subject_by_unit.get(AnswerUnit(unit.answer)) if isinstance(unit, AnswerUnit) else None
    if subject is None or not isinstance(rating.value, float):
        return
    opinion, axis = opinions.setdefault(subject, PeoplesVotes()), unit.axis
    if is_score:
        opinion.scores[axis or _("Score")].append(rating.value)
    elif axis:
        opinion.questions[axis].append(rating.value > 0)


def _unit(subject: str) -> Unit:
    """The unit as ratings name it: for a pair, the smaller number first."""
    unit = parse_unit(subject)
    return PairUnit.of(unit.first, unit.second) if isinstance(unit, PairUnit) else unit


def names_of(subjects: Sequence[str]) -> dict[str, str]:
    """subject -> the authors of its answers. One query."""
    ids = {subject: parse_unit(subject).answers for subject in subjects}
    answers = Answer.objects.filter(pk__in={pk for pks in ids.values() for pk in pks}).select_related("author")
    name_by_answer = {
        answer.pk: answer.author.name + (f" #{answer.sample}" if answer.sample > 1 else "")
        for answer in answers.defer("text")
    }
    return {subject: " – ".join(name_by_answer.get(pk, "?") for pk in pks) for subject, pks in ids.items()}
