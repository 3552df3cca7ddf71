"""Puts placeholders where personal data stands. Pure; what it found is what `personal_data` and `Names` find."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lib.texts.names.finding import Names
from lib.texts.personal_data import Finding, Kind, personal_data

PLACEHOLDERS: Mapping[Kind, str] = {
    "email": "EMAIL",
    "phone": "PHONE",
    "card": "CARD",
    "id_number": "ID",
    "iban": "ACCOUNT",
    "ip": "IP",
    "link": "LINK",
    "secret": "KEY",
    "name": "NAME",
}


@dataclass(frozen=True, slots=True)
class Replacement:
    """text[start:end] of the text as it was, and what stands there now. no: its number among those of its text."""

    kind: Kind
    no: int
    start: int
    end: int
    placeholder: str


class Personal:
    """What is personal in some texts that belong together."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._names = Names(texts)

    def findings(self, text: str) -> list[Finding]:
        """In order, without overlaps; a name within an address is a part of that."""
        found = personal_data(text)
        taken = {at for one in found for at in range(one.start, one.end)}
        names = [one for one in self._names.findings(text) if taken.isdisjoint(range(one.start, one.end))]
        return sorted([*found, *names], key=lambda one: one.start)

    def value(self, text: str, found: Finding) -> str:
        """What was found; of a part of a name all of it."""
        written = text[found.start : found.end]
        return self._names.bearer(written) if found.kind == "name" else written


@dataclass
class Anonymiser:
    """For the texts of one conversation: the same value gets the same placeholder in all of them.

    kinds: what is replaced; what is of another kind stays.
    """

    kinds: Collection[str]
    personal: Personal
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def replacements(self, text: str) -> list[Replacement]:
        """What would be replaced in this text, in order."""
        return [
            Replacement(found.kind, no, found.start, found.end, self._placeholder(text, found))
            for no, found in enumerate(self.personal.findings(text))
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
        value = (found.kind, self.personal.value(text, found))
        if value not in self._known:
            number = 1 + sum(kind == found.kind for kind, _value in self._known)
            self._known[value] = f"[{PLACEHOLDERS[found.kind]}_{number}]"
        return self._known[value]
