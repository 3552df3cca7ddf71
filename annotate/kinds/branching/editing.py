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
    found = ACTION.fullmatch(action)
    if not found:
        return dict(draft)
    branches, at = draft.get("branches", []), int(found["no"] or 0) - 1
    changed = _whole(branches, found["verb"], draft) if at < 0 else _one(list(branches), found["verb"], at)
    numbered = max(highest_number(draft), highest_number({"branches": changed}))
    return _with_grounds_of({**draft, "branches": changed, "numbered": numbered}, branches)


def _whole(branches: list[Any], verb: str, draft: Mapping[str, Any]) -> list[Any]:
    if verb == "add":
        fresh = branch(highest_number(draft) + 1, Criterion(name="", description=""), [""] * 5)
        return [*branches, {**fresh, "weight": 1 if any(one["weight"] is not None for one in branches) else None}]
    if verb == "even":
        return [{**one, "weight": 1} for one in branches]
    if verb == "unweigh":
        return [{**one, "weight": None} for one in branches]
    return branches


def _one(branches: list[Any], verb: str, at: int) -> list[Any]:
    if at >= len(branches):
        return branches
    if verb == "drop":
        del branches[at]
    elif verb in ("up", "down"):
        to = min(max(at + (1 if verb == "down" else -1), 0), len(branches) - 1)
        branches.insert(to, branches.pop(at))
    elif verb == "merge" and at > 0:
        branches[at - 1 : at + 1] = [merged(branches[at - 1], branches[at])]
    return branches


def highest_number(draft: Mapping[str, Any]) -> int:
    """Of all ids that the draft has or once had; 0 where it has none with a number."""
    found = [NUMBER.search(name) for name in _ids(draft.get("branches", []))]
    return max([int(draft.get("numbered") or 0), *(int(one[0]) for one in found if one)])


def _ids(branches: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in branches:
        yield from (one["id"], one["guideline"]["id"], one["judgement"]["id"], *one["merged"])


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


def _joined(one: str, other: str, between: str = "\n") -> str:
    parts: Sequence[str] = list(dict.fromkeys(part for part in (one.strip(), other.strip()) if part))
    return between.join(parts)


def _added(one: Any, other: Any) -> Any:
    numbers = [weight for weight in (one, other) if isinstance(weight, int | float)]
    return sum(numbers) if numbers else None


def _with_grounds_of(draft: dict[str, Any], before: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A correction rests on the judgement that another one went into, and no longer on one that is gone."""
    went_into = {merged: one["judgement"]["id"] for one in draft["branches"] for merged in (one["id"], *one["merged"])}
    now = {one["judgement"]["id"]: went_into.get(one["id"]) for one in before}
    return draft | {f"grounds_{side}": _kept(draft.get(f"grounds_{side}"), now) for side in SIDES}


def _kept(grounds: Iterable[str] | None, now: Mapping[str, str | None]) -> list[str]:
    return list(dict.fromkeys(there for one in grounds or [] if (there := now.get(one))))
