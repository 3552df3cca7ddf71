"""What a draw would take: which items and answers, how many of each stratum, and what is left out for which reason."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from django.utils.translation import gettext as _

from annotate.services.errors import Refused
from judging.models import Answer, Author, Ballot
from judging.services.cases import Case, cases, decided
from judging.services.studies import designing
from judging.services.studies.masking import Telling
from judging.services.studies.naming import Answers, Named, blinded, telling_of
from judging.services.studies.plans import LEFT_OUT, Plan, Vote
from judging.services.studies.sampling import chance, stratified
from judging.services.studies.wishes import ADAPTIVE, GROUP, Wish
from lib.stats.designs.choosing import Candidate

NO_STRATUM = "–"


def plan(wish: Wish) -> Plan:
    """What would be drawn; writes nothing. Raises Refused with the remedy."""
    authors = _authors(wish)
    designing.checked(wish)
    names = telling_of(wish.source, authors, wish.blinding)
    answers, before, left_out = _answers(wish, authors), _drawn_before(wish), Counter[str]()
    eligible: list[tuple[Case, list[Vote]]] = []
    found: dict[int, Named] = {}
    readable = aside = 0
    for case in cases(decided(wish.source).order_by("pk")):
        readable += 1
        theirs = answers.get(case.item.pk, {})
        if len(theirs) < len(authors):
            left_out["unanswered"] += 1
            continue
        asides: list[Named] = []
        votes = list(_votes(wish, case, [theirs[author.pk] for author in authors], names, found, asides))
        aside += len(asides)
        fresh = [vote for vote in votes if frozenset((vote.first, vote.second)) not in before]
        if fresh:
            eligible.append((case, fresh))
        else:
            left_out["drawn_before" if votes else "named" if asides else "nothing_to_ask"] += 1
    left_out["unreadable"] = decided(wish.source).count() - readable
    _refuse_unknown_division(wish, [case for case, _votes in eligible])
    whose = {pk: author for theirs in answers.values() for author, (pk, _text) in theirs.items()}
    drawn = _drawn(wish, authors, eligible, left_out, whose)
    shown = {pk for vote in drawn.votes for pk in vote.answers}
    told = [one for one in found.values() if one.aside or one.answer in shown]
    return replace(drawn, found=told, aside=aside, short=names.short)


def _drawn(
    wish: Wish,
    authors: Sequence[Author],
    eligible: Sequence[tuple[Case, list[Vote]]],
    left_out: Counter[str],
    whose: Mapping[int, int],
) -> Plan:
    strata = [(case.item.pk, stratum_of(case, wish.by)) for case, _votes in eligible]
    pool = set(stratified(strata, wish.items, wish.seed))
    there = [vote for case, theirs in eligible if case.item.pk in pool for vote in theirs]
    votes = [there[place] for place in designing.chosen(wish, [_candidate(vote, whose) for vote in there])]
    chance(wish.seed, "order").shuffle(votes)
    asked = {vote.item.pk for vote in votes}
    counted = Counter(name for _pk, name in strata), Counter(name for pk, name in strata if pk in asked)
    left_out["not_drawn"] = len(eligible) - len(asked)
    return Plan(
        wish=wish,
        authors=authors,
        votes=votes,
        items=len(asked),
        answers=len({pk for vote in votes for pk in vote.answers}),
        strata={name: (counted[0][name], counted[1][name]) for name in sorted(counted[0])},
        left_out={reason: left_out[reason] for reason in LEFT_OUT if left_out[reason]},
        repeats=designing.repeated(wish.design, wish.seed, [vote.answers for vote in votes]),
        pool=sorted(pool) if wish.design.name == ADAPTIVE else (),
    )


def _candidate(vote: Vote, whose: Mapping[int, int]) -> Candidate:
    return Candidate(vote.item.pk, vote.stratum, frozenset(whose[pk] for pk in vote.answers))


def _refuse_unknown_division(wish: Wish, eligible: Sequence[Case]) -> None:
    """What no item is divided by is a slip: everything would be one stratum."""
    known = {name for case in eligible for name, values in case.judged.labels.items() if values}
    if not eligible or wish.by in {GROUP, *known}:
        return
    told = _("No item is divided by “%(by)s”. Draw by one of: %(known)s.")
    raise Refused(told % {"by": wish.by, "known": ", ".join([GROUP, *sorted(known)])})


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


def _votes(
    wish: Wish, case: Case, answers: Answers, names: Telling, found: dict[int, Named], asides: list[Named]
) -> Iterator[Vote]:
    """One for each answer, or for each pair of them in an order that chance decides.

    found: gets the answers in which a model is named; asides: one of them for each pair that is set aside for it.
    """
    for shown in combinations(answers, wish.kind.answers_shown):
        vote, named = vote_of(wish, case, shown, names)
        for one in named:
            found[one.answer] = one if one.aside else found.get(one.answer, one)
        if vote is not None:
            yield vote
        elif named and named[0].aside:
            asides.append(named[0])


def vote_of(wish: Wish, case: Case, shown: Answers, names: Telling) -> tuple[Vote | None, list[Named]]:
    """None where it cannot be asked; and the answers in which a model is named."""
    sides = list(shown)
    chance(wish.seed, "sides", *(pk for pk, _text in shown)).shuffle(sides)
    blind, named = blinded(sides, names, wish.blinding.names)
    facts = wish.kind.ballot(case.judged, [text for _pk, text in blind]) if blind else None
    if facts is None:
        return None, named
    return Vote(case.item, stratum_of(case, wish.by), facts, *(pk for pk, _text in sides)), named


def _drawn_before(wish: Wish) -> set[frozenset[int | None]]:
    """What this project has been asked already."""
    if wish.target is None:
        return set()
    ballots = Ballot.objects.filter(item__project=wish.target, first__item__project=wish.source)
    return {frozenset(pair) for pair in ballots.values_list("first", "second")}
