"""What the buttons of the tree do to its branches. Ids stay with what they were given to; a new one is never reused."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotate.kinds.branching.reading import branch
from annotate.kinds.branching.scoring import SIDES
from annotate.kinds.branching.told import Criterion

ACTION = re.compile(r"tree:(?P<verb>add|drop|up|down|merge|even|unweigh)(?:-(?P<no>\d{1,3}))?")
NUMBER = re.compile(r"\d{1,9}$")


def edited(draft: Mapping[str, Any], action: str) -> dict[str, Any]:
    """The draft after tree:add, even, unweigh, drop-N, up-N, down-N or merge-N (into the one above), N from 1.

    Anything else changes nothing.
    """
    match = ACTION.fullmatch(action)
    if not match:
        return dict(draft)
    branches, index = draft.get("branches", []), int(match["no"] or 0) - 1
    changed = _whole(branches, match["verb"], draft) if index < 0 else _one(list(branches), match["verb"], index)
    numbered = max(highest_number(draft), highest_number({"branches": changed}))
    return _with_grounds_of({**draft, "branches": changed, "numbered": numbered}, branches)


def _whole(branches: list[Any], verb: str, draft: Mapping[str, Any]) -> list[Any]:
    if verb == "add":
        fresh = branch(highest_number(draft) + 1, Criterion(name="", description=""), [""] * 5)
        return [
            *branches,
            {**fresh, "weight": 1 if any(criterion["weight"] is not None for criterion in branches) else None},
        ]
    if verb == "even":
        return [{**criterion, "weight": 1} for criterion in branches]
    if verb == "unweigh":
        return [{**criterion, "weight": None} for criterion in branches]
    return branches


def _one(branches: list[Any], verb: str, index: int) -> list[Any]:
    if index >= len(branches):
        return branches
    if verb == "drop":
        del branches[index]
    elif verb in ("up", "down"):
        to = min(max(index + (1 if verb == "down" else -1), 0), len(branches) - 1)
        branches.insert(to, branches.pop(index))
    elif verb == "merge" and index > 0:
        branches[index - 1 : index + 1] = [merged(branches[index - 1], branches[index])]
    return branches


def highest_number(draft: Mapping[str, Any]) -> int:
    """Of all ids that the draft has or once had; 0 where it has none with a number."""
    matches = [NUMBER.search(name) for name in _ids(draft.get("branches", []))]
    return max([int(draft.get("numbered") or 0), *(int(match[0]) for match in matches if match)])


def _ids(branches: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for criterion in branches:
        yield from (criterion["id"], criterion["guideline"]["id"], criterion["judgement"]["id"], *criterion["merged"])


def merged(above: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    """Both as one under the ids of the upper one, which remembers the other. Texts that differ stand one after another.

    A score stays where both gave it; where they differ, a person has to give one.
    """
    levels = [_joined(*pair) for pair in zip(above["guideline"]["levels"], below["guideline"]["levels"], strict=False)]
    return {
        **above,
        "name": _joined(above["name"], below["name"], " / "),
        "description": _joined(above["description"], below["description"]),
        "weight": _added(above["weight"], below["weight"]),
        "merged": [*above["merged"], below["id"], *below["merged"]],
        "guideline": {**above["guideline"], "levels": levels},
        "judgement": {**above["judgement"], **_joined_judgement(above["judgement"], below["judgement"])},
    }


def _joined_judgement(above: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    texts = ("explanation_first", "explanation_second", "comparison")
    scores = ("score_first", "score_second")
    return {name: _joined(above[name], below[name]) for name in texts} | {
        name: above[name] if above[name] == below[name] else None for name in scores
    }


def _joined(upper_text: str, lower_text: str, between: str = "\n") -> str:
    parts: Sequence[str] = list(dict.fromkeys(part for part in (upper_text.strip(), lower_text.strip()) if part))
    return between.join(parts)


def _added(upper_weight: Any, lower_weight: Any) -> Any:
    numbers = [weight for weight in (upper_weight, lower_weight) if isinstance(weight, int | float)]
    return sum(numbers) if numbers else None


def _with_grounds_of(draft: dict[str, Any], old_branches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A correction rests on the judgement that another one went into, and no longer on one that is gone."""
    went_into = {
        merged: criterion["judgement"]["id"]
        for criterion in draft["branches"]
        for merged in (criterion["id"], *criterion["merged"])
    }
    now = {criterion["judgement"]["id"]: went_into.get(criterion["id"]) for criterion in old_branches}
    return draft | {f"grounds_{side}": _kept(draft.get(f"grounds_{side}"), now) for side in SIDES}


def _kept(grounds: Iterable[str] | None, now: Mapping[str, str | None]) -> list[str]:
    return list(dict.fromkeys(judgement_id for ground in grounds or [] if (judgement_id := now.get(ground))))
