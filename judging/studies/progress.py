"""Progress of studies for leads of both projects: list, votes, the live state, and the results of a closed study.

A lead of only one of the projects learns nothing about the study. The ranking is never shown before the study is
closed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from annotate.audit.trail import recording
from annotate.items.slots import deal
from annotate.kinds import all_kinds
from annotate.models import Annotation, Item, Member, Project, Slot, User
from judging.cache import cached
from judging.models import Author, Ballot, Study
from judging.studies.designs import Design, design_of
from lib.stats.figures import Figure, share_figure
from lib.stats.ranking.battles import alike, battles
from lib.stats.ranking.standings import ModelRanking, RankedModel, ranking


@dataclass(frozen=True)
class StudyProgress:
    """Votes received, of the votes requested."""

    study: Study
    done: int
    wanted: int
    held: int

    @property
    def is_closed(self) -> bool:
        return self.study.closed_at is not None


def studies_for(user: User, project: Project) -> QuerySet[Study]:
    """Studies drawn from this project or voted on in it, if this person leads both projects."""
    led = Member.objects.filter(user=user, role=Member.Role.LEAD).values("project")
    both = Study.objects.filter(source__in=led, project__in=led)
    return both.filter(Q(source=project) | Q(project=project)).select_related("source", "project", "created_by")


def pairs_are_voted_on(source: Project) -> bool:
    """Whether a study of pairs of this project's answers is still running."""
    pairs = [slug for slug, kind in all_kinds().items() if kind.answers_shown == 2]
    return Study.objects.filter(source=source, project__kind_slug__in=pairs, closed_at=None).exists()


def with_progress(studies: Sequence[Study]) -> list[StudyProgress]:
    """One query however many."""
    votes = Slot.objects.filter(item__ballot__study__in=studies, stage=Slot.Stage.ANNOTATE, item__purpose="work")
    counted = votes.values("item__ballot__study").annotate(
        done=Count("pk", filter=Q(state=Slot.State.SUBMITTED)),
        held=Count("pk", filter=Q(state=Slot.State.HELD)),
        wanted=Count("pk", filter=~Q(state=Slot.State.VOID)),
    )
    rows = {row["item__ballot__study"]: row for row in counted}
    none = {"done": 0, "wanted": 0, "held": 0}
    return [
        StudyProgress(study, *((rows.get(study.pk) or none)[name] for name in ("done", "wanted", "held")))
        for study in studies
    ]


def close(study: Study) -> int:
    """Close the study: nobody gets a new vote; votes in work can be finished. Gives how many slots were open."""
    with recording("study.closed", study, "closed_at", project=study.source):
        Study.objects.filter(pk=study.pk, closed_at=None).update(closed_at=timezone.now())
        open_slots = Slot.objects.filter(item__ballot__study=study, state=Slot.State.OPEN)
        # By id: an UPDATE cannot join, and a slot that is claimed at this moment remains claimed.
        ids = list(open_slots.values_list("pk", flat=True))
        return Slot.objects.filter(pk__in=ids, state=Slot.State.OPEN).update(
            state=Slot.State.VOID, reserved_for=None, reserved_until=None
        )


# Votes of one study: always two queries.


LEFT, RIGHT = "left", "right"


@dataclass(frozen=True, slots=True)
class StudyVote:
    """One vote. authors: in the order of the facts, a single one if there is no pair; shown: left and right.

    choice: the winner as an author's id, `tie`, `both_bad`, `cannot_tell`, "" if the kind has no choice.
    side: the winner's side, "" without one. characters: of the answers. again: it repeats the vote item `item` of the
    same person, with the sides exchanged.
    """

    item: int
    person: str
    authors: tuple[int, ...]
    shown: tuple[int, ...]
    choice: int | str
    side: str
    recognised: bool
    seconds: int
    characters: int
    again: bool

    @property
    def is_decided(self) -> bool:
        return isinstance(self.choice, int)


