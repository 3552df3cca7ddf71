"""Preferences: which of two blinded answers is better; facts, draft, options and the kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from pydantic import Field as pydantic_Field

from annotate.kinds import voting
from annotate.kinds.option_labels import OptionLabel
from annotate.kinds.protocol import JudgedItem
from annotate.kinds.shapes import Finding, LenientOptions, Shape
from annotate.kinds.values import Field
from annotate.kinds.voting import VotePrompt
from lib.texts.stored_sentences import say as _

Choice = Literal["first", "second", "tie", "both_bad", "cannot_tell"]


class PreferenceFacts(VotePrompt):
    """Two answers to one prompt, in an order that was drawn for the item.

    Either may be empty: a model that says nothing has answered so, and published votes are about such answers too.
    """

    first: str
    second: str


class PreferenceDraft(Shape):
    """choice: in the order of the facts, whatever the sides on which somebody saw them; None: not chosen yet.

    recognised: its writer believes to know who wrote one of the answers.
    """

    choice: Choice | None
    reason: str
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class PreferenceOptions(LenientOptions):
    """apart: how many other items somebody hands in before a pair comes back to them with its sides exchanged."""

    apart: Annotated[
        int,
        pydantic_Field(ge=1, le=1000),
        OptionLabel(
            gettext_lazy("Distance of a repeated pair"),
            help=gettext_lazy("How many other items a person submits before a pair comes back with its sides swapped."),
            unit=gettext_lazy("items"),
            example="10",
            applies=gettext_lazy("it counts for repeated pairs that are not handed out yet."),
        ),
    ] = 10


# Labels of the two answers for every reader: their order was drawn for the item, so that it reveals nothing.
CHOICES = {
    "first": gettext_lazy("Text 1 is better"),
    "second": gettext_lazy("Text 2 is better"),
    "tie": gettext_lazy("Equal"),
    "both_bad": gettext_lazy("Both bad"),
    "cannot_tell": gettext_lazy("Cannot tell"),
}


@dataclass(frozen=True)
class AnswerSide:
    """One answer as a person sees it. letter: its side; choice: the value that chooses it; label: the same for
    everybody.
    """

    letter: str
    choice: str
    text: str
    label: str | Promise


@dataclass(frozen=True)
class Button:
    """One of the five votes. key: the letter on the button."""

    key: str
    choice: str
    name: str | Promise
    for_side: bool = False


FIELDS = (
    Field("choice", gettext_lazy("Which answer is better?"), "choice"),
    Field("reason", gettext_lazy("Reason"), "text", free=True),
    Field("recognised", gettext_lazy("I can tell which model this is"), "flag", free=True),
)


class Preference(voting.VoteKind[PreferenceFacts, PreferenceDraft, PreferenceOptions]):
    """Say which of two answers is better, without knowing whose they are.

    Facts: what was asked, two answers. Draft: choice in their order, reason, whether a model was recognised.
    """

    slug = "preference"
    name = gettext_lazy("Preference votes")
    about = gettext_lazy("Blind votes for a ranking of models: the better of two answers, one key each.")
    facts, draft, options = PreferenceFacts, PreferenceDraft, PreferenceOptions
    fact_labels = {
        **voting.VoteKind.fact_labels,
        "first": gettext_lazy("First answer"),
        "second": gettext_lazy("Second answer"),
    }
    voted, answers_shown = "preference", 2
    brings_answers = True

    def own_guidelines(self) -> Sequence[str]:
        return [
            "# " + _("Which answer is better?"),
            "",
            _("Choose the answer that is better for the person who asked. Small differences count."),
            "",
            "- **" + _("Equal") + "**: " + _("both would help them equally."),
            "- **" + _("Both bad") + "**: " + _("neither would help; they would have to ask again."),
            "- **" + _("Cannot tell") + "**: " + _("you lack the knowledge, or cannot read one of the texts."),
            "",
        ]

    def texts(self, facts: PreferenceFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "first": facts.first, "second": facts.second}

    def empty_draft(self, facts: PreferenceFacts) -> dict[str, Any]:
        return {"choice": None, "reason": "", "recognised": False}

    def fields(self, facts: PreferenceFacts) -> Sequence[Field]:
        return FIELDS

    def problems(self, facts: PreferenceFacts, draft: PreferenceDraft, options: PreferenceOptions) -> list[Finding]:
        return [] if draft.choice else [Finding("choice", _("choose one of the five options."))]

    def read_form(self, data: QueryDict, facts: PreferenceFacts) -> dict[str, Any]:
        choice = data.get("choice", "")
        return {
            "choice": choice if choice in CHOICES else None,
            "reason": voting.reason(data),
            "recognised": data.get("recognised") == "1",
        }

    def form_context(
        self, facts: PreferenceFacts, draft: Mapping[str, Any], options: PreferenceOptions
    ) -> dict[str, Any]:
        return {"choices": list(CHOICES.items())}

    def dealt(self, facts: PreferenceFacts, deal: int) -> Mapping[str, Any]:
        """sides: the two answers as A and B; buttons: the five votes, in the order in which they are shown."""
        stored = [("first", facts.first, gettext_lazy("Text 1")), ("second", facts.second, gettext_lazy("Text 2"))]
        if deal % 2:
            stored.reverse()
        sides = [AnswerSide(letter, *answer) for letter, answer in zip("AB", stored, strict=True)]
        return {"sides": sides, "buttons": _buttons(*sides)}

    def shown(self, name: str, value: Any) -> str:
        if name == "recognised":
            return _("Yes") if value else _("No")
        return str(CHOICES[value]) if name == "choice" and value in CHOICES else super().shown(name, value)

    def ballot(self, judged: JudgedItem, texts: Sequence[str]) -> dict[str, Any] | None:
        query_facts = voting.prompt_facts(judged)
        if query_facts is None or not all(text.strip() for text in texts):
            return None
        first, second = texts
        return {**query_facts, "first": first, "second": second}

    def votes(self, facts: PreferenceFacts, draft: PreferenceDraft) -> Mapping[str, float | str | None]:
        if draft.choice is None:
            return {}
        return {"": None if draft.choice == "cannot_tell" else draft.choice}


def _buttons(left: AnswerSide, right: AnswerSide) -> list[Button]:
    return [
        Button("A", left.choice, gettext_lazy("A is better"), for_side=True),
        Button("E", "tie", CHOICES["tie"]),
        Button("N", "both_bad", CHOICES["both_bad"]),
        Button("X", "cannot_tell", CHOICES["cannot_tell"]),
        Button("B", right.choice, gettext_lazy("B is better"), for_side=True),
    ]


KIND = Preference()
