"""Plans of studies: which items and answers a draw would take, blinding of their texts, and the estimated time.

A plan lists the items and answers, the numbers by stratum, and what is left out for which reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.errors import Refused
from annotate.models import Item, Project
from judging.answers.cases import Case, cases, decided
from judging.models import Answer, Author, Ballot
from judging.studies import designs
from judging.studies.designs import ADAPTIVE, GROUP, MASKED, Blinding, DrawPlan, chance, stratified
from judging.studies.masking import Telling, telling
from lib.stats.designs import PairCandidate

Answers = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class NamedAnswer:
    """An answer that names a model. words: term -> occurrences; aside: left out of the study for that reason."""

    answer: int
    words: Mapping[str, int]
    aside: bool


def list_entry(mention: NamedAnswer) -> dict[str, Any]:
    """The entry as a study stores it."""
    return {"answer": mention.answer, "words": dict(mention.words), "aside": mention.aside}


def telling_of(project: Project, authors: Iterable[Author], blinding: Blinding) -> Telling:
    """Search terms: names, families and makers of all models and chosen authors, and the lead's additions."""
    models = list(Author.objects.filter(project=project, sort=Author.Sort.MODEL))
    names = {name for author in [*models, *authors] for name in (author.name, author.family, author.provider)}
    never = {name.strip().casefold() for name in blinding.never}
    searched_names = [name for name in [*names, *blinding.also] if name.strip().casefold() not in never]
    return telling(searched_names, blinding.phrases)


def blinded(answers: Answers, names: Telling, how: str) -> tuple[Answers | None, list[NamedAnswer]]:
    """(answer, text) as people may see them, None if they must not; and the answers in which something was found.

    An answer that contains nothing else is never shown.
    """
    masked = [(pk, names.mask(text)) for pk, text in answers]
    aside = any(masked_text.words and (how != MASKED or masked_text.is_empty) for _pk, masked_text in masked)
    mentions = [NamedAnswer(pk, dict(masked_text.words), aside) for pk, masked_text in masked if masked_text.words]
    return None if aside else [(pk, masked_text.text) for pk, masked_text in masked], mentions


# The plan as a lead sees it and as a study stores it.


LISTED = 500  # most answers naming a model that a study lists
LEFT_OUT: dict[str, str | Promise] = {
    "unreadable": gettext_lazy("their texts can no longer be read"),
    "unanswered": gettext_lazy("one of the authors has no answer with a text"),
    "nothing_to_ask": gettext_lazy("there is nothing to vote on, such as an empty checklist"),
    "named": gettext_lazy("their answers name a model"),
    "drawn_before": gettext_lazy("all their votes were drawn into this project before"),
    "not_drawn": gettext_lazy("the random draw did not pick them"),
}


@dataclass(frozen=True)
class PlannedVote:
    """A planned vote item: its facts, and the answers in the order in which they show them."""

    item: Item
    stratum: str
    facts: dict[str, Any]
    first: int
    second: int | None = None

    @property
    def answers(self) -> frozenset[int]:
        return frozenset(answer for answer in (self.first, self.second) if answer is not None)


