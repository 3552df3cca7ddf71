"""What a page shows of answers on which a judge's prompt is tried: whose they are, and what people said of them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _

from annotate.models import Project
from judging.models import Answer
from judging.services.ratings import CHECKLIST, PREFERENCE, SCORE, Rating
from judging.services.ratings.items import of_items
from judging.services.ratings.people import of_people
from judging.strategies.base import Opinion
from judging.strategies.orders import OTHER, Judgements, word_of

AS_VOTED = {"both_good": "tie"}  # people say equal where a judge may say that both are good


@dataclass
class PeopleSaid:
    """What people said of one subject.

    choices: of a pair, as the subject names its two. questions: number -> whether it is met. scores: by criterion.
    """

    choices: list[str] = field(default_factory=list)
    questions: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def text(self) -> str:
        told = [self._preferred()] if self.choices else []
        told += [self._met(number, met) for number, met in sorted(self.questions.items(), key=_number)]
        told += [self._mean(name, given) for name, given in self.scores.items()]
        return "; ".join(told)

    @staticmethod
    def _mean(name: str, given: Sequence[float]) -> str:
        values = {"name": name, "score": f"{fmean(given):.3g}", "n": len(given)}
        return _("%(name)s %(score)s (mean of %(n)d)") % values

    def _preferred(self) -> str:
        (choice, n), *_others = Counter(self.choices).most_common()
        return _("%(what)s (%(n)d of %(all)d)") % {"what": word_of(choice), "n": n, "all": len(self.choices)}

    @staticmethod
    def _met(number: str, met: Sequence[bool]) -> str:
        word = _("Yes") if _majority(met) else _("No")
        n = sum(one == _majority(met) for one in met)
        return _("%(number)s. %(what)s (%(n)d of %(all)d)") % {"number": number, "what": word, "n": n, "all": len(met)}

    def agrees(self, outcome: Any) -> bool | None:
        """Whether every opinion of the outcome is the majority's; None where nothing can be compared.

        Scores are not compared: the scales of people and judge need not be the same.
        """
        opinions = [one.said for one in outcome.each] if isinstance(outcome, Judgements) else []
        found = [self._same(said) for said in opinions if isinstance(said, Opinion)]
        known = [same for same in found if same is not None]
        return all(known) if known and len(found) == len(opinions) else None

    def _same(self, said: Opinion) -> bool | None:
        if self.choices:
            chosen = said.preferred
            return AS_VOTED.get(chosen, chosen) == Counter(self.choices).most_common(1)[0][0] if chosen else None
        met = {piece.axis: piece.score_first > 0 for piece in said.pieces if piece.score_first is not None}
        shared = [met[number] == _majority(given) for number, given in self.questions.items() if number in met]
        return all(shared) if shared else None


def _number(item: tuple[str, Any]) -> int:
    return int(item[0])


def _majority(met: Sequence[bool]) -> bool:
    return sum(met) * 2 > len(met)


def said_by_people(project: Project, subjects: Sequence[str]) -> dict[str, PeopleSaid]:
    """subject -> what people said of it; those of which nobody has said anything are left out. A few queries."""
    wanted = {_unit(subject): subject for subject in subjects}
    found: dict[str, PeopleSaid] = {}
    if any(unit.startswith("pair/") for unit in wanted):
        votes = list(of_people(project, PREFERENCE))
        for one in [*votes, *of_items(project, PREFERENCE, {vote.unit for vote in votes})]:
            if one.unit in wanted and isinstance(one.value, str):
                turned = wanted[one.unit] != one.unit
                choice = OTHER.get(one.value, one.value) if turned else one.value
                found.setdefault(wanted[one.unit], PeopleSaid()).choices.append(choice)
    if any(unit.startswith("answer/") for unit in wanted):
        for one in of_people(project, CHECKLIST):
            _add(one, wanted, found, is_score=False)
        for one in of_people(project, SCORE):
            _add(one, wanted, found, is_score=True)
    return found


def _add(one: Rating, wanted: Mapping[str, str], found: dict[str, PeopleSaid], *, is_score: bool) -> None:
    kind, number, *axis = one.unit.split("/", 2)
    subject = wanted.get(f"{kind}/{number}")
    if subject is None or not isinstance(one.value, float):
        return
    said = found.setdefault(subject, PeopleSaid())
    if is_score:
        said.scores[axis[0] if axis else _("Score")].append(one.value)
    elif axis:
        said.questions[axis[0]].append(one.value > 0)


def _unit(subject: str) -> str:
    """As ratings name it: of a pair the smaller number first."""
    kind, *numbers = subject.split("/")
    return "/".join([kind, *sorted(numbers, key=int)])


def names_of(subjects: Sequence[str]) -> dict[str, str]:
    """subject -> whose answers it is about. One query."""
    ids = {subject: [int(number) for number in subject.split("/")[1:]] for subject in subjects}
    answers = Answer.objects.filter(pk__in={pk for each in ids.values() for pk in each}).select_related("author")
    named = {one.pk: one.author.name + (f" #{one.sample}" if one.sample > 1 else "") for one in answers.defer("text")}
    return {subject: " – ".join(named.get(pk, "?") for pk in each) for subject, each in ids.items()}
