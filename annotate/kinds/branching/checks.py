"""What stops a tree from being handed in, and what a person should look at first."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotate.kinds.branching.scoring import SIDES, Side, grounds, is_score, sums
from annotate.kinds.branching.shapes import MOST, Branch, BranchingDraft, BranchingFacts, BranchingOptions
from annotate.kinds.shapes import Finding
from lib.texts.said import say as _

LEVELS = 5


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
    """The responses that need scores: none where the judgement is the original one, and nobody has begun another."""
    scored = any(getattr(branch.judgement, f"score_{side}") is not None for branch in draft.branches for side in SIDES)
    if facts.original is not None and not scored:
        return ()
    return SIDES if facts.second is not None else SIDES[:1]


def _of_branch(branch: Branch, sides: Sequence[Side]) -> Iterator[str]:
    if not branch.name.strip() or not branch.description.strip():
        yield _("name the criterion and say what is looked at.")
    levels = branch.guideline.levels
    if len(levels) != LEVELS or not all(words.strip() for words in levels):
        yield _("the guideline needs words for every score from 1 to 5.")
    if not all(is_score(getattr(branch.judgement, f"score_{side}")) for side in sides):
        yield _("give every response a score from 1 to 5.")
    if branch.guideline.criterion != branch.id or branch.judgement.guideline != branch.guideline.id:
        yield _("its guideline or judgement names another criterion; the ids have to lead from one to the next.")


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
            yield Finding(f"branches[{index}]", _("has the name of another criterion: merge them, or name it apart."))
        names.add(name)


def _of_weights(branches: Sequence[Branch]) -> Iterator[Finding]:
    weights = [branch.weight for branch in branches]
    if any(weight is not None for weight in weights) and None in weights:
        yield Finding("branches", _("weigh every criterion, or none."))
    if any(weight is not None and weight < 0 for weight in weights):
        yield Finding("branches", _("no weight may lie below 0."))
    elif weights and all(weight == 0 for weight in weights):
        yield Finding("branches", _("some criterion has to weigh something."))


def _of_grounds(draft: BranchingDraft) -> Iterator[Finding]:
    judgement_ids = {branch.judgement.id for branch in draft.branches}
    for side in SIDES:
        if set(getattr(draft, f"grounds_{side}")) - judgement_ids:
            yield Finding(f"correction_{side}", _("rests on a judgement that is not there."))


def doubts(facts: BranchingFacts, draft: BranchingDraft, options: BranchingOptions) -> Iterator[Finding]:
    stored: list[dict[str, Any]] = draft.stored()["branches"]
    for index, branch in enumerate(draft.branches):
        if _lacks_reasons(branch, pair=facts.second is not None):
            yield Finding(f"branches[{index}]", _("a score stands there without a reason."))
    ahead = sums(stored).ahead
    if ahead and facts.human_label and ahead != facts.human_label:
        yield Finding("branches", _("the sums put another response ahead than people did."))
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
        yield Finding(path, _("the correction says what the response says."))
    if text.strip() and not low:
        yield Finding(path, _("no score is low enough for a correction."))
