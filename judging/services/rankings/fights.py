"""Preferences of people and judges as battles of two authors."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from annotate.models import Item, Project
from judging.formats.mtbench import is_order_known
from judging.models import Answer, Verdict
from judging.services.ratings import PREFERENCE, Found, Rater, Rating, ratings
from lib.stats.ranking.alike import alike
from lib.stats.ranking.battles import WINNERS as OUTCOMES
from lib.stats.ranking.battles import Battles, battles

CANNOT_TELL, UNREADABLE, SAME_AUTHOR = "cannot tell", "unreadable", "both answers of one author"
WINNERS = {"first": "left", "second": "right", "tie": "tie", "both_bad": "tie"}
OTHER_WAY_ROUND = {"left": "right", "right": "left"}


class Asked(NamedTuple):
    """A verdict. first: the answer that it names first; by_run: it was asked for here and came with no file."""

    first: int
    by_run: bool


@dataclass(frozen=True, slots=True)
class Fight:
    """What somebody preferred. answers: the two, the smaller number first; authors: theirs; winner: `left` is the first
    of them. shown: the same by the place where the answers stood when they were read. sources: votes or verdicts.
    recognised: by somebody who believes to know one of the authors. ordered: that the place is known."""

    item: int
    answers: tuple[int, int]
    authors: tuple[str, str]
    winner: str
    shown: str
    sources: tuple[int, ...]
    recognised: bool = False
    ordered: bool = True


@dataclass(frozen=True)
class Side:
    """What people together, or one judge, said. rater: None for people. skipped: reason -> what is no battle."""

    rater: Rater | None
    fights: Sequence[Fight]
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.rater.name if self.rater else "people"


def sides(project: Project, given: Found | None = None) -> list[Side]:
    """People first, where they have voted, then judges by name. given: the project's preferences where at hand.

    Each vote of a person is a battle. A judge's verdicts on one pair are one: what it says in both orders; a tie where
    the two orders differ. Of repetitions the first counts.
    """
    found = ratings(project, PREFERENCE) if given is None else given
    authors = dict(Answer.objects.filter(author__project=project).values_list("pk", "author__name"))
    verdicts = Verdict.objects.pairwise().filter(judge__project=project).values_list("pk", "first_id", "job_id")
    asked = {pk: Asked(first, job is not None) for pk, first, job in verdicts}
    unordered = without_order(project)
    by_rater: dict[Rater | None, list[Rating]] = defaultdict(list)
    for one in found:
        if one.rater.sort == "person":
            by_rater[None].append(one)
        elif one.repeat == 1:
            by_rater[one.rater].append(one)
    raters = sorted(by_rater, key=lambda rater: (rater is not None, rater.name if rater else ""))
    return [_side(rater, by_rater[rater], authors, asked, unordered) for rater in raters]


def battles_of(side: Side, fights: Iterable[Fight] | None = None) -> Battles:
    """Of these fights, or all of the side."""
    rows = list(side.fights if fights is None else fights)
    found = battles([one.authors[0] for one in rows], [one.authors[1] for one in rows], [one.winner for one in rows])
    shown = Counter(one.shown for one in rows if one.ordered)
    unordered = sum(not one.ordered for one in rows)
    skipped = dict(side.skipped) if fights is None else {}
    place = {name: number for number, name in enumerate(found.names)}
    left, right = ([place[one.authors[side]] for one in rows] for side in (0, 1))
    together = alike([one.item for one in rows], left, right, [OUTCOMES[one.winner] for one in rows])
    sided = replace(found, left_won=shown["left"], right_won=shown["right"], unordered=unordered)
    return replace(sided, skipped=skipped, alike=together)


def without_order(project: Project) -> frozenset[int]:
    """Items whose two answers are stored in an order that nobody is known to have seen. One query."""
    keys = Item.objects.filter(project=project, key__startswith="mtbench-").values_list("pk", "key")
    return frozenset(pk for pk, key in keys if not is_order_known(key))


def _side(
    rater: Rater | None,
    given: Sequence[Rating],
    authors: Mapping[int, str],
    asked: Mapping[int, Asked],
    unordered: Collection[int],
) -> Side:
    skipped: Counter[str] = Counter()
    fights = list(_fights(given, authors, asked, unordered, skipped, CANNOT_TELL if rater is None else UNREADABLE))
    return Side(rater, fights if rater is None else list(_by_pair(fights)), dict(skipped))


def _fights(
    given: Iterable[Rating],
    authors: Mapping[int, str],
    asked: Mapping[int, Asked],
    unordered: Collection[int],
    skipped: Counter[str],
    untold: str,
) -> Iterator[Fight]:
    for one in given:
        _pair, low, high = one.unit.split("/")
        answers = int(low), int(high)
        named = authors[answers[0]], authors[answers[1]]
        if one.value is None:
            skipped[untold] += 1
        elif named[0] == named[1]:
            skipped[SAME_AUTHOR] += 1
        else:
            winner = WINNERS[str(one.value)]
            shown = OTHER_WAY_ROUND.get(winner, winner) if _turned(one, answers, asked) else winner
            ordered = one.item not in unordered or _was_asked_here(one, asked)
            yield Fight(one.item, answers, named, winner, shown, (one.source,), one.recognised, ordered)


def _was_asked_here(one: Rating, asked: Mapping[int, Asked]) -> bool:
    """By an account or a run, so that the order is known; not so what came with a file."""
    return one.rater.pk is not None if one.rater.sort == "person" else asked[one.source].by_run


def _turned(one: Rating, answers: tuple[int, int], asked: Mapping[int, Asked]) -> bool:
    """Whether the answer with the larger number stood first. A person's rating says so itself; a verdict is turned
    against the order in which it names its two."""
    if one.rater.sort == "person":
        return one.swapped
    return one.swapped != (asked[one.source].first != answers[0])


def _by_pair(fights: Iterable[Fight]) -> Iterator[Fight]:
    pairs: dict[tuple[int, int], list[Fight]] = defaultdict(list)
    for one in fights:
        pairs[one.answers].append(one)
    for said in pairs.values():
        agreed = len({one.winner for one in said}) == 1
        sources = tuple(source for one in said for source in one.sources)
        # Over both orders a place wins once more than the other only where the orders differ the same way.
        places = {one.shown for one in said}
        shown = said[0].shown if len(places) == 1 else "tie"
        ordered = len(said) > 1 or said[0].ordered  # whoever saw both orders saw each of them
        winner = said[0].winner if agreed else "tie"
        yield replace(said[0], winner=winner, shown=shown, sources=sources, ordered=ordered)
