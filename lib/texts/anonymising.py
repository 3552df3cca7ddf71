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
        findings = personal_data(text)
        positions = {position for finding in findings for position in range(finding.start, finding.end)}
        names = [
            finding for finding in self._names.findings(text) if positions.isdisjoint(range(finding.start, finding.end))
        ]
        return sorted([*findings, *names], key=lambda finding: finding.start)

    def value(self, text: str, finding: Finding) -> str:
        """What was found; of a part of a name all of it."""
        written = text[finding.start : finding.end]
        return self._names.bearer(written) if finding.kind == "name" else written


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
            Replacement(finding.kind, no, finding.start, finding.end, self._placeholder(text, finding))
            for no, finding in enumerate(self.personal.findings(text))
            if finding.kind in self.kinds
        ]

    def replaced(self, text: str, *, stays: Collection[int] = ()) -> str:
        """The text with placeholders. stays: numbers of what is left as it is."""
        parts, offset = [], 0
        for replacement in self.replacements(text):
            if replacement.no not in stays:
                parts += [text[offset : replacement.start], replacement.placeholder]
                offset = replacement.end
        return "".join([*parts, text[offset:]])

    def _placeholder(self, text: str, finding: Finding) -> str:
        value = (finding.kind, self.personal.value(text, finding))
        if value not in self._known:
            number = 1 + sum(kind == finding.kind for kind, _value in self._known)
            self._known[value] = f"[{PLACEHOLDERS[finding.kind]}_{number}]"
        return self._known[value]
