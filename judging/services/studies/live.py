"""How a study stands: how far, how balanced, how fast, how consistent. Never who leads, before it is closed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from annotate.models import Item, Slot
from judging.models import Author, Study
from judging.services.remembering import remembered
from judging.services.studies.lists import Progress, with_progress
from judging.services.studies.said import LEFT, Said, said_in
from judging.services.studies.wishes import Design, design_of
from lib.stats.figures import Figure, share_figure
from lib.stats.ranking.alike import alike
from lib.stats.ranking.battles import battles
from lib.stats.ranking.standings import Ranking, Standing, ranking

# Faster than this nobody reads: about 1,000 English words a minute, both answers together.
CHARACTERS_A_SECOND = 100
WORDS = ("tie", "both_bad", "cannot_tell")


@dataclass(frozen=True)
class Pace:
    """median: active seconds of a vote, None without votes. fast: share of votes in less time than reading takes."""

    median: float | None
    fast: Figure


@dataclass(frozen=True)
class Again:
    """Of those who were asked again with the sides exchanged. same: said the same of the answers; same_side: chose the
    same side both times, and so the other answer; both of those who did not say `cannot tell` either time."""

    asked: int
    same: Figure
    same_side: Figure


@dataclass(frozen=True)
class Person:
    """left: of the decided votes, how often the answer on the left won."""

    name: str
    votes: int
    pace: Pace
    left: Figure
    recognised: int
    words: Mapping[str, int]
    again: Again


@dataclass(frozen=True)
class Shown:
    """One author: how often shown, and how often on the left."""

    name: str
    votes: int
    left: Figure


@dataclass(frozen=True)
class Live:
    """pairs: of each two authors the number of votes; blank where there are no pairs. votes: repetitions aside."""

    progress: Progress
    design: Design
    votes: int
    left: Figure
    recognised: Figure
    words: Mapping[str, int]
    pace: Pace
    again: Again
    repeats: int
    people: Sequence[Person]
    shown: Sequence[Shown]
    names: Sequence[str]
    pairs: Mapping[tuple[str, str], int]

    @property
    def budget_left(self) -> int | None:
        """Votes that may still be given."""
        return None if self.design.budget is None else max(self.design.budget - self.progress.done, 0)


def live(study: Study) -> Live:
    """Five queries however many votes."""
    votes = said_in(study)
    first_votes = [vote for vote in votes if not vote.again]
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    people: dict[str, list[Said]] = defaultdict(list)
    for vote in votes:
        people[vote.person].append(vote)
    pairs = Counter(frozenset(vote.authors) for vote in first_votes if len(vote.authors) == 2)
    author_names = sorted(study.options.get("authors", ()))
    pk_by_name = {name: pk for pk, name in names.items()}
    two = combinations(author_names, 2) if study.project.kind.answers_shown == 2 else ()
    return Live(
        progress=with_progress([study])[0],
        design=design_of(study.options),
        votes=len(first_votes),
        left=_left(first_votes),
        recognised=share_figure(sum(vote.recognised for vote in first_votes), len(first_votes)),
        words=_words(first_votes),
        pace=_pace(votes),
        again=_again(votes),
        repeats=Slot.objects.filter(item__ballot__study=study, item__parent__isnull=False).count(),
        people=[_person(name, person_votes) for name, person_votes in sorted(people.items())],
        shown=_shown(first_votes, names),
        names=author_names,
        pairs={pair: pairs[frozenset(pk_by_name.get(name, 0) for name in pair)] for pair in two},
    )


def _person(name: str, votes: Sequence[Said]) -> Person:
    first_votes = [vote for vote in votes if not vote.again]
    recognised_count = sum(vote.recognised for vote in votes)
    return Person(
        name, len(votes), _pace(votes), _left(first_votes), recognised_count, _words(first_votes), _again(votes)
    )


def _left(votes: Sequence[Said]) -> Figure:
    decided = [vote for vote in votes if vote.is_decided]
    return share_figure(sum(vote.side == LEFT for vote in decided), len(decided))


def _words(votes: Iterable[Said]) -> Mapping[str, int]:
    counted = Counter(vote.choice for vote in votes)
    return {word: counted[word] for word in WORDS}


def _pace(votes: Sequence[Said]) -> Pace:
    timed = [vote for vote in votes if vote.seconds]
    fast = sum(vote.seconds * CHARACTERS_A_SECOND < vote.characters for vote in votes)
    return Pace(median(vote.seconds for vote in timed) if timed else None, share_figure(fast, len(votes)))


def _again(votes: Iterable[Said]) -> Again:
    first_by_key: dict[tuple[str, int], Said] = {}
    twice: list[tuple[Said, Said]] = []
    for vote in votes:
        if not vote.again:
            first_by_key[vote.person, vote.item] = vote
        elif (earlier := first_by_key.get((vote.person, vote.item))) is not None:
            twice.append((earlier, vote))
    clear_pairs = [pair for pair in twice if "cannot_tell" not in (pair[0].choice, pair[1].choice)]
    same = sum(first.choice == second.choice for first, second in clear_pairs)
    stayed = sum(first.is_decided and second.is_decided and first.side == second.side for first, second in clear_pairs)
    return Again(len(twice), share_figure(same, len(clear_pairs)), share_figure(stayed, len(clear_pairs)))


def _shown(votes: Iterable[Said], names: Mapping[int, str]) -> list[Shown]:
    times, left_counts = Counter[int](), Counter[int]()
    for vote in votes:
        if len(vote.shown) == 2:
            times.update(vote.shown)
            left_counts[vote.shown[0]] += 1
    return [
        Shown(names[pk], n, share_figure(left_counts[pk], n))
        for pk, n in sorted(times.items(), key=lambda entry: names[entry[0]])
    ]


# --- once it is closed ------------------------------------------------------------------------------------------------
def results(study: Study) -> tuple[Ranking, Mapping[str, Standing]] | None:
    """The ranking of a closed study, and the same without the votes of who recognised a model, by name.

    None while it runs: whoever knows who leads cannot judge any more, a lead neither; and for votes that are no pairs.
    """
    if study.closed_at is None:
        return None
    votes = [vote for vote in said_in(study) if not vote.again and len(vote.authors) == 2]
    if not votes:
        return None
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    item = dict(Item.objects.filter(ballot__study=study).values_list("pk", "ballot__first__item"))
    state = f"{study.pk}/{study.closed_at.isoformat()}/{len(votes)}/{sum(vote.recognised for vote in votes)}"

    def made() -> tuple[Ranking, Mapping[str, Standing]]:
        blind = _ranked([vote for vote in votes if not vote.recognised], names, item)
        return _ranked(votes, names, item), {standing.name: standing for standing in blind.standings}

    return remembered("study", state, made)


def _ranked(votes: Iterable[Said], names: Mapping[int, str], item: Mapping[int, int]) -> Ranking:
    counted = [vote for vote in votes if vote.is_decided or vote.choice in ("tie", "both_bad")]
    outcomes = [
        "tie" if not vote.is_decided else "left" if vote.choice == vote.shown[0] else "right" for vote in counted
    ]
    all_battles = battles(
        [names[vote.shown[0]] for vote in counted], [names[vote.shown[1]] for vote in counted], outcomes
    )
    index_by_name = {name: number for number, name in enumerate(all_battles.names)}
    left, right = ([index_by_name[names[vote.shown[side]]] for vote in counted] for side in (0, 1))
    alike_battles = alike(
        [item[vote.item] for vote in counted],
        left,
        right,
        [("left", "right", "tie").index(outcome) for outcome in outcomes],
    )
    return ranking(replace(all_battles, alike=alike_battles))