def votes_of_study(study: Study) -> list[StudyVote]:
    """The votes in the order of submission."""
    ballots = {row[0]: row[1:] for row in _ballots(study)}
    votes = Annotation.objects.filter(
        item__ballot__study=study, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False, author__isnull=False
    ).order_by("submitted_at", "pk")
    columns = ("item_id", "item__parent_id", "author_id", "author__username", "active_seconds", "draft")
    study_votes = []
    for item, parent, person, name, seconds, draft in votes.values_list(*columns):
        first, second, characters = ballots[item]
        authors = (first,) if second is None else (first, second)
        shown_authors = authors[::-1] if second is not None and deal(parent or item, person) % 2 else authors
        choice = _choice(draft, authors)
        side = (LEFT if choice == shown_authors[0] else RIGHT) if isinstance(choice, int) else ""
        is_recognised = draft.get("recognised") is True
        study_votes.append(
            StudyVote(
                parent or item,
                name,
                authors,
                shown_authors,
                choice,
                side,
                is_recognised,
                seconds,
                characters,
                parent is not None,
            )
        )
    return study_votes


def _ballots(study: Study) -> Sequence[tuple[int, int, int | None, int]]:
    rows = Ballot.objects.filter(study=study).annotate(one=Length("first__text"), other=Length("second__text"))
    columns = ("item_id", "first__author_id", "second__author_id", "one", "other")
    return [
        (item, first, second, first_length + (second_length or 0))
        for item, first, second, first_length, second_length in rows.values_list(*columns)
    ]


def _choice(draft: dict[str, object], authors: tuple[int, ...]) -> int | str:
    choice = str(draft.get("choice") or "")
    if len(authors) == 2 and choice in ("first", "second"):
        return authors[choice == "second"]
    return choice


# Live state: progress, balance, pace and consistency, but never the ranking.


# Nobody reads faster than this: about 1,000 English words a minute, both answers together.
CHARACTERS_A_SECOND = 100
WORDS = ("tie", "both_bad", "cannot_tell")


@dataclass(frozen=True)
class Pace:
    """median: active seconds per vote, None without votes. fast: share of votes faster than reading takes."""

    median: float | None
    fast: Figure


@dataclass(frozen=True)
class Again:
    """Repeated votes with the sides exchanged. same: the same choice of answer; same_side: the same side both times,
    and so the other answer; both without votes that said `cannot tell` either time."""

    asked: int
    same: Figure
    same_side: Figure


@dataclass(frozen=True)
class Person:
    """left: share of the decided votes in which the left answer won."""

    name: str
    votes: int
    pace: Pace
    left: Figure
    recognised: int
    words: Mapping[str, int]
    again: Again


@dataclass(frozen=True)
class ShownCount:
    """One author: how often its answers were shown, and how often on the left."""

    name: str
    votes: int
    left: Figure


@dataclass(frozen=True)
class LiveStudy:
    """pairs: number of votes by pair of authors; empty if there are no pairs. votes: without repetitions."""

    progress: StudyProgress
    design: Design
    votes: int
    left: Figure
    recognised: Figure
    words: Mapping[str, int]
    pace: Pace
    again: Again
    repeats: int
    people: Sequence[Person]
    shown: Sequence[ShownCount]
    names: Sequence[str]
    pairs: Mapping[tuple[str, str], int]

    @property
    def budget_left(self) -> int | None:
        """Votes that may still be given."""
        return None if self.design.budget is None else max(self.design.budget - self.progress.done, 0)


def live(study: Study) -> LiveStudy:
    """Five queries however many votes."""
    votes = votes_of_study(study)
    first_votes = [vote for vote in votes if not vote.again]
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    people: dict[str, list[StudyVote]] = defaultdict(list)
    for vote in votes:
        people[vote.person].append(vote)
    pairs = Counter(frozenset(vote.authors) for vote in first_votes if len(vote.authors) == 2)
    author_names = sorted(study.options.get("authors", ()))
    pk_by_name = {name: pk for pk, name in names.items()}
    two = combinations(author_names, 2) if study.project.kind.answers_shown == 2 else ()
    return LiveStudy(
        progress=with_progress([study])[0],
        design=design_of(study.options),
        votes=len(first_votes),
        left=_share_left(first_votes),
        recognised=share_figure(sum(vote.recognised for vote in first_votes), len(first_votes)),
        words=_words(first_votes),
        pace=_pace(votes),
        again=_again(votes),
        repeats=Slot.objects.filter(item__ballot__study=study, item__parent__isnull=False).count(),
        people=[_person(name, person_votes) for name, person_votes in sorted(people.items())],
        shown=_shown_counts(first_votes, names),
        names=author_names,
        pairs={pair: pairs[frozenset(pk_by_name.get(name, 0) for name in pair)] for pair in two},
    )


