"""The next pairs of an adaptive study, drawn while people vote, where the votes so far leave the ranking uncertain."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Count

from annotate.kinds import find_kind
from annotate.models import Annotation, Item, Project, Slot
from annotate.services import more_work
from judging.models import Answer, Author, Ballot, Study
from judging.services.cases import case_of
from judging.services.studies import designing
from judging.services.studies.drawing import store
from judging.services.studies.masking import Telling
from judging.services.studies.naming import Named, listed, telling_of
from judging.services.studies.planning import vote_of
from judging.services.studies.plans import LISTED, Vote
from judging.services.studies.sampling import chance
from judging.services.studies.wishes import ADAPTIVE, Design, Wish, blinding_of, design_of
from lib.stats.averages import Floats
from lib.stats.designs.adaptive import next_pairs, pairs_of

HALVES = {"tie": 0.5, "both_bad": 0.5}
Pair = tuple[int, int]


def start() -> None:
    more_work.register(more_work.Source("studies", _waits, _add, _is_spent))


@dataclass(frozen=True)
class Standing:
    """Of an adaptive study. authors: their numbers; won, met: as next_pairs takes them; asked: vote items so far,
    repetitions aside; open: votes that nobody has begun."""

    study: Study
    design: Design
    authors: Sequence[int]
    asked: int
    open: int

    @property
    def left(self) -> int:
        """Vote items for which there is room in the budget."""
        return max((self.design.room or 0) - self.asked, 0)

    @property
    def wants_more(self) -> bool:
        """Half of a wave is out: what comes back meanwhile tells the next one where to look."""
        size = designing.wave_size(self.design, len(self.authors)) * self.design.overlap
        return self.left > 0 and 2 * self.open <= size


def standing(study: Study) -> Standing | None:
    """None for a study of another design, a closed one, and one whose pool has nothing left."""
    design = design_of(study.options)
    if design.name != ADAPTIVE or study.closed_at is not None or study.counts.get("exhausted"):
        return None
    authors = Author.objects.filter(project=study.source_id, name__in=study.options["authors"]).order_by("pk")
    asked = Ballot.objects.filter(study=study, item__parent=None)
    waiting = Slot.objects.open().filter(item__ballot__study=study, item__parent=None)
    return Standing(study, design, list(authors.values_list("pk", flat=True)), asked.count(), waiting.count())


def next_wave(study: Study) -> int:
    """Draw it; how many vote items it has. 0 where it is not wanted yet, and where somebody else has just drawn it."""
    with transaction.atomic():
        locked = Study.objects.select_for_update(of=("self",)).select_related("source", "project").get(pk=study.pk)
        found = standing(locked)
        if found is None or not found.wants_more:
            return 0
        named: list[Named] = []
        votes = _votes(found, named)
        number = int(locked.counts.get("waves", 1))
        repeats = designing.repeated(found.design, locked.seed, [vote.answers for vote in votes], number)
        store(locked, votes, repeats, None)
        _count(locked, votes, len(repeats), named)
        return len(votes)


def so_far(study: Study, authors: Sequence[int], overlap: int) -> tuple[Floats, Floats]:
    """won, met: (authors, authors) each. A pair has met as often as people were asked, answered or not.

    Who could not tell has said nothing of the strengths, but was asked.
    """
    place = {author: number for number, author in enumerate(authors)}
    won, met = (np.zeros((len(authors), len(authors))) for _each in range(2))
    ballots = Ballot.objects.filter(study=study, item__parent=None)
    for first, second, n in ballots.values_list("first__author", "second__author").annotate(n=Count("pk")).order_by():
        one, other = place[first], place[second]
        met[one, other] += n * overlap
        met[other, one] += n * overlap
    votes = Annotation.objects.filter(
        item__ballot__study=study, item__parent=None, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False
    )
    sides = votes.values_list("item__ballot__first__author", "item__ballot__second__author", "draft__choice")
    for first, second, choice in sides:
        one, other = place[first], place[second]
        won[one, other] += 1.0 if choice == "first" else HALVES.get(choice, 0.0)
        won[other, one] += 1.0 if choice == "second" else HALVES.get(choice, 0.0)
    return won, met


def _votes(found: Standing, named: list[Named]) -> list[Vote]:
    """named: gets the answers in which a model is named."""
    study, design = found.study, found.design
    count = min(designing.wave_size(design, len(found.authors)), found.left)
    won, met = so_far(study, found.authors, design.overlap)
    wave = int(study.counts.get("waves", 1))
    drawn = np.random.default_rng([study.seed, wave])
    wanted = next_pairs(won, met, count, drawn, each=design.overlap, floor=design.floor)
    first, second = pairs_of(len(found.authors))
    pairs = [(found.authors[first[number]], found.authors[second[number]]) for number in wanted.tolist()]
    return _filled(study, pairs, wave, named)


def _filled(study: Study, pairs: Sequence[Pair], wave: int, named: list[Named]) -> list[Vote]:
    """A vote item for each pair, of an item used least; of pairs that have none left those that have, in turn."""
    wish = _wish(study)
    stock = _stock(study, sorted({author for pair in pairs for author in pair}), wave)
    used = Counter(Ballot.objects.filter(study=study, item__parent=None).values_list("first__item", flat=True))
    names = telling_of(study.source, [], wish.blinding)
    votes: list[Vote] = []
    spare = sorted(set(stock) - set(pairs))
    for pair in pairs:
        vote = None
        for instead in (pair, *dict.fromkeys(pairs), *spare):
            while vote is None and stock.get(instead):
                here = stock[instead]
                item, answers = here.pop(min(range(len(here)), key=lambda place: used[here[place][0]]))
                vote = _vote(wish, item, answers, names, named)
            if vote is not None:
                used[vote.item.pk] += 1
                votes.append(vote)
                break
    return votes


def _wish(study: Study) -> Wish:
    said = study.options
    return Wish(
        source=study.source,
        kind=find_kind(said["kind"]),
        authors=said["authors"],
        items=said["items"],
        seed=study.seed,
        by=said["by"],
        target=study.project,
        design=design_of(said),
        blinding=blinding_of(said),
    )


def _stock(study: Study, authors: Sequence[int], wave: int) -> Mapping[Pair, list[tuple[int, Pair]]]:
    """Pair of authors -> (item, answers) of the pool that were not drawn yet, in an order that chance decides."""
    found = Answer.objects.current().filter(author__in=authors, item__in=study.options["pool"], known=True)
    by_item: dict[int, dict[int, int]] = defaultdict(dict)
    for item, author, pk in found.order_by("item_id", "author_id", "-sample").values_list("item", "author", "pk"):
        by_item[item][author] = pk
    before = {frozenset(pair) for pair in Ballot.objects.filter(study=study).values_list("first", "second")}
    stock: dict[Pair, list[tuple[int, Pair]]] = defaultdict(list)
    for item, theirs in by_item.items():
        there = sorted(theirs)
        for place, one in enumerate(there):
            for other in there[place + 1 :]:
                answers = theirs[one], theirs[other]
                if frozenset(answers) not in before:
                    stock[one, other].append((item, answers))
    for pair, rows in stock.items():
        chance(study.seed, "wave", wave, *pair).shuffle(rows)
    return stock


def _vote(wish: Wish, item: int, answers: Pair, names: Telling, named: list[Named]) -> Vote | None:
    """None where the item is decided no more, or the pair may not be shown."""
    here = Item.objects.select_related("base", "project").filter(pk=item, state=Item.State.ACCEPTED).first()
    case = case_of(here) if here is not None else None
    texts = dict(Answer.objects.filter(pk__in=answers).values_list("pk", "text"))
    if case is None or not all(texts.get(pk, "").strip() for pk in answers):
        return None
    vote, found = vote_of(wish, case, [(pk, texts[pk]) for pk in answers], names)
    named += found
    return vote


def _count(study: Study, votes: Sequence[Vote], repeats: int, named: Sequence[Named]) -> None:
    """What the study says of itself; it is exhausted where no item was left for any pair."""
    ballots = Ballot.objects.filter(study=study)
    answers = {pk for pair in ballots.values_list("first", "second") for pk in pair}
    before = study.counts.get("found", [])
    known = {one["answer"] for one in before}
    fresh = {one.answer: listed(one) for one in named if one.answer not in known}
    told = study.counts["named"]
    study.counts |= {
        "votes": study.counts["votes"] + len(votes),
        "repeats": study.counts["repeats"] + repeats,
        "items": ballots.values("first__item").distinct().count(),
        "answers": len(answers),
        "named": told | {"answers": told["answers"] + len(fresh)},
        "found": [*before, *fresh.values()][:LISTED],
        "waves": study.counts.get("waves", 1) + bool(votes),
        "exhausted": not votes,
    }
    study.save(update_fields=["counts"])


# --- for the desk of those who vote -----------------------------------------------------------------------------------
def _running(project: Project) -> list[Study]:
    return list(Study.objects.filter(project=project, closed_at=None).select_related("source", "project"))


def _waits(project: Project) -> bool:
    found = (standing(study) for study in _running(project))
    return any(one is not None and one.wants_more for one in found)


def _add(project: Project) -> bool:
    return any(next_wave(study) > 0 for study in _running(project))


def _is_spent(project: Project) -> bool:
    """Studies with a budget, and not a vote of theirs that somebody could still give."""
    there = _running(project)
    if not there or any(design_of(study.options).budget is None for study in there):
        return False
    return not Slot.objects.unfinished().filter(item__ballot__study__in=there).exists()