@dataclass(frozen=True)
class Plan:
    """votes: in their final order; repeats: indexes of those that are repeated.

    strata: name -> (items available, items drawn). left_out: reason -> accepted items of the source.
    found: answers that name a model, in the votes and in the pairs that are set aside; aside: the number of such pairs.
    short: names that are too short to search. pool: items from which further waves take pairs.
    """

    wish: DrawPlan
    authors: Sequence[Author]
    votes: Sequence[PlannedVote]
    items: int
    answers: int
    strata: Mapping[str, tuple[int, int]]
    left_out: Mapping[str, int] = field(default_factory=dict)
    repeats: Sequence[int] = ()
    found: Sequence[NamedAnswer] = ()
    aside: int = 0
    short: Sequence[str] = ()
    pool: Sequence[int] = ()

    @property
    def asked(self) -> int:
        """Votes of people that the plan requests; for an adaptive design its whole budget."""
        design = self.wish.design
        if design.name == ADAPTIVE and design.room is not None:
            return design.votes_of(design.room)
        return len(self.votes) * design.overlap + len(self.repeats)

    @property
    def repeats_too_far(self) -> bool:
        """Whether nobody can get a repetition, because even all items are too few for the required distance."""
        design = self.wish.design
        pairs = design.room if design.name == ADAPTIVE and design.room is not None else len(self.votes)
        return bool(self.repeats) and pairs <= design.apart

    @property
    def counts(self) -> dict[str, Any]:
        """The counts as a study stores them."""
        return {
            "items": self.items,
            "answers": self.answers,
            "votes": len(self.votes),
            "repeats": len(self.repeats),
            "asked": self.asked,
            "strata": {name: list(sizes) for name, sizes in self.strata.items()},
            "left_out": dict(self.left_out),
            "named": {"answers": len(self.found), "aside": self.aside, "too_short": list(self.short)},
        }

    @property
    def listed(self) -> list[dict[str, Any]]:
        """Answers that name a model, as a study stores them."""
        return [list_entry(mention) for mention in self.found[:LISTED]]


# Estimated time that people need for the votes of a plan.


# Characters per second, of Latin and other alphabets and of Chinese: slow reading, with a look back at the question.
LETTERS, HAN = 18.0, 5.0
DECIDING = 10.0  # seconds
LOOKED_AT = 500  # votes; their mean is used for all


def hours(plan: Plan) -> float | None:
    """Hours for all votes of the plan together; None if there are none."""
    some = plan.votes[:LOOKED_AT]
    if not some:
        return None
    return plan.asked * sum(DECIDING + _reading(str(list(vote.facts.values()))) for vote in some) / len(some) / 3600


def _reading(text: str) -> float:
    han = sum("\u2e80" <= char <= "\u9fff" for char in text)
    return han / HAN + (len(text) - han) / LETTERS


# Making a plan.


NO_STRATUM = "–"


def plan(wish: DrawPlan) -> Plan:
    """The plan of a draw; writes nothing. Raises Refused, with what to do."""
    authors = _authors(wish)
    designs.checked(wish)
    names = telling_of(wish.source, authors, wish.blinding)
    answers, drawn_pairs, skip_counts = _answers(wish, authors), _drawn_before(wish), Counter[str]()
    eligible: list[tuple[Case, list[PlannedVote]]] = []
    mention_by_answer: dict[int, NamedAnswer] = {}
    readable = aside = 0
    for case in cases(decided(wish.source).order_by("pk")):
        readable += 1
        author_answers = answers.get(case.item.pk, {})
        if len(author_answers) < len(authors):
            skip_counts["unanswered"] += 1
            continue
        asides: list[NamedAnswer] = []
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
    base_plan = _draw_plan(wish, authors, eligible, skip_counts, author_by_answer)
    shown_answers = {pk for vote in base_plan.votes for pk in vote.answers}
    mentions = [mention for mention in mention_by_answer.values() if mention.aside or mention.answer in shown_answers]
    return replace(base_plan, found=mentions, aside=aside, short=names.short)


def _draw_plan(
    wish: DrawPlan,
    authors: Sequence[Author],
    eligible: Sequence[tuple[Case, list[PlannedVote]]],
    skip_counts: Counter[str],
    author_by_answer: Mapping[int, int],
) -> Plan:
    strata = [(case.item.pk, stratum_of(case, wish.by)) for case, _votes in eligible]
    pool = set(stratified(strata, wish.items, wish.seed))
    all_votes = [vote for case, case_votes in eligible if case.item.pk in pool for vote in case_votes]
    votes = [
        all_votes[index]
        for index in designs.chosen_candidates(wish, [_candidate(vote, author_by_answer) for vote in all_votes])
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
        repeats=designs.repeated(wish.design, wish.seed, [vote.answers for vote in votes]),
        pool=sorted(pool) if wish.design.name == ADAPTIVE else (),
    )


