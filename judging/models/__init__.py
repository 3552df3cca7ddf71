from judging.models.answers import Answer, AnswerQuerySet, Author
from judging.models.verdicts import Judge, Part, Verdict, VerdictQuerySet

__all__ = ["Answer", "AnswerQuerySet", "Author", "Judge", "Part", "Verdict", "VerdictQuerySet"]
