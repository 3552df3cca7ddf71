from judging.models.answers import Answer, AnswerQuerySet, Author
from judging.models.ballots import Ballot, Study
from judging.models.labels import ExplanationLabel
from judging.models.verdicts import (
    NOT_FENCED,
    Judge,
    JudgeRun,
    Part,
    Verdict,
    VerdictQuerySet,
    fingerprint,
    is_not_fenced,
)
from judging.models.views import SavedView

__all__ = [
    "NOT_FENCED",
    "Answer",
    "AnswerQuerySet",
    "Author",
    "Ballot",
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
