"""The form of a tree of judgements: problems and doubts, the buttons that change branches, and posted fields."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django.http import QueryDict

from annotate.kinds.branching.chain import branch as new_branch
from annotate.kinds.branching.shapes import (
    MOST,
    Branch,
    BranchingDraft,
    BranchingFacts,
    BranchingOptions,
    grounds,
    sums,
)
from annotate.kinds.shapes import Finding
from annotate.kinds.trees import HIGHEST, LOWEST, SIDES, Criterion, Side, is_score
from annotate.kinds.values import number
from lib.texts.stored_sentences import say as _

LEVEL_COUNT = 5


def problems(facts: BranchingFacts, draft: BranchingDraft) -> Iterator[Finding]:
    if not draft.branches:
        yield Finding("branches", _("needs at least one criterion."))
    if len(draft.branches) > MOST:
        yield Finding("branches", _("has more than %(most)d criteria.") % {"most": MOST})
    sides = _to_score(facts, draft)
    for index, branch in enumerate(draft.branches):
        for message in _of_branch(branch, sides):
            yield Finding(f"branches[{index}]", message)
    yield from _of_ids(draft.branches)
    yield from _of_weights(draft.branches)
    yield from _of_grounds(draft)


def _to_score(facts: BranchingFacts, draft: BranchingDraft) -> Sequence[Side]:
    """The responses that need scores: none if the judgement is the original one and nobody has begun to score."""
    scored = any(getattr(branch.judgement, f"score_{side}") is not None for branch in draft.branches for side in SIDES)
    if facts.original is not None and not scored:
        return ()
    return SIDES if facts.second is not None else SIDES[:1]


def _of_branch(branch: Branch, sides: Sequence[Side]) -> Iterator[str]:
    if not branch.name.strip() or not branch.description.strip():
        yield _("name the criterion and describe it.")
    levels = branch.guideline.levels
    if len(levels) != LEVEL_COUNT or not all(words.strip() for words in levels):
        yield _("describe every score from 1 to 5 in the guideline.")
    if not all(is_score(getattr(branch.judgement, f"score_{side}")) for side in sides):
        yield _("give every response a score from 1 to 5.")
    if branch.guideline.criterion != branch.id or branch.judgement.guideline != branch.guideline.id:
        yield _("its guideline or judgement refers to another criterion; the ids must match.")


def _of_ids(branches: Sequence[Branch]) -> Iterator[Finding]:
    earlier_ids: set[str] = set()
    names: set[str] = set()
    for index, branch in enumerate(branches):
        ids = {branch.id, branch.guideline.id, branch.judgement.id}
        if earlier_ids & ids:
            yield Finding(f"branches[{index}]", _("has an id that another criterion has."))
        earlier_ids |= ids
        name = " ".join(branch.name.split()).casefold()
        if name and name in names:
            yield Finding(f"branches[{index}]", _("has the name of another criterion: merge them, or rename it."))
        names.add(name)


def _of_weights(branches: Sequence[Branch]) -> Iterator[Finding]:
    weights = [branch.weight for branch in branches]
    if any(weight is not None for weight in weights) and None in weights:
        yield Finding("branches", _("weight every criterion, or none."))
    if any(weight is not None and weight < 0 for weight in weights):
        yield Finding("branches", _("weights cannot be below 0."))
    elif weights and all(weight == 0 for weight in weights):
        yield Finding("branches", _("at least one criterion needs a weight above 0."))


def _of_grounds(draft: BranchingDraft) -> Iterator[Finding]:
    judgement_ids = {branch.judgement.id for branch in draft.branches}
    for side in SIDES:
        if set(getattr(draft, f"grounds_{side}")) - judgement_ids:
            yield Finding(f"correction_{side}", _("refers to a judgement that does not exist."))


def doubts(facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> Iterator[Finding]:
    stored: list[dict[str, Any]] = draft.stored()["branches"]
    for index, branch in enumerate(draft.branches):
        if _lacks_reasons(branch, pair=facts.second is not None):
            yield Finding(f"branches[{index}]", _("a score has no reason."))
    ahead = sums(stored).ahead
    if ahead and facts.human_label and ahead != facts.human_label:
        yield Finding("branches", _("the totals favour another response than people did."))
    for side in SIDES if facts.second is not None else SIDES[:1]:
        yield from _of_correction(facts, draft, side, low=bool(grounds(stored, side, options)))


def _lacks_reasons(branch: Branch, *, pair: bool) -> bool:
    sides = SIDES if pair else SIDES[:1]
    return any(
        getattr(branch.judgement, f"score_{side}") is not None
        and not getattr(branch.judgement, f"explanation_{side}").strip()
        for side in sides
    )


def _of_correction(facts: BranchingFacts, draft: BranchingDraft, side: Side, *, low: bool) -> Iterator[Finding]:
    text, response = getattr(draft, f"correction_{side}"), getattr(facts, side)
    path = f"correction_{side}"
    if low and not text.strip():
        yield Finding(path, _("a score is low enough for a correction, and there is none."))
    if text.strip() and text.split() == response.split():
        yield Finding(path, _("the correction is the same as the response."))
    if text.strip() and not low:
        yield Finding(path, _("no score is low enough for a correction."))


# Buttons of the tree. A part keeps its id; a new part never reuses an id.


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
        fresh = new_branch(highest_number(draft) + 1, Criterion(name="", description=""), [""] * 5)
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
    """The highest number of any id that the draft has or once had; 0 if no id has a number."""
    matches = [NUMBER.search(name) for name in _ids(draft.get("branches", []))]
    return max([int(draft.get("numbered") or 0), *(int(match[0]) for match in matches if match)])


def _ids(branches: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for criterion in branches:
        yield from (criterion["id"], criterion["guideline"]["id"], criterion["judgement"]["id"], *criterion["merged"])


def merged(above: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    """Both branches as one, with the ids of the upper one, which also lists the lower one. Differing texts are joined.

    A score stays if both gave the same; if they differ, a person has to give one.
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
    """In a correction's grounds, a merged judgement is replaced by the one it went into; a deleted one is dropped."""
    went_into = {
        merged: criterion["judgement"]["id"]
        for criterion in draft["branches"]
        for merged in (criterion["id"], *criterion["merged"])
    }
    now = {criterion["judgement"]["id"]: went_into.get(criterion["id"]) for criterion in old_branches}
    return draft | {f"grounds_{side}": _kept_grounds(draft.get(f"grounds_{side}"), now) for side in SIDES}


