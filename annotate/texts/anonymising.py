"""Puts placeholders where personal data stands. Pure; what it found is what `personal_data` finds."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from annotate.texts.personal_data import Finding, Kind, personal_data

PLACEHOLDERS: Mapping[Kind, str] = {
    "email": "EMAIL",
    "phone": "PHONE",
    "card": "CARD",
    "id_number": "ID",
    "iban": "ACCOUNT",
    "ip": "IP",
    "link": "LINK",
    "secret": "KEY",
}


@dataclass(frozen=True, slots=True)
class Replacement:
    """text[start:end] of the text as it was, and what stands there now. no: its number among those of its text."""

    kind: Kind
    no: int
    start: int
    end: int
    placeholder: str


@dataclass
class Anonymiser:
    """For the texts of one conversation: the same value gets the same placeholder in all of them.

    kinds: what is replaced; what is of another kind stays.
    """

    kinds: Collection[str]
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def replacements(self, text: str) -> list[Replacement]:
        """What would be replaced in this text, in order."""
        return [
            Replacement(found.kind, no, found.start, found.end, self._placeholder(text, found))
            for no, found in enumerate(personal_data(text))
            if found.kind in self.kinds
        ]

    def replaced(self, text: str, *, stays: Collection[int] = ()) -> str:
        """The text with placeholders. stays: numbers of what is left as it is."""
        parts, at = [], 0
        for one in self.replacements(text):
            if one.no not in stays:
                parts += [text[at : one.start], one.placeholder]
                at = one.end
        return "".join([*parts, text[at:]])

    def _placeholder(self, text: str, found: Finding) -> str:
        value = (found.kind, text[found.start : found.end])
        if value not in self._known:
            number = 1 + sum(kind == found.kind for kind, _value in self._known)
            self._known[value] = f"[{PLACEHOLDERS[found.kind]}_{number}]"
        return self._known[value]
