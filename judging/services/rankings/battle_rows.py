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


def battle_rows(project: Project, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """In the order of the items: a row for each vote of a person, and one for each judge and pair.

    People are called person-001, person-002 …; nobody's name is in it. A judge that says otherwise in the other order
    says tie. left_out: gets reason -> how many; `both bad` is counted there too, though its row is kept as a tie.
    """
    found = sorted(_battles(project, left_out), key=lambda one: (one.item, one.answers, one.who))
    keys = _keys(found)
    for start in range(0, len(found), AT_ONCE):
        yield from _rows(found[start : start + AT_ONCE], keys, left_out)


def _battles(project: Project, left_out: Counter[str]) -> Iterator[Battle]:
    said = ratings(project, PREFERENCE)
    people = [one for one in said if one.rater.sort == "person"]
    numbers = {name: f"person-{no:03}" for no, name in enumerate(sorted({one.rater.name for one in people}), start=1)}
    for one in people:
        _pair, low, high = one.unit.split("/")
        if one.value is None:
            left_out[CANNOT_TELL] += 1
            continue
        left_out[BOTH_BAD] += one.value == "both_bad"
        who = ("rater", numbers[one.rater.name])
        yield Battle(one.item, (int(low), int(high)), WINNERS[str(one.value)], who)
    for side in sides(project, said):
        if side.rater is not None:
            for fight in side.fights:
                yield Battle(fight.item, fight.answers, fight.winner, ("judge", side.rater.name))


def _keys(found: Iterable[Battle]) -> Mapping[Answers, str]:
    """pair -> its key: the item's, with a number where the item has several pairs."""
    by_item: dict[int, dict[Answers, None]] = defaultdict(dict)
    for one in found:
        by_item[one.item][one.answers] = None
    named = dict(Item.objects.filter(pk__in=by_item).values_list("pk", "key"))
    return {
        pair: named[item] if no == 1 else f"{named[item]}/{no}"
        for item, pairs in by_item.items()
        for no, pair in enumerate(pairs, start=1)
    }


def _rows(found: Sequence[Battle], keys: Mapping[Answers, str], left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    ids = {answer for one in found for answer in one.answers}
    there = Answer.objects.select_related("author").filter(pk__in=ids, item__erasure=None)
    answers, prompts = {one.pk: one for one in there}, prompts_of({one.answers for one in found})
    groups = dict(Item.objects.filter(pk__in={one.item for one in found}).values_list("pk", "group"))
    for one in found:
        left, right = (answers.get(pk) for pk in one.answers)
        if left is None or right is None or left.author_id == right.author_id:
            left_out[NO_TEXT if left is None or right is None else SAME_AUTHOR] += 1
            continue
        column, name = one.who
        yield {
            "key": keys[one.answers],
            "prompt": _text(prompts[one.answers]),
            "left": left.author.name,
            "right": right.author.name,
            "left_text": left.text,
            "right_text": right.text,
            "winner": one.winner,
            column: name,
            "group": groups[one.item],
        }


def _text(prompt: Any) -> str:
    """Earlier turns stand before the last one."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in prompt)
