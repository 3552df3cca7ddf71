"""Preferences of people and judges as battles of two authors, pairs for preference training, and rows of files."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from annotate.kinds.protocol import Message
from annotate.models import Item, Project
from judging.answers.cases import case_of
from judging.cache import cached
from judging.formats.mtbench import is_order_known
from judging.models import Answer, Ballot, Verdict
from judging.ratings.raters import ProjectRatings, ratings
from judging.ratings.tables import state_of
from judging.ratings.units import PREFERENCE, Rater, Rating, Today
from lib.stats.ranking.battles import WINNERS as OUTCOMES
from lib.stats.ranking.battles import Battles, alike, battles

CANNOT_TELL, UNREADABLE, SAME_AUTHOR = "cannot tell", "unreadable", "both answers of one author"
WINNERS = {"first": "left", "second": "right", "tie": "tie", "both_bad": "tie"}
OTHER_WAY_ROUND = {"left": "right", "right": "left"}


class VerdictOrigin(NamedTuple):
    """The origin of a verdict. first: the answer that it names first; by_run: made by a run, not imported."""

    first: int
    by_run: bool


@dataclass(frozen=True, slots=True)
class Fight:
    """One preference. answers: the two, the smaller number first; authors: theirs; winner: `left` is the first of them.
    shown: the winner by the place where the answers were shown. sources: votes or verdicts. recognised: by a person who
    thinks they recognised an author. ordered: whether the place is known."""

    item: int
    answers: tuple[int, int]
    authors: tuple[str, str]
    winner: str
    shown: str
    sources: tuple[int, ...]
    recognised: bool = False
    ordered: bool = True


@dataclass(frozen=True)
class BattleSide:
    """Preferences of all people together, or of one judge. rater: None for people. skipped: reason -> count."""

    rater: Rater | None
    fights: Sequence[Fight]
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.rater.name if self.rater else "people"


def sides(project: Project, preferences: ProjectRatings | None = None) -> list[BattleSide]:
    """People first, if they have voted, then judges by name. preferences: those of the project, if at hand; without
    them the sides are cached until something changes.

    Each vote of a person is a battle. A judge's verdicts on one pair are one battle: its choice in both orders, or a
    tie if the orders differ. Of repetitions the first counts.
    """
    if preferences is not None:
        return _sides(project, preferences)
    today = Today(project)
    return cached(
        "sides", state_of(today, PREFERENCE), lambda: _sides(project, ratings(project, PREFERENCE, today=today))
    )


def _sides(project: Project, pair_ratings: ProjectRatings) -> list[BattleSide]:
    authors = dict(Answer.objects.filter(author__project=project).values_list("pk", "author__name"))
    verdicts = Verdict.objects.pairwise().filter(judge__project=project).values_list("pk", "first_id", "job_id")
    verdict_origins = {pk: VerdictOrigin(first_id, job is not None) for pk, first_id, job in verdicts}
    unordered = without_order(project)
    by_rater: dict[Rater | None, list[Rating]] = defaultdict(list)
    for rating in pair_ratings:
        if rating.rater.sort == "person":
            by_rater[None].append(rating)
        elif rating.repeat == 1:
            by_rater[rating.rater].append(rating)
    raters = sorted(by_rater, key=lambda rater: (rater is not None, rater.name if rater else ""))
    return [_side(rater, by_rater[rater], authors, verdict_origins, unordered) for rater in raters]


def battles_of(side: BattleSide, fights: Iterable[Fight] | None = None) -> Battles:
    """The battles of these fights, or of all fights of the side."""
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
    """Items whose two answers are stored in an order that no rater is known to have seen. One query."""
    keys = Item.objects.filter(project=project, key__startswith="mtbench-").values_list("pk", "key")
    return frozenset(pk for pk, key in keys if not is_order_known(key))


def _side(
    rater: Rater | None,
    preferences: Sequence[Rating],
    authors: Mapping[int, str],
    verdict_origins: Mapping[int, VerdictOrigin],
    unordered: Collection[int],
) -> BattleSide:
    skipped: Counter[str] = Counter()
    fights = list(
        _fights(preferences, authors, verdict_origins, unordered, skipped, CANNOT_TELL if rater is None else UNREADABLE)
    )
    return BattleSide(rater, fights if rater is None else list(_by_pair(fights)), dict(skipped))


def _fights(
    preferences: Iterable[Rating],
    authors: Mapping[int, str],
    verdict_origins: Mapping[int, VerdictOrigin],
    unordered: Collection[int],
    skipped: Counter[str],
    untold: str,
) -> Iterator[Fight]:
    for rating in preferences:
        low, high = rating.unit.answers
        answers, author_pair = (low, high), (authors[low], authors[high])
        if rating.value is None:
            skipped[untold] += 1
        elif author_pair[0] == author_pair[1]:
            skipped[SAME_AUTHOR] += 1
        else:
            winner = WINNERS[str(rating.value)]
            shown_winner = OTHER_WAY_ROUND.get(winner, winner) if _turned(rating, answers, verdict_origins) else winner
            ordered = rating.item not in unordered or _has_known_order(rating, verdict_origins)
            yield Fight(
                rating.item, answers, author_pair, winner, shown_winner, (rating.source,), rating.recognised, ordered
            )


def _has_known_order(rating: Rating, verdict_origins: Mapping[int, VerdictOrigin]) -> bool:
    """Whether the order is known: it is for ratings by an account or a run, not for imported ones."""
    return rating.rater.pk is not None if rating.rater.sort == "person" else verdict_origins[rating.source].by_run


def _turned(rating: Rating, answers: tuple[int, int], verdict_origins: Mapping[int, VerdictOrigin]) -> bool:
    """Whether the answer with the larger number was shown first. A person's rating says so itself; a verdict is
    swapped relative to the order in which it names its two."""
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
        # Over both orders, one place wins more often than the other only if the choice changes with the order.
        shown_winners = {fight.shown for fight in pair_fights}
        shown_winner = pair_fights[0].shown if len(shown_winners) == 1 else "tie"
        ordered = len(pair_fights) > 1 or pair_fights[0].ordered  # a rater with both orders saw each of them
        winner = pair_fights[0].winner if agreed else "tie"
        yield replace(pair_fights[0], winner=winner, shown=shown_winner, sources=sources, ordered=ordered)


# Preference training: pairs with the answer that most people preferred, and the margin.


NO_MAJORITY, TOO_FEW, NO_TEXT, ALIKE = "no majority", "too few votes", "text not known", "both texts are the same"
PAIRS_AT_ONCE = 500
Answers = tuple[int, int]


def training_pairs(project: Project, *, least: int = 1, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """{prompt, chosen, rejected, margin, votes} of every pair on which one answer has more votes than the other.

    prompt: a text, or with earlier turns a list of {role, content}. votes: of people who decided, including ties and
    “both bad”; margin: votes for the chosen minus those for the rejected, as a share of all, above 0 up to 1.
    least: fewest votes of a pair. left_out: gets reason -> pairs left out, and the votes that could not tell.
    """
    people = next((side for side in sides(project) if side.rater is None), BattleSide(None, []))
    if people.skipped.get(CANNOT_TELL):
        left_out[CANNOT_TELL] += people.skipped[CANNOT_TELL]
    by_pair: dict[Answers, list[Fight]] = defaultdict(list)
    for fight in people.fights:
        by_pair[fight.answers].append(fight)
    decided = [
        (pair, decision) for pair, fights in sorted(by_pair.items()) if (decision := _decided(fights, least, left_out))
    ]
    for start in range(0, len(decided), PAIRS_AT_ONCE):
        yield from _pair_rows(decided[start : start + PAIRS_AT_ONCE], left_out)


def _decided(fights: Sequence[Fight], least: int, skip_counts: Counter[str]) -> tuple[int, float, int] | None:
    """Index of the chosen answer, margin, votes; None if the pair is left out."""
    won = Counter(fight.winner for fight in fights)
    ahead = won["left"] - won["right"]
    if len(fights) < least or not ahead:
        skip_counts[TOO_FEW if len(fights) < least else NO_MAJORITY] += 1
        return None
    return (0 if ahead > 0 else 1), abs(ahead) / len(fights), len(fights)


def _pair_rows(
    decided: Sequence[tuple[Answers, tuple[int, float, int]]], skip_counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    answers = {answer for pair, _told in decided for answer in pair}
    texts = dict(
        Answer.objects.filter(pk__in=answers, known=True, item__erasure=None).exclude(text="").values_list("pk", "text")
    )
    prompts = prompts_of([pair for pair, _told in decided])
    for pair, (winner_index, margin, votes) in decided:
        chosen, rejected = texts.get(pair[winner_index]), texts.get(pair[1 - winner_index])
        if chosen is None or rejected is None or chosen == rejected:
            skip_counts[NO_TEXT if chosen is None or rejected is None else ALIKE] += 1
            continue
        yield {"prompt": prompts[pair], "chosen": chosen, "rejected": rejected, "margin": margin, "votes": votes}


def prompts_of(pairs: Collection[Answers]) -> Mapping[Answers, Any]:
    """The prompt of each pair as voters saw it; without voters that of the item, "" if it has none."""
    answers = {answer for pair in pairs for answer in pair}
    voted: dict[Answers, Any] = {}
    ballots = Ballot.objects.filter(first__in=answers, second__in=answers)
    for first, second, facts in ballots.values_list("first", "second", "item__facts"):
        turns = [*(facts.get("before") or []), {"role": "user", "content": facts["prompt"]}]
        voted[min(first, second), max(first, second)] = turns if len(turns) > 1 else facts["prompt"]
    prompt_by_answer = _prompts_by_answer({pair[0] for pair in pairs if pair not in voted})
    return {pair: voted[pair] if pair in voted else prompt_by_answer.get(pair[0], "") for pair in pairs}


def _prompts_by_answer(answers: Collection[int]) -> Mapping[int, Any]:
    """answer -> the prompt of its item."""
    items = dict(Answer.objects.filter(pk__in=answers).values_list("pk", "item"))
    stored_items = Item.objects.select_related("base", "project").filter(pk__in=set(items.values()))
    messages_by_item = {item.pk: case.judged.messages for item in stored_items if (case := case_of(item))}
    return {answer: _prompt(messages_by_item[item]) for answer, item in items.items() if item in messages_by_item}


def _prompt(messages: Sequence[Message]) -> Any:
    turns = [dict(message) for message in messages]
    return turns if len(turns) > 1 else turns[0]["content"]


# Rows of battles, in the shape that the format `battles` reads.


BATTLES_AT_ONCE = 500
NO_TEXT, SAME_AUTHOR = "withdrawn", "both answers of one author"
BOTH_BAD = "both bad, a tie here"


@dataclass(frozen=True)
class Battle:
    """who: the name, and its column: `rater` or `judge`."""

    item: int
    answers: Answers
    winner: str
    who: tuple[str, str]


def battle_rows(project: Project, skip_counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """Rows by item: one for each vote of a person, and one for each judge and pair.

    People are named person-001, person-002 …; no real name is included. A judge whose choice changes with the order
    counts as a tie. skip_counts: gets reason -> count; `both bad` is counted there too, though kept as a tie.
    """
    battles = sorted(_battles(project, skip_counts), key=lambda battle: (battle.item, battle.answers, battle.who))
    keys = _keys(battles)
    for start in range(0, len(battles), BATTLES_AT_ONCE):
        yield from _battle_rows(battles[start : start + BATTLES_AT_ONCE], keys, skip_counts)


def _battles(project: Project, skip_counts: Counter[str]) -> Iterator[Battle]:
    preferences = ratings(project, PREFERENCE)
    people = [rating for rating in preferences if rating.rater.sort == "person"]
    numbers = {
        name: f"person-{no:03}" for no, name in enumerate(sorted({rating.rater.name for rating in people}), start=1)
    }
    for rating in people:
        low, high = rating.unit.answers
        if rating.value is None:
            skip_counts[CANNOT_TELL] += 1
            continue
        skip_counts[BOTH_BAD] += rating.value == "both_bad"
        who = ("rater", numbers[rating.rater.name])
        yield Battle(rating.item, (low, high), WINNERS[str(rating.value)], who)
    for side in sides(project, preferences):
        if side.rater is not None:
            for fight in side.fights:
                yield Battle(fight.item, fight.answers, fight.winner, ("judge", side.rater.name))


def _keys(battles: Iterable[Battle]) -> Mapping[Answers, str]:
    """pair -> its key: the item's, with a number if the item has several pairs."""
    by_item: dict[int, dict[Answers, None]] = defaultdict(dict)
    for battle in battles:
        by_item[battle.item][battle.answers] = None
    key_by_item = dict(Item.objects.filter(pk__in=by_item).values_list("pk", "key"))
    return {
        pair: key_by_item[item] if no == 1 else f"{key_by_item[item]}/{no}"
        for item, pairs in by_item.items()
        for no, pair in enumerate(pairs, start=1)
    }


def _battle_rows(
    battles: Sequence[Battle], keys: Mapping[Answers, str], skip_counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    ids = {answer for battle in battles for answer in battle.answers}
    stored_answers = Answer.objects.select_related("author").filter(pk__in=ids, item__erasure=None)
    answers, prompts = (
        {answer.pk: answer for answer in stored_answers},
        prompts_of({battle.answers for battle in battles}),
    )
    groups = dict(Item.objects.filter(pk__in={battle.item for battle in battles}).values_list("pk", "group"))
    for battle in battles:
        left, right = (answers.get(pk) for pk in battle.answers)
        if left is None or right is None or left.author_id == right.author_id:
            skip_counts[NO_TEXT if left is None or right is None else SAME_AUTHOR] += 1
            continue
        column, name = battle.who
        yield {
            "key": keys[battle.answers],
            "prompt": _text(prompts[battle.answers]),
            "left": left.author.name,
            "right": right.author.name,
            "left_text": left.text,
            "right_text": right.text,
            "winner": battle.winner,
            column: name,
            "group": groups[battle.item],
        }


def _text(prompt: Any) -> str:
    """The prompt as one text, earlier turns first."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt)