def _candidate(vote: PlannedVote, author_by_answer: Mapping[int, int]) -> PairCandidate:
    return PairCandidate(vote.item.pk, vote.stratum, frozenset(author_by_answer[pk] for pk in vote.answers))


def _refuse_unknown_division(wish: DrawPlan, eligible: Sequence[Case]) -> None:
    """Refuse a division that no item has: everything would be one stratum, so it is a mistake."""
    divisions = {name for case in eligible for name, values in case.judged.labels.items() if values}
    if not eligible or wish.by in {GROUP, *divisions}:
        return
    message = _("No item is grouped by “%(by)s”. Stratify by one of: %(known)s.")
    raise Refused(message % {"by": wish.by, "known": ", ".join([GROUP, *sorted(divisions)])})


def stratum_of(case: Case, by: str) -> str:
    """The first of the item's values in that division; all items without one are one stratum."""
    if by == GROUP:
        return case.item.group or NO_STRATUM
    values = case.judged.labels.get(by, ())
    return values[0] if values else NO_STRATUM


def _authors(wish: DrawPlan) -> list[Author]:
    """The authors by id, so that names have no influence on a draw."""
    if not wish.kind.answers_shown:
        raise Refused(_("“%(kind)s” is not a kind for votes on answers.") % {"kind": wish.kind.slug})
    if not wish.source.kind.judges_answers:
        raise Refused(_("Items of “%(slug)s” take no answers.") % {"slug": wish.source.slug})
    authors = list(Author.objects.filter(project=wish.source, name__in=wish.authors).order_by("pk"))
    missing = sorted(set(wish.authors) - {author.name for author in authors})
    if missing:
        raise Refused(_("There is no author “%(name)s”. Import their answers first.") % {"name": missing[0]})
    if len(authors) < wish.kind.answers_shown:
        raise Refused(_("Choose at least %(n)d authors.") % {"n": wish.kind.answers_shown})
    if wish.items < 1:
        raise Refused(_("Draw at least one item."))
    return authors


def _answers(wish: DrawPlan, authors: Sequence[Author]) -> dict[int, dict[int, tuple[int, str]]]:
    """item -> author -> (answer, text): the current version of each author's first sample."""
    stored_answers = Answer.objects.current().filter(author__in=authors, item__project=wish.source, known=True)
    rows = stored_answers.order_by("item_id", "author_id", "-sample").values_list("item_id", "author_id", "pk", "text")
    answers: dict[int, dict[int, tuple[int, str]]] = {}
    for item, author, pk, text in rows.iterator(chunk_size=2000):
        if text.strip():
            answers.setdefault(item, {})[author] = pk, text
    return answers


def _votes(
    wish: DrawPlan,
    case: Case,
    answers: Answers,
    names: Telling,
    mention_by_answer: dict[int, NamedAnswer],
    asides: list[NamedAnswer],
) -> Iterator[PlannedVote]:
    """One vote for each answer, or for each pair of answers in random order.

    mention_by_answer: gets the answers that name a model; asides: gets one of them for each pair set aside for it.
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


def vote_of(
    wish: DrawPlan, case: Case, answers: Answers, names: Telling
) -> tuple[PlannedVote | None, list[NamedAnswer]]:
    """The vote, None if it cannot be shown; and the answers that name a model."""
    sides = list(answers)
    chance(wish.seed, "sides", *(pk for pk, _text in answers)).shuffle(sides)
    blind, mentions = blinded(sides, names, wish.blinding.names)
    facts = wish.kind.ballot(case.judged, [text for _pk, text in blind]) if blind else None
    if facts is None:
        return None, mentions
    return PlannedVote(case.item, stratum_of(case, wish.by), facts, *(pk for pk, _text in sides)), mentions


def _drawn_before(wish: DrawPlan) -> set[frozenset[int | None]]:
    """Pairs that this project has drawn before."""
    if wish.target is None:
        return set()
    ballots = Ballot.objects.filter(item__project=wish.target, first__item__project=wish.source)
    return {frozenset(pair) for pair in ballots.values_list("first", "second")}