def _kept_grounds(grounds: Iterable[str] | None, now: Mapping[str, str | None]) -> list[str]:
    return list(dict.fromkeys(judgement_id for ground in grounds or [] if (judgement_id := now.get(ground))))


# The form: parallel lists of fields, one entry per branch, become branches; and what templates show of them.


LEVEL_NAMES = [f"level_{score}" for score in range(LOWEST, HIGHEST + 1)]
HIDDEN = ("branch", "merged", "guideline", "judgement")
SCORES, REASONS = ("score_first", "score_second"), ("explanation_first", "explanation_second", "comparison")
NAMES = (*HIDDEN, "criterion_name", "description", "branch_weight", *LEVEL_NAMES, *SCORES, *REASONS)
# A longer number is a typing error, and may be more than a float can hold.
LONGEST_NUMBER = 12


def posted_draft(data: QueryDict) -> dict[str, Any]:
    """The draft in a posted form. A score or weight that is not a number stays as typed, so that it is shown again."""
    numbered = data.get("numbered", "")
    draft: dict[str, Any] = {
        "branches": list(_posted_branches(data)),
        "numbered": int(numbered) if numbered.isdecimal() and len(numbered) < LONGEST_NUMBER else 0,
    }
    for side in SIDES:
        draft[f"correction_{side}"] = _text(data.get(f"correction_{side}", ""))
        draft[f"grounds_{side}"] = [judgement_id for judgement_id in data.getlist(f"grounds_{side}") if judgement_id]
    return draft


def _posted_branches(data: QueryDict) -> Iterator[dict[str, Any]]:
    columns = [data.getlist(name) for name in NAMES]
    for position, values in enumerate(zip_longest(*columns, fillvalue=""), start=1):
        yield _branch(position, dict(zip(NAMES, map(_text, values), strict=True)))


