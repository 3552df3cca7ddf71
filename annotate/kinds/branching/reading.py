"""Replies about a query and its responses become parts of a tree; what does not fit becomes a doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_noop as _

from annotate.kinds.branching.scoring import Side, is_score
from annotate.kinds.branching.shapes import BranchingFacts
from annotate.kinds.branching.told import Criterion
from annotate.kinds.shapes import Finding
from lib.texts.suspicions import suspicions

_SPEAKS = {
    "query": _("the query %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
    "first": _("the first response %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
    "second": _("the second response %(what)s: “%(excerpt)s”. The model was given it as data; look whether it held."),
}


def branch(number: int, criterion: Criterion, levels: Sequence[str]) -> dict[str, Any]:
    """A branch as it is stored, not judged yet. Its parts have the number that it was made with, for good."""
    return {
        "id": f"c{number}",
        "name": criterion.name.strip(),
        "description": criterion.description.strip(),
        "weight": None,
        "merged": [],
        "guideline": {"id": f"g{number}", "criterion": f"c{number}", "levels": list(levels)},
        "judgement": {
            "id": f"j{number}",
            "guideline": f"g{number}",
            "score_first": None,
            "explanation_first": "",
            "score_second": None,
            "explanation_second": "",
            "comparison": "",
        },
    }


def guideline_text(stored_branch: Mapping[str, Any]) -> str:
    """The levels as a judge reads them, a line each."""
    return "\n".join(f"{score}: {words}" for score, words in enumerate(stored_branch["guideline"]["levels"], start=1))


def judgements_text(branches: Sequence[Mapping[str, Any]], side: Side) -> str:
    """What was found wrong with one response, as whoever corrects it reads it."""
    lines = []
    for stored_branch in branches:
        score, why = stored_branch["judgement"][f"score_{side}"], stored_branch["judgement"][f"explanation_{side}"]
        lines.append(f"- {stored_branch['name']} ({stored_branch['description']}): {score:g}/5. {why}")
    return "\n".join(lines)


@dataclass
class Reader:
    """Reads one item's replies and collects the doubts: message ids with values, said when they are shown."""

    doubts: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, facts: BranchingFacts) -> "Reader":
        """Begins with what in the facts looks as if it spoke to the model."""
        reader = cls()
        for suspicion in suspicions({"query": facts.query, "first": facts.first, "second": facts.second or ""}):
            reader.doubt("", _SPEAKS[suspicion.name], what=suspicion.what, excerpt=suspicion.excerpt)
        return reader

    def doubt(self, path: str, message: str, **params: Any) -> None:
        self.doubts.append(Finding(path, message, "model", params))

    def criteria(self, given: Sequence[Criterion], count: int) -> list[Criterion]:
        """Those that say something, as many as were asked for."""
        criteria = [criterion for criterion in given if criterion.description.strip()]
        if len(criteria) != count:
            self.doubt("branches", _("the model gave %(n)d criteria; %(wanted)d were asked for."),
                       n=len(criteria), wanted=count)  # fmt: skip
        return criteria[:count]

    def levels(self, number: int, levels: Sequence[str]) -> list[str]:
        if not all(words.strip() for words in levels):
            self.doubt(f"branches[{number - 1}]", _("the model left levels of the guideline empty."))
        return [words.strip() for words in levels]

    def judged(self, number: int, side: Side, score: float, explanation: str) -> dict[str, Any]:
        """A score as the model gave it: one that the guideline does not have stays, and is pointed out."""
        path = f"branches[{number - 1}]"
        if not is_score(score):
            self.doubt(path, _("the model scored %(score)s; the guideline goes from 1 to 5."), score=f"{score:g}")
        if not explanation.strip():
            self.doubt(path, _("the model gave a score without a reason."))
        return {f"score_{side}": int(score) if score == int(score) else score, f"explanation_{side}": explanation}

    def correction(self, side: Side, text: str, response: str) -> str:
        path = f"correction_{side}"
        if not text.strip():
            self.doubt(path, _("the model left this empty."))
        elif text.split() == response.split():
            self.doubt(path, _("the model changed nothing."))
        return text
