"""Anonymisation: replaces personal data by placeholders. Pure; uses the findings of `personal_data` and names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lib.texts.person_names import PersonNames
from lib.texts.personal_data import Kind, PersonalDatum, personal_data

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
    """text[start:end] of the original text, and its replacement. no: its number among the replacements of the text."""

    kind: Kind
    no: int
    start: int
    end: int
    placeholder: str


class Personal:
    """Personal data in texts that belong together."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._names = PersonNames(texts)

    def findings(self, text: str) -> list[PersonalDatum]:
        """The findings in order, without overlaps; a name within an address belongs to the address."""
        findings = personal_data(text)
        positions = {position for finding in findings for position in range(finding.start, finding.end)}
        names = [
            finding for finding in self._names.findings(text) if positions.isdisjoint(range(finding.start, finding.end))
        ]
        return sorted([*findings, *names], key=lambda finding: finding.start)

    def value(self, text: str, finding: PersonalDatum) -> str:
        """The value of a finding; for a part of a name, the whole name."""
        written = text[finding.start : finding.end]
        return self._names.bearer(written) if finding.kind == "name" else written


@dataclass
class Anonymiser:
    """An anonymiser for the texts of one conversation: equal values get the same placeholder in all of them.

    kinds: the kinds of data that are replaced; other kinds are kept.
    """

    kinds: Collection[str]
    personal: Personal
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def replacements(self, text: str) -> list[Replacement]:
        """The replacements for this text, in order."""
        return [
            Replacement(finding.kind, no, finding.start, finding.end, self._placeholder(text, finding))
            for no, finding in enumerate(self.personal.findings(text))
            if finding.kind in self.kinds
        ]

    def replaced(self, text: str, *, stays: Collection[int] = ()) -> str:
        """The text with placeholders. stays: numbers of the replacements that are not made."""
        parts, offset = [], 0
        for replacement in self.replacements(text):
            if replacement.no not in stays:
                parts += [text[offset : replacement.start], replacement.placeholder]
                offset = replacement.end
        return "".join([*parts, text[offset:]])

    def _placeholder(self, text: str, finding: PersonalDatum) -> str:
        value = (finding.kind, self.personal.value(text, finding))
        if value not in self._known:
            number = 1 + sum(kind == finding.kind for kind, _value in self._known)
            self._known[value] = f"[{PLACEHOLDERS[finding.kind]}_{number}]"
        return self._known[value]