def _person(name: str, votes: Sequence[StudyVote]) -> Person:
    first_votes = [vote for vote in votes if not vote.again]
    recognised_count = sum(vote.recognised for vote in votes)
    return Person(
        name, len(votes), _pace(votes), _share_left(first_votes), recognised_count, _words(first_votes), _again(votes)
    )


def _share_left(votes: Sequence[StudyVote]) -> Figure:
    decided = [vote for vote in votes if vote.is_decided]
    return share_figure(sum(vote.side == LEFT for vote in decided), len(decided))


def _words(votes: Iterable[StudyVote]) -> Mapping[str, int]:
    counted = Counter(vote.choice for vote in votes)
    return {word: counted[word] for word in WORDS}


def _pace(votes: Sequence[StudyVote]) -> Pace:
    timed = [vote for vote in votes if vote.seconds]
    fast = sum(vote.seconds * CHARACTERS_A_SECOND < vote.characters for vote in votes)
    return Pace(median(vote.seconds for vote in timed) if timed else None, share_figure(fast, len(votes)))


def _again(votes: Iterable[StudyVote]) -> Again:
    first_by_key: dict[tuple[str, int], StudyVote] = {}
    twice: list[tuple[StudyVote, StudyVote]] = []
    for vote in votes:
        if not vote.again:
            first_by_key[vote.person, vote.item] = vote
        elif (earlier := first_by_key.get((vote.person, vote.item))) is not None:
            twice.append((earlier, vote))
    clear_pairs = [pair for pair in twice if "cannot_tell" not in (pair[0].choice, pair[1].choice)]
    same = sum(first.choice == second.choice for first, second in clear_pairs)
    stayed = sum(first.is_decided and second.is_decided and first.side == second.side for first, second in clear_pairs)
    return Again(len(twice), share_figure(same, len(clear_pairs)), share_figure(stayed, len(clear_pairs)))


def _shown_counts(votes: Iterable[StudyVote], names: Mapping[int, str]) -> list[ShownCount]:
    times, left_counts = Counter[int](), Counter[int]()
    for vote in votes:
        if len(vote.shown) == 2:
            times.update(vote.shown)
            left_counts[vote.shown[0]] += 1
    return [
        ShownCount(names[pk], n, share_figure(left_counts[pk], n))
        for pk, n in sorted(times.items(), key=lambda entry: names[entry[0]])
    ]


# --- once it is closed ------------------------------------------------------------------------------------------------
def results(study: Study) -> tuple[ModelRanking, Mapping[str, RankedModel]] | None:
    """The ranking of a closed study, and by name the same without votes by people who recognised a model.

    None while it runs, because nobody who knows the ranking can judge any more, not even a lead; and without pairs.
    """
    if study.closed_at is None:
        return None
    votes = [vote for vote in votes_of_study(study) if not vote.again and len(vote.authors) == 2]
    if not votes:
        return None
    names = dict(Author.objects.filter(project=study.source_id).values_list("pk", "name"))
    item = dict(Item.objects.filter(ballot__study=study).values_list("pk", "ballot__first__item"))
    state = f"{study.pk}/{study.closed_at.isoformat()}/{len(votes)}/{sum(vote.recognised for vote in votes)}"

    def made() -> tuple[ModelRanking, Mapping[str, RankedModel]]:
        blind = _ranked([vote for vote in votes if not vote.recognised], names, item)
        return _ranked(votes, names, item), {standing.name: standing for standing in blind.standings}

    return cached("study", state, made)


def _ranked(votes: Iterable[StudyVote], names: Mapping[int, str], item: Mapping[int, int]) -> ModelRanking:
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
