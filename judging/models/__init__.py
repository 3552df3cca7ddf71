from judging.models.answers import Answer, AnswerQuerySet, Author, Ballot, Study
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
from judging.models.views import BoardComputation, SavedView

__all__ = [
    "NOT_FENCED",
    "Answer",
    "AnswerQuerySet",
    "Author",
    "Ballot",
    "BoardComputation",
    "ExplanationLabel",
    "Judge",
    "JudgeRun",
    "Part",
    "SavedView",
    "Study",
    "Verdict",
    "VerdictQuerySet",
    "fingerprint",
    "is_not_fenced",
]
