"""What a draw would take: which items and answers, how many of each stratum, and what is left out for which reason."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.base import Kind
from annotate.models import Item, Project
from annotate.services.errors import Refused
from judging.models import Answer, Author, Ballot
from judging.services.cases import Case, cases, judgeable
from judging.services.studies.sampling import chance, stratified

NO_STRATUM = "–"
GROUP = "group"  # strata are the items' groups where nobody names a division
LEFT_OUT: dict[str, str | Promise] = {
    "unreadable": gettext_lazy("their texts do not read any more"),
    "unanswered": gettext_lazy("one of the authors has no answer with a text"),
    "nothing_to_ask": gettext_lazy("there is nothing to vote on, such as an empty checklist"),
    "drawn_before": gettext_lazy("all that would be asked about them was drawn into this project before"),
    "not_drawn": gettext_lazy("chance did not draw them"),
}


@dataclass(frozen=True)
class Wish:
    """What somebody wants to have drawn. by: a division of what judges see, such as `task`, or `group`."""

    source: Project
    kind: Kind
    authors: Sequence[str]
    items: int
    seed: int
    by: str = GROUP
    target: Project | None = None  # None while it is still to be made


@dataclass(frozen=True)
class Vote:
    """One vote item to be: its facts, and the answers in the order in which they show them."""

    item: Item
    stratum: str
    facts: dict[str, Any]
    first: int
    second: int | None = None


@dataclass(frozen=True)
class Plan:
    """votes: in the order in which they will stand. strata: name -> (items there are, items drawn).

    left_out: reason -> items of the source, all of them accepted ones.
    """

    wish: Wish
    authors: Sequence[Author]
    votes: Sequence[Vote]
    items: int
    answers: int
    strata: Mapping[str, tuple[int, int]]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, Any]:
        """As a study keeps it."""
        return {
            "items": self.items,
            "answers": self.answers,
            "votes": len(self.votes),
            "strata": {name: list(sizes) for name, sizes in self.strata.items()},
            "left_out": dict(self.left_out),
        }


def plan(wish: Wish) -> Plan:
    """What would be drawn; writes nothing. Raises Refused with the remedy."""
    authors = _authors(wish)
    answers, before, left_out = _answers(wish, authors), _drawn_before(wish), Counter[str]()
    eligible: list[tuple[Case, list[Vote]]] = []
    readable = 0
    for case in cases(judgeable(wish.source).order_by("pk")):
        readable += 1
        theirs = answers.get(case.item.pk, {})
        if len(theirs) < len(authors):
            left_out["unanswered"] += 1
            continue
        votes = list(_votes(wish, case, [theirs[author.pk] for author in authors]))
        fresh = [vote for vote in votes if frozenset((vote.first, vote.second)) not in before]
        if fresh:
            eligible.append((case, fresh))
        else:
            left_out["drawn_before" if votes else "nothing_to_ask"] += 1
    left_out["unreadable"] = judgeable(wish.source).count() - readable
    return _drawn(wish, authors, eligible, left_out)


def _drawn(
    wish: Wish, authors: Sequence[Author], eligible: Sequence[tuple[Case, list[Vote]]], left_out: Counter[str]
) -> Plan:
    strata = [(case.item.pk, stratum_of(case, wish.by)) for case, _votes in eligible]
    chosen = set(stratified(strata, wish.items, wish.seed))
    votes = [vote for case, theirs in eligible if case.item.pk in chosen for vote in theirs]
    chance(wish.seed, "order").shuffle(votes)
    there, taken = Counter(name for _pk, name in strata), Counter(name for pk, name in strata if pk in chosen)
    left_out["not_drawn"] = len(eligible) - len(chosen)
    shown = {one for vote in votes for one in (vote.first, vote.second) if one is not None}
    return Plan(
        wish=wish,
        authors=authors,
        votes=votes,
        items=len(chosen),
        answers=len(shown),
        strata={name: (there[name], taken[name]) for name in sorted(there)},
        left_out={reason: left_out[reason] for reason in LEFT_OUT if left_out[reason]},
    )


def stratum_of(case: Case, by: str) -> str:
    """The first of the item's values in that division; all items without one are one stratum."""
    if by == GROUP:
        return case.item.group or NO_STRATUM
    values = case.judged.labels.get(by, ())
    return values[0] if values else NO_STRATUM


def _authors(wish: Wish) -> list[Author]:
    """In the order of their numbers: a name decides nothing about a draw."""
    if not wish.kind.answers_shown:
        raise Refused(_("“%(kind)s” is no kind of votes about answers.") % {"kind": wish.kind.slug})
    if not wish.source.kind.judges_answers:
        raise Refused(_("Nobody answers the items of “%(slug)s”.") % {"slug": wish.source.slug})
    found = list(Author.objects.filter(project=wish.source, name__in=wish.authors).order_by("pk"))
    missing = sorted(set(wish.authors) - {author.name for author in found})
    if missing:
        raise Refused(_("No author is called “%(name)s”. Load their answers first.") % {"name": missing[0]})
    if len(found) < wish.kind.answers_shown:
        raise Refused(_("Choose at least %(n)d authors.") % {"n": wish.kind.answers_shown})
    if wish.items < 1:
        raise Refused(_("Draw at least one item."))
    return found


def _answers(wish: Wish, authors: Sequence[Author]) -> dict[int, dict[int, tuple[int, str]]]:
    """item -> author -> (answer, text): of each author's answers the first sample, as it reads today."""
    found = Answer.objects.current().filter(author__in=authors, item__project=wish.source, known=True)
    rows = found.order_by("item_id", "author_id", "-sample").values_list("item_id", "author_id", "pk", "text")
    answers: dict[int, dict[int, tuple[int, str]]] = {}
    for item, author, pk, text in rows.iterator(chunk_size=2000):
        if text.strip():
            answers.setdefault(item, {})[author] = pk, text
    return answers


def _votes(wish: Wish, case: Case, answers: Sequence[tuple[int, str]]) -> Iterator[Vote]:
    """One for each answer, or for each pair of them in an order that chance decides."""
    stratum = stratum_of(case, wish.by)
    for shown in combinations(answers, wish.kind.answers_shown):
        sides = list(shown)
        chance(wish.seed, "sides", *(pk for pk, _text in shown)).shuffle(sides)
        facts = wish.kind.ballot(case.judged, [text for _pk, text in sides])
        if facts is not None:
            yield Vote(case.item, stratum, facts, *(pk for pk, _text in sides))


def _drawn_before(wish: Wish) -> set[frozenset[int | None]]:
    """What this project has been asked already."""
    if wish.target is None:
        return set()
    ballots = Ballot.objects.filter(item__project=wish.target, first__item__project=wish.source)
    return {frozenset(pair) for pair in ballots.values_list("first", "second")}
