"""Waves of an adaptive study: the next pairs, drawn while people vote, where the ranking is still uncertain."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Count

from annotate.items import queue
from annotate.kinds import find_kind
from annotate.models import Annotation, Item, Project, Slot
from judging.answers.cases import case_of
from judging.models import Answer, Author, Ballot, Study
from judging.studies import designs
from judging.studies.designs import ADAPTIVE, Design, DrawPlan, blinding_of, chance, design_of
from judging.studies.draw import store
from judging.studies.masking import Telling
from judging.studies.plans import LISTED, NamedAnswer, PlannedVote, list_entry, telling_of, vote_of
from lib.stats.averages import Floats
from lib.stats.designs import next_pairs, pairs_of

HALVES = {"tie": 0.5, "both_bad": 0.5}
AuthorPair = tuple[int, int]


@dataclass(frozen=True)
class WaveStanding:
    """State of an adaptive study. authors: their ids; asked: vote items so far, without repetitions; open: votes that
    nobody has begun."""

    study: Study
    design: Design
    authors: Sequence[int]
    asked: int
    open: int

    @property
    def left(self) -> int:
        """Vote items that the budget still allows."""
        return max((self.design.room or 0) - self.asked, 0)

    @property
    def wants_more(self) -> bool:
        """Whether at most half of a wave is still open: the votes received by then guide the next one."""
        size = designs.wave_size(self.design, len(self.authors)) * self.design.overlap
        return self.left > 0 and 2 * self.open <= size


def standing(study: Study) -> WaveStanding | None:
    """The state; None for a study of another design, a closed one, and one whose pool is exhausted."""
    design = design_of(study.options)
    if design.name != ADAPTIVE or study.closed_at is not None or study.counts.get("exhausted"):
        return None
    authors = Author.objects.filter(project=study.source_id, name__in=study.options["authors"]).order_by("pk")
    ballots = Ballot.objects.filter(study=study, item__parent=None)
    open_slots = Slot.objects.open().filter(item__ballot__study=study, item__parent=None)
    return WaveStanding(study, design, list(authors.values_list("pk", flat=True)), ballots.count(), open_slots.count())


def next_wave(study: Study) -> int:
    """Draw the wave; gives its number of vote items: 0 if it is not needed yet, or if somebody else just drew it."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(of=("self",)).select_related("source", "project").get(pk=study.pk)
        progress = standing(locked)
        if progress is None or not progress.wants_more:
            return 0
        named_answers: list[NamedAnswer] = []
        votes = _votes(progress, named_answers)
        number = int(locked.counts.get("waves", 1))
        repeats = designs.repeated(progress.design, locked.seed, [vote.answers for vote in votes], number)
        store(locked, votes, repeats, None)
        _count(locked, votes, len(repeats), named_answers)
        return len(votes)


def so_far(study: Study, authors: Sequence[int], overlap: int) -> tuple[Floats, Floats]:
    """(won, met), each an array (authors, authors). A pair has met as often as people were asked, answered or not.

    A vote "cannot tell" says nothing about the strengths, but counts as asked.
    """
    index_by_author = {author: number for number, author in enumerate(authors)}
    won, met = (np.zeros((len(authors), len(authors))) for _each in range(2))
    ballots = Ballot.objects.filter(study=study, item__parent=None)
    for first, second, n in ballots.values_list("first__author", "second__author").annotate(n=Count("pk")).order_by():
        row, column = index_by_author[first], index_by_author[second]
        met[row, column] += n * overlap
        met[column, row] += n * overlap
    votes = Annotation.objects.filter(
        item__ballot__study=study, item__parent=None, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False
    )
    sides = votes.values_list("item__ballot__first__author", "item__ballot__second__author", "draft__choice")
    for first, second, choice in sides:
        row, column = index_by_author[first], index_by_author[second]
        won[row, column] += 1.0 if choice == "first" else HALVES.get(choice, 0.0)
        won[column, row] += 1.0 if choice == "second" else HALVES.get(choice, 0.0)
    return won, met


def _votes(progress: WaveStanding, named_answers: list[NamedAnswer]) -> list[PlannedVote]:
    """The votes of the next wave. named_answers: gets the answers that name a model."""
    study, design = progress.study, progress.design
    count = min(designs.wave_size(design, len(progress.authors)), progress.left)
    won, met = so_far(study, progress.authors, design.overlap)
    wave = int(study.counts.get("waves", 1))
    rng = np.random.default_rng([study.seed, wave])
    pair_numbers = next_pairs(won, met, count, rng, each=design.overlap, floor=design.floor)
    first, second = pairs_of(len(progress.authors))
    pairs = [(progress.authors[first[number]], progress.authors[second[number]]) for number in pair_numbers.tolist()]
    return _filled(study, pairs, wave, named_answers)


