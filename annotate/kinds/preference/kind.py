"""Blind pairs: which of two answers is better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.kinds import voting
from annotate.kinds.judged import Judged
from annotate.kinds.preference.shapes import PreferenceDraft, PreferenceFacts, PreferenceOptions
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field
from lib.texts.said import say as _

# Labels of the two answers for all who look: their order was drawn for the item, so that they say nothing.
CHOICES = {
    "first": gettext_lazy("Text 1 is better"),
    "second": gettext_lazy("Text 2 is better"),
    "tie": gettext_lazy("Equal"),
    "both_bad": gettext_lazy("Both bad"),
    "cannot_tell": gettext_lazy("Cannot tell"),
}


@dataclass(frozen=True)
class Side:
    """One answer where somebody sees it. letter: its side; choice: what to choose for it; label: the same for all."""

    letter: str
    choice: str
    text: str
    label: str | Promise


@dataclass(frozen=True)
class Button:
    """One of the five votes. key: the letter that stands in the button."""

    key: str
    choice: str
    name: str | Promise
    for_side: bool = False


class Preference(voting.VoteKind):
    """Say which of two answers is better, without knowing whose they are.

    Facts: what was asked, two answers. Draft: choice in their order, reason, whether a model was recognised.
    """

    slug = "preference"
    name = gettext_lazy("Preference votes")
    about = gettext_lazy("Blind pairs: say which of two answers is better.")
    facts, draft, options = PreferenceFacts, PreferenceDraft, PreferenceOptions
    voted, answers_shown = "preference", 2
    brings_answers = True

    def own_guidelines(self) -> Sequence[str]:
        return [
            "# " + _("Which answer is better?"),
            "",
            _("Choose the answer that is better for the person who asked. A small difference is a difference."),
            "",
            "- **" + _("Equal") + "**: " + _("either one would serve them as well."),
            "- **" + _("Both bad") + "**: " + _("neither would help; they would have to ask again."),
            "- **" + _("Cannot tell") + "**: " + _("you lack the knowledge, or cannot read one of the texts."),
            "",
        ]

    def texts(self, facts: PreferenceFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "first": facts.first, "second": facts.second}

    def empty_draft(self, facts: PreferenceFacts) -> dict[str, Any]:
        return {"choice": None, "reason": "", "recognised": False}

    def fields(self, facts: PreferenceFacts) -> Sequence[Field]:
        return [
            Field("choice", gettext_lazy("Which answer is better?"), "choice"),
            Field("reason", gettext_lazy("Reason"), "text", free=True),
            Field("recognised", gettext_lazy("I recognise a model"), "flag", free=True),
        ]

    def problems(self, facts: PreferenceFacts, draft: PreferenceDraft, options: Any) -> list[Finding]:
        return [] if draft.choice else [Finding("choice", _("choose one of the five."))]

    def read_form(self, data: QueryDict, facts: PreferenceFacts) -> dict[str, Any]:
        choice = data.get("choice", "")
        return {
            "choice": choice if choice in CHOICES else None,
            "reason": voting.reason(data),
            "recognised": data.get("recognised") == "1",
        }

    def form_context(self, facts: PreferenceFacts, draft: Mapping[str, Any], options: Any) -> dict[str, Any]:
        return {"choices": list(CHOICES.items())}

    def dealt(self, facts: PreferenceFacts, deal: int) -> Mapping[str, Any]:
        """sides: the two answers as A and B; buttons: the five votes, in the order in which they stand."""
        stored = [("first", facts.first, gettext_lazy("Text 1")), ("second", facts.second, gettext_lazy("Text 2"))]
        if deal % 2:
            stored.reverse()
        sides = [Side(letter, *answer) for letter, answer in zip("AB", stored, strict=True)]
        return {"sides": sides, "buttons": _buttons(*sides)}

    def shown(self, name: str, value: Any) -> str:
        if name == "recognised":
            return _("Yes") if value else _("No")
        return str(CHOICES[value]) if name == "choice" and value in CHOICES else super().shown(name, value)

    def ballot(self, judged: Judged, texts: Sequence[str]) -> dict[str, Any] | None:
        query_facts = voting.asked(judged)
        if query_facts is None or not all(text.strip() for text in texts):
            return None
        first, second = texts
        return {**query_facts, "first": first, "second": second}

    def votes(self, facts: PreferenceFacts, draft: PreferenceDraft) -> Mapping[str, float | str | None]:
        if draft.choice is None:
            return {}
        return {"": None if draft.choice == "cannot_tell" else draft.choice}


def _buttons(left: Side, right: Side) -> list[Button]:
    return [
        Button("A", left.choice, gettext_lazy("A is better"), for_side=True),
        Button("E", "tie", CHOICES["tie"]),
        Button("N", "both_bad", CHOICES["both_bad"]),
        Button("X", "cannot_tell", CHOICES["cannot_tell"]),
        Button("B", right.choice, gettext_lazy("B is better"), for_side=True),
    ]


KIND = Preference()
