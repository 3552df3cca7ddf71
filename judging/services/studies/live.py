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
    said = said_in(study)
    first = [one for one in said if not one.again]
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    people: dict[str, list[Said]] = defaultdict(list)
    for one in said:
        people[one.person].append(one)
    pairs = Counter(frozenset(one.authors) for one in first if len(one.authors) == 2)
    chosen = sorted(study.options.get("authors", ()))
    place = {name: pk for pk, name in names.items()}
    two = combinations(chosen, 2) if study.project.kind.answers_shown == 2 else ()
    return Live(
        progress=with_progress([study])[0],
        design=design_of(study.options),
        votes=len(first),
        left=_left(first),
        recognised=share_figure(sum(one.recognised for one in first), len(first)),
        words=_words(first),
        pace=_pace(said),
        again=_again(said),
        repeats=Slot.objects.filter(item__ballot__study=study, item__parent__isnull=False).count(),
        people=[_person(name, theirs) for name, theirs in sorted(people.items())],
        shown=_shown(first, names),
        names=chosen,
        pairs={pair: pairs[frozenset(place.get(name, 0) for name in pair)] for pair in two},
    )


def _person(name: str, said: Sequence[Said]) -> Person:
    first = [one for one in said if not one.again]
    known = sum(one.recognised for one in said)
    return Person(name, len(said), _pace(said), _left(first), known, _words(first), _again(said))


def _left(said: Sequence[Said]) -> Figure:
    decided = [one for one in said if one.is_decided]
    return share_figure(sum(one.side == LEFT for one in decided), len(decided))


def _words(said: Iterable[Said]) -> Mapping[str, int]:
    counted = Counter(one.choice for one in said)
    return {word: counted[word] for word in WORDS}


def _pace(said: Sequence[Said]) -> Pace:
    timed = [one for one in said if one.seconds]
    fast = sum(one.seconds * CHARACTERS_A_SECOND < one.characters for one in said)
    return Pace(median(one.seconds for one in timed) if timed else None, share_figure(fast, len(said)))


def _again(said: Iterable[Said]) -> Again:
    before: dict[tuple[str, int], Said] = {}
    twice: list[tuple[Said, Said]] = []
    for one in said:
        if not one.again:
            before[one.person, one.item] = one
        elif (earlier := before.get((one.person, one.item))) is not None:
            twice.append((earlier, one))
    told = [pair for pair in twice if "cannot_tell" not in (pair[0].choice, pair[1].choice)]
    same = sum(one.choice == other.choice for one, other in told)
    stayed = sum(one.is_decided and other.is_decided and one.side == other.side for one, other in told)
    return Again(len(twice), share_figure(same, len(told)), share_figure(stayed, len(told)))


def _shown(said: Iterable[Said], names: Mapping[int, str]) -> list[Shown]:
    times, left = Counter[int](), Counter[int]()
    for one in said:
        if len(one.shown) == 2:
            times.update(one.shown)
            left[one.shown[0]] += 1
    return [
        Shown(names[pk], n, share_figure(left[pk], n))
        for pk, n in sorted(times.items(), key=lambda each: names[each[0]])
    ]


# --- once it is closed ------------------------------------------------------------------------------------------------
def results(study: Study) -> tuple[Ranking, Mapping[str, Standing]] | None:
    """The ranking of a closed study, and the same without the votes of who recognised a model, by name.

    None while it runs: whoever knows who leads cannot judge any more, a lead neither; and for votes that are no pairs.
    """
    if study.closed_at is None:
        return None
    said = [one for one in said_in(study) if not one.again and len(one.authors) == 2]
    if not said:
        return None
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    item = dict(Item.objects.filter(ballot__study=study).values_list("pk", "ballot__first__item"))
    state = f"{study.pk}/{study.closed_at.isoformat()}/{len(said)}/{sum(one.recognised for one in said)}"

    def made() -> tuple[Ranking, Mapping[str, Standing]]:
        blind = _ranked([one for one in said if not one.recognised], names, item)
        return _ranked(said, names, item), {each.name: each for each in blind.standings}

    return remembered("study", state, made)


def _ranked(said: Iterable[Said], names: Mapping[int, str], item: Mapping[int, int]) -> Ranking:
    counted = [one for one in said if one.is_decided or one.choice in ("tie", "both_bad")]
    outcomes = ["tie" if not one.is_decided else "left" if one.choice == one.shown[0] else "right" for one in counted]
    found = battles([names[one.shown[0]] for one in counted], [names[one.shown[1]] for one in counted], outcomes)
    place = {name: number for number, name in enumerate(found.names)}
    left, right = ([place[names[one.shown[side]]] for one in counted] for side in (0, 1))
    together = alike(
        [item[one.item] for one in counted], left, right, [("left", "right", "tie").index(one) for one in outcomes]
    )
    return ranking(replace(found, alike=together))
