"""Replies about a feedback sample become parts of a draft; what does not fit becomes a doubt, in words of ours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_noop as _

from annotate.kinds.feedback.shapes import FeedbackFacts
from annotate.kinds.shapes import Finding
from lib.texts.suspicions import suspicions

ROUNDED = 0.005  # how far a weight of two decimals may be from what was meant


@dataclass
class Reader:
    """Reads one item's replies and collects the doubts: message ids with values, put into words when they are shown."""

    doubts: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, facts: FeedbackFacts) -> "Reader":
        """Begins with what in the facts looks as if it spoke to the model."""
        reader = cls()
        texts = {"user_query": facts.user_query, "origin_first_response": facts.origin_first_response}
        for suspicion in suspicions(texts):
            where = {"user_query": _SPEAKS_QUESTION, "origin_first_response": _SPEAKS_ANSWER}[suspicion.name]
            reader.doubt("", where, what=suspicion.what, excerpt=suspicion.excerpt)
        return reader

    def doubt(self, path: str, message: str, **params: Any) -> None:
        self.doubts.append(Finding(path, message, said=params))

    def text(self, path: str, text: str) -> str:
        if not text.strip():
            self.doubt(path, _("the model left this empty."))
        return text

    def labels(self, path: str, labels: Sequence[str], allowed: Sequence[str]) -> list[str]:
        """The labels that the taxonomy has, as it spells them, each once. The others are left out and named."""
        known_labels: list[str] = []
        for label in labels:
            listed = listed_as(label, allowed)
            if listed is None:
                self.doubt(path, _("the model chose “%(label)s”, which the project does not have; it is left out."),
                           label=label.strip()[:80])  # fmt: skip
            elif listed not in known_labels:
                known_labels.append(listed)
        if not labels:
            self.doubt(path, _("the model chose none."))
        return known_labels

    def candidates(self, label: str, candidates: Sequence[str]) -> list[str]:
        """Those that say something, each once."""
        texts = list(dict.fromkeys(text for text in candidates if text.strip()))
        if not texts:
            self.doubt("feedback", _("the model gave no candidate of the type “%(label)s”."), label=label)
        return texts

    def questions(self, questions: Sequence[str]) -> list[str]:
        if not questions:
            self.doubt("checklist", _("the model gave no question."))
        return list(questions)

    def weighted(self, entries: Sequence[tuple[str, float]], tolerance: float) -> list[list[Any]]:
        """Rows as the model gave them. Weights that are only rounded get the rest put right, and it is said."""
        rows: list[list[Any]] = [[question, weight] for question, weight in entries]
        self.questions([question for question, _weight in entries])
        weights = [weight for _question, weight in entries]
        odd = [weight for weight in weights if not 0 <= weight <= 1]
        total = math.fsum(weights)
        if not rows or (not odd and abs(total - 1) <= tolerance):
            return rows
        if odd or abs(total - 1) > ROUNDED * len(rows):
            message = _("the model's weights add up to %(sum)s, not to 1; they stand as it gave them.")
            self.doubt("checklist", message, sum=f"{total:.4g}")
            return rows
        index = weights.index(max(weights))
        rows[index][1] = round(weights[index] + 1 - total, 6)
        message = _("the model's weights add up to %(sum)s; question %(no)d got the rest, which looks like rounding.")
        self.doubt(f"checklist[{index}]", message, sum=f"{total:.4g}", no=index + 1)
        return rows


_SPEAKS_QUESTION = _("the question %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")
_SPEAKS_ANSWER = _("the first answer %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held.")


def listed_as(label: str, allowed: Sequence[str]) -> str | None:
    """The label as the taxonomy spells it; case, blanks and full-width signs aside. None where it has no such label."""
    return {_plain(known_label): known_label for known_label in allowed}.get(_plain(label))


def _plain(label: str) -> str:
    return " ".join(label.replace("；", ";").replace(" ;", ";").replace("; ", ";").split()).casefold()
