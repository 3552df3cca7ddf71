"""Preferences of people and judges as rows of battles, the way the format `battles` reads them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.models import Item, Project
from judging.models import Answer
from judging.services.rankings.fights import CANNOT_TELL, WINNERS, sides
from judging.services.rankings.pairs import prompts_of
from judging.services.ratings import PREFERENCE, ratings

AT_ONCE = 500
NO_TEXT, SAME_AUTHOR = "withdrawn", "both answers of one author"
BOTH_BAD = "both bad, a tie here"
Answers = tuple[int, int]


@dataclass(frozen=True)
class Battle:
    """who: the name, and the column that it stands in: `rater` or `judge`."""

    item: int
    answers: Answers
    winner: str
    who: tuple[str, str]


def battle_rows(project: Project, skip_counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """In the order of the items: a row for each vote of a person, and one for each judge and pair.

    People are called person-001, person-002 …; nobody's name is in it. A judge that says otherwise in the other order
    says tie. left_out: gets reason -> how many; `both bad` is counted there too, though its row is kept as a tie.
    """
    battles = sorted(_battles(project, skip_counts), key=lambda battle: (battle.item, battle.answers, battle.who))
    keys = _keys(battles)
    for start in range(0, len(battles), AT_ONCE):
        yield from _rows(battles[start : start + AT_ONCE], keys, skip_counts)


def _battles(project: Project, skip_counts: Counter[str]) -> Iterator[Battle]:
    preferences = ratings(project, PREFERENCE)
    people = [rating for rating in preferences if rating.rater.sort == "person"]
    numbers = {
        name: f"person-{no:03}" for no, name in enumerate(sorted({rating.rater.name for rating in people}), start=1)
    }
    for rating in people:
        _pair, low, high = rating.unit.split("/")
        if rating.value is None:
            skip_counts[CANNOT_TELL] += 1
            continue
        skip_counts[BOTH_BAD] += rating.value == "both_bad"
        who = ("rater", numbers[rating.rater.name])
        yield Battle(rating.item, (int(low), int(high)), WINNERS[str(rating.value)], who)
    for side in sides(project, preferences):
        if side.rater is not None:
            for fight in side.fights:
                yield Battle(fight.item, fight.answers, fight.winner, ("judge", side.rater.name))


def _keys(battles: Iterable[Battle]) -> Mapping[Answers, str]:
    """pair -> its key: the item's, with a number where the item has several pairs."""
    by_item: dict[int, dict[Answers, None]] = defaultdict(dict)
    for battle in battles:
        by_item[battle.item][battle.answers] = None
    key_by_item = dict(Item.objects.filter(pk__in=by_item).values_list("pk", "key"))
    return {
        pair: key_by_item[item] if no == 1 else f"{key_by_item[item]}/{no}"
        for item, pairs in by_item.items()
        for no, pair in enumerate(pairs, start=1)
    }


def _rows(
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
    """Earlier turns stand before the last one."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in prompt)
