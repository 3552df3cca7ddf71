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


def sides(project: Project, preferences: Found | None = None) -> list[Side]:
    """People first, where they have voted, then judges by name. given: the project's preferences where at hand.

    Each vote of a person is a battle. A judge's verdicts on one pair are one: what it says in both orders; a tie where
    the two orders differ. Of repetitions the first counts.
    """
    pair_ratings = ratings(project, PREFERENCE) if preferences is None else preferences
    authors = dict(Answer.objects.filter(author__project=project).values_list("pk", "author__name"))
    verdicts = Verdict.objects.pairwise().filter(judge__project=project).values_list("pk", "first_id", "job_id")
    verdict_origins = {pk: Asked(first_id, job is not None) for pk, first_id, job in verdicts}
    unordered = without_order(project)
    by_rater: dict[Rater | None, list[Rating]] = defaultdict(list)
    for rating in pair_ratings:
        if rating.rater.sort == "person":
            by_rater[None].append(rating)
        elif rating.repeat == 1:
            by_rater[rating.rater].append(rating)
    raters = sorted(by_rater, key=lambda rater: (rater is not None, rater.name if rater else ""))
    return [_side(rater, by_rater[rater], authors, verdict_origins, unordered) for rater in raters]


def battles_of(side: Side, fights: Iterable[Fight] | None = None) -> Battles:
    """Of these fights, or all of the side."""
    rows = list(side.fights if fights is None else fights)
    all_battles = battles(
        [fight.authors[0] for fight in rows], [fight.authors[1] for fight in rows], [fight.winner for fight in rows]
    )
    position_wins = Counter(fight.shown for fight in rows if fight.ordered)
    unordered = sum(not fight.ordered for fight in rows)
    skipped = dict(side.skipped) if fights is None else {}
    index_by_name = {name: number for number, name in enumerate(all_battles.names)}
    left, right = ([index_by_name[fight.authors[side]] for fight in rows] for side in (0, 1))
    alike_battles = alike([fight.item for fight in rows], left, right, [OUTCOMES[fight.winner] for fight in rows])
    sided = replace(all_battles, left_won=position_wins["left"], right_won=position_wins["right"], unordered=unordered)
    return replace(sided, skipped=skipped, alike=alike_battles)


def without_order(project: Project) -> frozenset[int]:
    """Items whose two answers are stored in an order that nobody is known to have seen. One query."""
    keys = Item.objects.filter(project=project, key__startswith="mtbench-").values_list("pk", "key")
    return frozenset(pk for pk, key in keys if not is_order_known(key))


def _side(
    rater: Rater | None,
    preferences: Sequence[Rating],
    authors: Mapping[int, str],
    verdict_origins: Mapping[int, Asked],
    unordered: Collection[int],
) -> Side:
    skipped: Counter[str] = Counter()
    fights = list(
        _fights(preferences, authors, verdict_origins, unordered, skipped, CANNOT_TELL if rater is None else UNREADABLE)
    )
    return Side(rater, fights if rater is None else list(_by_pair(fights)), dict(skipped))


def _fights(
    preferences: Iterable[Rating],
    authors: Mapping[int, str],
    verdict_origins: Mapping[int, Asked],
    unordered: Collection[int],
    skipped: Counter[str],
    untold: str,
) -> Iterator[Fight]:
    for rating in preferences:
        _pair, low, high = rating.unit.split("/")
        answers = int(low), int(high)
        author_pair = authors[answers[0]], authors[answers[1]]
        if rating.value is None:
            skipped[untold] += 1
        elif author_pair[0] == author_pair[1]:
            skipped[SAME_AUTHOR] += 1
        else:
            winner = WINNERS[str(rating.value)]
            shown_winner = OTHER_WAY_ROUND.get(winner, winner) if _turned(rating, answers, verdict_origins) else winner
            ordered = rating.item not in unordered or _was_asked_here(rating, verdict_origins)
            yield Fight(
                rating.item, answers, author_pair, winner, shown_winner, (rating.source,), rating.recognised, ordered
            )


def _was_asked_here(rating: Rating, verdict_origins: Mapping[int, Asked]) -> bool:
    """By an account or a run, so that the order is known; not so what came with a file."""
    return rating.rater.pk is not None if rating.rater.sort == "person" else verdict_origins[rating.source].by_run


def _turned(rating: Rating, answers: tuple[int, int], verdict_origins: Mapping[int, Asked]) -> bool:
    """Whether the answer with the larger number stood first. A person's rating says so itself; a verdict is turned
    against the order in which it names its two."""
    if rating.rater.sort == "person":
        return rating.swapped
    return rating.swapped != (verdict_origins[rating.source].first != answers[0])


def _by_pair(fights: Iterable[Fight]) -> Iterator[Fight]:
    pairs: dict[tuple[int, int], list[Fight]] = defaultdict(list)
    for fight in fights:
        pairs[fight.answers].append(fight)
    for pair_fights in pairs.values():
        agreed = len({fight.winner for fight in pair_fights}) == 1
        sources = tuple(source for fight in pair_fights for source in fight.sources)
        # Over both orders a place wins once more than the other only where the orders differ the same way.
        shown_winners = {fight.shown for fight in pair_fights}
        shown_winner = pair_fights[0].shown if len(shown_winners) == 1 else "tie"
        ordered = len(pair_fights) > 1 or pair_fights[0].ordered  # whoever saw both orders saw each of them
        winner = pair_fights[0].winner if agreed else "tie"
        yield replace(pair_fights[0], winner=winner, shown=shown_winner, sources=sources, ordered=ordered)
