"""Pairs for preference training: what most people preferred, and by how much."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from annotate.kinds.protocol import Message
from annotate.models import Item, Project
from judging.models import Answer, Ballot
from judging.services.cases import case_of
from judging.services.rankings.fights import CANNOT_TELL, Fight, Side, sides

NO_MAJORITY, TOO_FEW, NO_TEXT, ALIKE = "no majority", "too few votes", "text not known", "both texts are the same"
AT_ONCE = 500
Answers = tuple[int, int]


def training_pairs(project: Project, *, least: int = 1, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """{prompt, chosen, rejected, margin, votes} of every pair on which one answer has more votes than the other.

    prompt: a text, or with earlier turns a list of {role, content}. votes: of people who said something, ties and “both
    bad” among them; margin: votes for the chosen less those for the rejected, as a share of all, above 0 up to 1.
    least: fewest votes of a pair. left_out: gets reason -> pairs that are none; votes that could not tell are counted
    too.
    """
    people = next((side for side in sides(project) if side.rater is None), Side(None, []))
    if people.skipped.get(CANNOT_TELL):
        left_out[CANNOT_TELL] += people.skipped[CANNOT_TELL]
    by_pair: dict[Answers, list[Fight]] = defaultdict(list)
    for fight in people.fights:
        by_pair[fight.answers].append(fight)
    decided = [
        (pair, decision) for pair, fights in sorted(by_pair.items()) if (decision := _decided(fights, least, left_out))
    ]
    for start in range(0, len(decided), AT_ONCE):
        yield from _rows(decided[start : start + AT_ONCE], left_out)


def _decided(fights: Sequence[Fight], least: int, skip_counts: Counter[str]) -> tuple[int, float, int] | None:
    """Which of the two was chosen, margin, votes; None where the pair is left out."""
    won = Counter(fight.winner for fight in fights)
    ahead = won["left"] - won["right"]
    if len(fights) < least or not ahead:
        skip_counts[TOO_FEW if len(fights) < least else NO_MAJORITY] += 1
        return None
    return (0 if ahead > 0 else 1), abs(ahead) / len(fights), len(fights)


def _rows(
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
    """What was asked about each, as the people who voted saw it; what the item asks where nobody did, "" if nothing."""
    answers = {answer for pair in pairs for answer in pair}
    voted: dict[Answers, Any] = {}
    ballots = Ballot.objects.filter(first__in=answers, second__in=answers)
    for first, second, facts in ballots.values_list("first", "second", "item__facts"):
        turns = [*(facts.get("before") or []), {"role": "user", "content": facts["prompt"]}]
        voted[min(first, second), max(first, second)] = turns if len(turns) > 1 else facts["prompt"]
    prompt_by_answer = _asked({pair[0] for pair in pairs if pair not in voted})
    return {pair: voted[pair] if pair in voted else prompt_by_answer.get(pair[0], "") for pair in pairs}


def _asked(answers: Collection[int]) -> Mapping[int, Any]:
    """answer -> what its item asks."""
    items = dict(Answer.objects.filter(pk__in=answers).values_list("pk", "item"))
    stored_items = Item.objects.select_related("base", "project").filter(pk__in=set(items.values()))
    messages_by_item = {item.pk: case.judged.messages for item in stored_items if (case := case_of(item))}
    return {answer: _prompt(messages_by_item[item]) for answer, item in items.items() if item in messages_by_item}


def _prompt(messages: Sequence[Message]) -> Any:
    turns = [dict(message) for message in messages]
    return turns if len(turns) > 1 else turns[0]["content"]