def _filled(
    study: Study, pairs: Sequence[AuthorPair], wave: int, named_answers: list[NamedAnswer]
) -> list[PlannedVote]:
    """A vote item for each pair, from the least used items; pairs without items are replaced by others, in turn."""
    wish = _wish(study)
    stock = _stock(study, sorted({author for pair in pairs for author in pair}), wave)
    used = Counter(Ballot.objects.filter(study=study, item__parent=None).values_list("first__item", flat=True))
    names = telling_of(study.source, [], wish.blinding)
    votes: list[PlannedVote] = []
    spare = sorted(set(stock) - set(pairs))
    for pair in pairs:
        vote = None
        for instead in (pair, *dict.fromkeys(pairs), *spare):
            while vote is None and stock.get(instead):
                candidates = stock[instead]
                item, answers = candidates.pop(
                    min(range(len(candidates)), key=lambda index: used[candidates[index][0]])
                )
                vote = _vote(wish, item, answers, names, named_answers)
            if vote is not None:
                used[vote.item.pk] += 1
                votes.append(vote)
                break
    return votes


def _wish(study: Study) -> DrawPlan:
    options = study.options
    return DrawPlan(
        source=study.source,
        kind=find_kind(options["kind"]),
        authors=options["authors"],
        items=options["items"],
        seed=study.seed,
        by=options["by"],
        target=study.project,
        design=design_of(options),
        blinding=blinding_of(options),
    )


def _stock(study: Study, authors: Sequence[int], wave: int) -> Mapping[AuthorPair, list[tuple[int, AuthorPair]]]:
    """Pair of authors -> (item, answers) of the pool that were not drawn yet, in random order."""
    pool_answers = Answer.objects.current().filter(author__in=authors, item__in=study.options["pool"], known=True)
    by_item: dict[int, dict[int, int]] = defaultdict(dict)
    for item, author, pk in pool_answers.order_by("item_id", "author_id", "-sample").values_list(
        "item", "author", "pk"
    ):
        by_item[item][author] = pk
    drawn_pairs = {frozenset(pair) for pair in Ballot.objects.filter(study=study).values_list("first", "second")}
    stock: dict[AuthorPair, list[tuple[int, AuthorPair]]] = defaultdict(list)
    for item, answer_by_author in by_item.items():
        author_ids = sorted(answer_by_author)
        for index, first_author in enumerate(author_ids):
            for second_author in author_ids[index + 1 :]:
                answers = answer_by_author[first_author], answer_by_author[second_author]
                if frozenset(answers) not in drawn_pairs:
                    stock[first_author, second_author].append((item, answers))
    for pair, rows in stock.items():
        chance(study.seed, "wave", wave, *pair).shuffle(rows)
    return stock


def _vote(
    wish: DrawPlan, item: int, answers: AuthorPair, names: Telling, named_answers: list[NamedAnswer]
) -> PlannedVote | None:
    """The vote; None if the item is no longer decided, or the pair may not be shown."""
    stored_item = Item.objects.select_related("base", "project").filter(pk=item, state=Item.State.ACCEPTED).first()
    case = case_of(stored_item) if stored_item is not None else None
    texts = dict(Answer.objects.filter(pk__in=answers).values_list("pk", "text"))
    if case is None or not all(texts.get(pk, "").strip() for pk in answers):
        return None
    vote, new_named_answers = vote_of(wish, case, [(pk, texts[pk]) for pk in answers], names)
    named_answers += new_named_answers
    return vote


def _count(study: Study, votes: Sequence[PlannedVote], repeats: int, named_answers: Sequence[NamedAnswer]) -> None:
    """Update the counts of the study; it is exhausted if no item was left for any pair."""
    ballots = Ballot.objects.filter(study=study)
    answers = {pk for pair in ballots.values_list("first", "second") for pk in pair}
    stored = study.counts.get("found", [])
    known_answers = {row["answer"] for row in stored}
    fresh = {
        named_answer.answer: list_entry(named_answer)
        for named_answer in named_answers
        if named_answer.answer not in known_answers
    }
    named_counts = study.counts["named"]
    study.counts |= {
        "votes": study.counts["votes"] + len(votes),
        "repeats": study.counts["repeats"] + repeats,
        "items": ballots.values("first__item").distinct().count(),
        "answers": len(answers),
        "named": named_counts | {"answers": named_counts["answers"] + len(fresh)},
        "found": [*stored, *fresh.values()][:LISTED],
        "waves": study.counts.get("waves", 1) + bool(votes),
        "exhausted": not votes,
    }
    study.save(update_fields=["counts"])


# --- for the desk of those who vote -----------------------------------------------------------------------------------
def _running(project: Project) -> list[Study]:
    return list(Study.objects.filter(project=project, closed_at=None).select_related("source", "project"))


def _waits(project: Project) -> bool:
    standings = (standing(study) for study in _running(project))
    return any(progress is not None and progress.wants_more for progress in standings)


def _add(project: Project) -> bool:
    return any(next_wave(study) > 0 for study in _running(project))


def _is_spent(project: Project) -> bool:
    """Whether all running studies have a budget, and none of their votes can still be given."""
    studies = _running(project)
    if not studies or any(design_of(study.options).budget is None for study in studies):
        return False
    return not Slot.objects.unfinished().filter(item__ballot__study__in=studies).exists()


SOURCE = queue.WorkSource(_waits, _add, _is_spent)
