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
    answers, drawn_pairs, skip_counts = _answers(wish, authors), _drawn_before(wish), Counter[str]()
    eligible: list[tuple[Case, list[Vote]]] = []
    mention_by_answer: dict[int, Named] = {}
    readable = aside = 0
    for case in cases(decided(wish.source).order_by("pk")):
        readable += 1
        author_answers = answers.get(case.item.pk, {})
        if len(author_answers) < len(authors):
            skip_counts["unanswered"] += 1
            continue
        asides: list[Named] = []
        votes = list(
            _votes(wish, case, [author_answers[author.pk] for author in authors], names, mention_by_answer, asides)
        )
        aside += len(asides)
        fresh = [vote for vote in votes if frozenset((vote.first, vote.second)) not in drawn_pairs]
        if fresh:
            eligible.append((case, fresh))
        else:
            skip_counts["drawn_before" if votes else "named" if asides else "nothing_to_ask"] += 1
    skip_counts["unreadable"] = decided(wish.source).count() - readable
    _refuse_unknown_division(wish, [case for case, _votes in eligible])
    author_by_answer = {
        pk: author for author_answers in answers.values() for author, (pk, _text) in author_answers.items()
    }
    base_plan = _drawn(wish, authors, eligible, skip_counts, author_by_answer)
    shown_answers = {pk for vote in base_plan.votes for pk in vote.answers}
    mentions = [mention for mention in mention_by_answer.values() if mention.aside or mention.answer in shown_answers]
    return replace(base_plan, found=mentions, aside=aside, short=names.short)


def _drawn(
    wish: Wish,
    authors: Sequence[Author],
    eligible: Sequence[tuple[Case, list[Vote]]],
    skip_counts: Counter[str],
    author_by_answer: Mapping[int, int],
) -> Plan:
    strata = [(case.item.pk, stratum_of(case, wish.by)) for case, _votes in eligible]
    pool = set(stratified(strata, wish.items, wish.seed))
    all_votes = [vote for case, case_votes in eligible if case.item.pk in pool for vote in case_votes]
    votes = [
        all_votes[index] for index in designing.chosen(wish, [_candidate(vote, author_by_answer) for vote in all_votes])
    ]
    chance(wish.seed, "order").shuffle(votes)
    item_pks = {vote.item.pk for vote in votes}
    counted = Counter(name for _pk, name in strata), Counter(name for pk, name in strata if pk in item_pks)
    skip_counts["not_drawn"] = len(eligible) - len(item_pks)
    return Plan(
        wish=wish,
        authors=authors,
        votes=votes,
        items=len(item_pks),
        answers=len({pk for vote in votes for pk in vote.answers}),
        strata={name: (counted[0][name], counted[1][name]) for name in sorted(counted[0])},
        left_out={reason: skip_counts[reason] for reason in LEFT_OUT if skip_counts[reason]},
        repeats=designing.repeated(wish.design, wish.seed, [vote.answers for vote in votes]),
        pool=sorted(pool) if wish.design.name == ADAPTIVE else (),
    )


def _candidate(vote: Vote, author_by_answer: Mapping[int, int]) -> Candidate:
    return Candidate(vote.item.pk, vote.stratum, frozenset(author_by_answer[pk] for pk in vote.answers))


def _refuse_unknown_division(wish: Wish, eligible: Sequence[Case]) -> None:
    """What no item is divided by is a slip: everything would be one stratum."""
    divisions = {name for case in eligible for name, values in case.judged.labels.items() if values}
    if not eligible or wish.by in {GROUP, *divisions}:
        return
    message = _("No item is divided by “%(by)s”. Draw by one of: %(known)s.")
    raise Refused(message % {"by": wish.by, "known": ", ".join([GROUP, *sorted(divisions)])})


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
    authors = list(Author.objects.filter(project=wish.source, name__in=wish.authors).order_by("pk"))
    missing = sorted(set(wish.authors) - {author.name for author in authors})
    if missing:
        raise Refused(_("No author is called “%(name)s”. Load their answers first.") % {"name": missing[0]})
    if len(authors) < wish.kind.answers_shown:
        raise Refused(_("Choose at least %(n)d authors.") % {"n": wish.kind.answers_shown})
    if wish.items < 1:
        raise Refused(_("Draw at least one item."))
    return authors


def _answers(wish: Wish, authors: Sequence[Author]) -> dict[int, dict[int, tuple[int, str]]]:
    """item -> author -> (answer, text): of each author's answers the first sample, as it reads today."""
    stored_answers = Answer.objects.current().filter(author__in=authors, item__project=wish.source, known=True)
    rows = stored_answers.order_by("item_id", "author_id", "-sample").values_list("item_id", "author_id", "pk", "text")
    answers: dict[int, dict[int, tuple[int, str]]] = {}
    for item, author, pk, text in rows.iterator(chunk_size=2000):
        if text.strip():
            answers.setdefault(item, {})[author] = pk, text
    return answers


def _votes(
    wish: Wish, case: Case, answers: Answers, names: Telling, mention_by_answer: dict[int, Named], asides: list[Named]
) -> Iterator[Vote]:
    """One for each answer, or for each pair of them in an order that chance decides.

    mention_by_answer: gets the answers in which a model is named; asides: one of them for each pair that is set aside
    for it.
    """
    for shown_answers in combinations(answers, wish.kind.answers_shown):
        vote, mentions = vote_of(wish, case, shown_answers, names)
        for mention in mentions:
            mention_by_answer[mention.answer] = (
                mention if mention.aside else mention_by_answer.get(mention.answer, mention)
            )
        if vote is not None:
            yield vote
        elif mentions and mentions[0].aside:
            asides.append(mentions[0])


def vote_of(wish: Wish, case: Case, answers: Answers, names: Telling) -> tuple[Vote | None, list[Named]]:
    """None where it cannot be asked; and the answers in which a model is named."""
    sides = list(answers)
    chance(wish.seed, "sides", *(pk for pk, _text in answers)).shuffle(sides)
    blind, mentions = blinded(sides, names, wish.blinding.names)
    facts = wish.kind.ballot(case.judged, [text for _pk, text in blind]) if blind else None
    if facts is None:
        return None, mentions
    return Vote(case.item, stratum_of(case, wish.by), facts, *(pk for pk, _text in sides)), mentions


def _drawn_before(wish: Wish) -> set[frozenset[int | None]]:
    """What this project has been asked already."""
    if wish.target is None:
        return set()
    ballots = Ballot.objects.filter(item__project=wish.target, first__item__project=wish.source)
    return {frozenset(pair) for pair in ballots.values_list("first", "second")}
