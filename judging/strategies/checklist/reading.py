"""What a judge said of a checklist becomes an opinion: joined to the questions, scored, with what is odd named."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotate.kinds.judged import Judged
from judging.strategies.base import Opinion, Piece
from judging.strategies.checklist.joining import Joint, join
from judging.strategies.checklist.told import Given, Verdicts
from lib.stats.checklists import score

SAME_WEIGHT = 1e-6


def opinion(verdicts: Verdicts, judged: Judged) -> Opinion:
    """The score is that of the checklist's own weights and rule. A question without a yes or no is not met."""
    entries = list(verdicts.root.items())
    joints = join([question.text for question in judged.checklist], [key for key, _value in entries])
    weights = [question.weight for question in judged.checklist]
    pieces = [_piece(index, joint, entries, weights) for index, joint in enumerate(joints)]
    met = {index for index, piece in enumerate(pieces[: len(weights)]) if piece.score_first}
    note = "\n".join(_odd_weights(joints, entries, weights))
    return Opinion(score(met, weights, judged.rule), pieces=pieces, note=note)


def unanswered(opinion: Opinion) -> int:
    """How many questions nothing was said about."""
    return sum(piece.score_first is None for piece in opinion.pieces if piece.joined != "surplus")


def _piece(index: int, joint: Joint, entries: Sequence[tuple[str, Given]], weights: Sequence[float | None]) -> Piece:
    """Of the questions, which come first, by number; then of keys that fit none."""
    axis = str(index + 1) if joint.question is not None else f"surplus/{index - len(weights) + 1}"
    weight = weights[joint.question] if joint.question is not None else None
    if joint.said is None:
        return Piece(axis, weight=weight, joined=joint.how)
    label, value = entries[joint.said]
    result = None if value.result is None else float(value.result)
    return Piece(axis, label, result, weight=weight, reason=value.reason, joined=joint.how)


def _odd_weights(
    joints: Sequence[Joint], entries: Sequence[tuple[str, Given]], weights: Sequence[float | None]
) -> list[str]:
    """The judge was to repeat the weights: another one shows a careless judge, and changes nothing."""
    notes = []
    for joint in joints:
        if joint.question is None or joint.said is None:
            continue
        preset, judge_weight = weights[joint.question], entries[joint.said][1].weight
        if preset is not None and judge_weight is not None and abs(judge_weight - preset) > SAME_WEIGHT:
            words = _("Question %(no)d weighs %(preset)s; the judge wrote %(told)s.")
            notes.append(words % {"no": joint.question + 1, "preset": f"{preset:g}", "told": f"{judge_weight:g}"})
    return notes