def _branch(position: int, row: Mapping[str, str]) -> dict[str, Any]:
    """A row without ids does not come from our form; it gets ids from its position."""
    criterion, guideline = row["branch"] or f"c{position}", row["guideline"] or f"g{position}"
    return {
        "id": criterion,
        "name": row["criterion_name"],
        "description": row["description"],
        "weight": number(row["branch_weight"], longest=LONGEST_NUMBER),
        "merged": row["merged"].split(),
        "guideline": {"id": guideline, "criterion": criterion, "levels": [row[name] for name in LEVEL_NAMES]},
        "judgement": {"id": row["judgement"] or f"j{position}", "guideline": guideline}
        | {name: number(row[name], longest=LONGEST_NUMBER) for name in SCORES}
        | {name: row[name] for name in REASONS},
    }


def _text(posted: str) -> str:
    """Browsers send CRLF; what it is compared with uses LF."""
    return posted.replace("\r\n", "\n")


def shown_branches(facts: BranchingFacts, draft: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each branch: its parts, its levels with their scores, and the judgement of each response."""
    return [_row(facts, branch) for branch in draft.get("branches") or []]


def _row(facts: BranchingFacts, branch: Mapping[str, Any]) -> dict[str, Any]:
    judgement, sides = branch["judgement"], SIDES[: 1 if facts.second is None else 2]
    return {
        **branch,
        "levels": list(enumerate(branch["guideline"]["levels"], start=LOWEST)),
        "merged_text": " ".join(branch["merged"]),
        "sides": [(side, judgement[f"score_{side}"], judgement[f"explanation_{side}"]) for side in sides],
    }


def context(facts: BranchingFacts, draft: Mapping[str, Any], options: BranchingOptions) -> dict[str, Any]:
    """rows; sums (with the response that is ahead); low: side -> names of the criteria that ask for its correction.

    unscored: the item's judgement is the original one, and nobody has begun to score.
    """
    branches: Sequence[Mapping[str, Any]] = draft.get("branches") or []
    return {
        "rows": shown_branches(facts, draft),
        "is_pair": facts.second is not None,
        "sums": sums(branches),
        "unscored": facts.original is not None and not any(map(_is_scored, branches)),
        "weighted": any(branch["weight"] is not None for branch in branches),
        "numbered": draft.get("numbered") or 0,
        "grounds_first": _grounds(draft, branches, "first", options),
        "grounds_second": _grounds(draft, branches, "second", options),
        "low_first": _named(branches, grounds(branches, "first", options)),
        "low_second": _named(branches, grounds(branches, "second", options)),
    }


def _grounds(
    draft: Mapping[str, Any], branches: Sequence[Mapping[str, Any]], side: Side, options: BranchingOptions
) -> Sequence[str]:
    """A correction without grounds, such as one that a person writes, gets the judgements that ask for a correction."""
    judgement_ids: Sequence[str] = draft.get(f"grounds_{side}") or []
    written = (draft.get(f"correction_{side}") or "").strip()
    return judgement_ids or (grounds(branches, side, options) if written else [])


def _is_scored(branch: Mapping[str, Any]) -> bool:
    return any(branch["judgement"][name] not in (None, "") for name in SCORES)


def _named(branches: Sequence[Mapping[str, Any]], judgements: Sequence[str]) -> str:
    return ", ".join(branch["name"] for branch in branches if branch["judgement"]["id"] in judgements)


def as_text(branches: Sequence[Mapping[str, Any]]) -> str:
    """The tree as text, for differences, history and review."""
    return "\n\n".join("\n".join(_lines(position, branch)) for position, branch in enumerate(branches, start=1))


def _lines(position: int, branch: Mapping[str, Any]) -> Iterator[str]:
    weight = "" if branch["weight"] is None else f" [{branch['weight']}]"
    yield f"{position}. {branch['name']}{weight}"
    yield branch["description"]
    yield from (f"  {score}: {words}" for score, words in enumerate(branch["guideline"]["levels"], start=LOWEST))
    for letter, side in zip("AB", SIDES, strict=True):
        score, why = branch["judgement"][f"score_{side}"], branch["judgement"][f"explanation_{side}"]
        if score is not None or why:
            yield f"  {letter}: {'–' if score is None else score} {why}".rstrip()
    if branch["judgement"]["comparison"]:
        yield f"  A/B: {branch['judgement']['comparison']}"
