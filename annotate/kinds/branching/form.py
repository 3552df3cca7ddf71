"""The form of a tree: parallel lists of fields, one place each, become branches; and what templates show of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django.http import QueryDict

from annotate.kinds.branching.scoring import SIDES, Side, grounds, sums
from annotate.kinds.branching.shapes import HIGHEST, LOWEST, BranchingFacts, BranchingOptions

LEVELS = [f"level_{score}" for score in range(LOWEST, HIGHEST + 1)]
HIDDEN = ("branch", "merged", "guideline", "judgement")
SCORES, REASONS = ("score_first", "score_second"), ("explanation_first", "explanation_second", "comparison")
NAMES = (*HIDDEN, "criterion_name", "description", "branch_weight", *LEVELS, *SCORES, *REASONS)
# A number of more characters is a slip of the keyboard, and may be more than a float can hold.
LONGEST_NUMBER = 12


def posted_draft(data: QueryDict) -> dict[str, Any]:
    """The draft in a posted form. A score or weight that is no number stays as typed, so that it is shown again."""
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
    """A row without ids comes from no form of ours; it gets some by its place."""
    criterion, guideline = row["branch"] or f"c{position}", row["guideline"] or f"g{position}"
    return {
        "id": criterion,
        "name": row["criterion_name"],
        "description": row["description"],
        "weight": number(row["branch_weight"]),
        "merged": row["merged"].split(),
        "guideline": {"id": guideline, "criterion": criterion, "levels": [row[name] for name in LEVELS]},
        "judgement": {"id": row["judgement"] or f"j{position}", "guideline": guideline}
        | {name: number(row[name]) for name in SCORES}
        | {name: row[name] for name in REASONS},
    }


def _text(posted: str) -> str:
    """Browsers send CRLF; what is compared with it says LF."""
    return posted.replace("\r\n", "\n")


def number(typed: str) -> int | float | str | None:
    """As typed: whole numbers stay whole, a decimal comma counts as a point, an empty field is None."""
    text = typed.strip().replace(",", ".")
    for convert in (int, float) if len(text) < LONGEST_NUMBER else ():
        try:
            value = convert(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return typed if text else None


def shown_branches(facts: BranchingFacts, draft: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each branch: its parts, its levels with their scores, and what is said of each response."""
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
    """rows; sums (with who is ahead); low: side -> names of the criteria that ask for a correction of it.

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
    """A correction that names no judgement, as one that a person writes, rests on those that ask for one."""
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
