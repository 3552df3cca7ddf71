from judging.models.answers import Answer, AnswerQuerySet, Author, Ballot, Study
from judging.models.computations import AnswerChanges, BoardComputation, VerdictChanges
from judging.models.verdicts import (
    NOT_FENCED,
    ExplanationLabel,
    Judge,
    JudgeRun,
    Part,
    Verdict,
    VerdictQuerySet,
    fingerprint,
    is_not_fenced,
)

__all__ = [
    "NOT_FENCED",
    "Answer",
    "AnswerChanges",
    "AnswerQuerySet",
    "Author",
    "Ballot",
    "BoardComputation",
    "ExplanationLabel",
    "Judge",
    "JudgeRun",
    "Part",
    "Study",
    "Verdict",
    "VerdictChanges",
    "VerdictQuerySet",
    "fingerprint",
    "is_not_fenced",
]
