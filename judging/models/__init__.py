from judging.models.answers import Answer, AnswerQuerySet, Author
from judging.models.ballots import Ballot, Study
from judging.models.labels import ExplanationLabel
from judging.models.verdicts import Judge, Part, Verdict, VerdictQuerySet
from judging.models.views import SavedView

__all__ = [
    "Answer",
    "AnswerQuerySet",
    "Author",
    "Ballot",
    "ExplanationLabel",
    "Judge",
    "Part",
    "SavedView",
    "Study",
    "Verdict",
    "VerdictQuerySet",
]
