"""Finds what should not be in a data set: mail addresses, phone, card, identity and account numbers."""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from annotate.texts.checksums import is_iban, is_luhn, is_resident_number

Kind = Literal["email", "phone", "card", "id_number", "iban"]


class Finding(NamedTuple):
    """text[start:end] looks like personal data; shown is that with its middle masked."""

    kind: Kind
    start: int
    end: int
    shown: str


_SEVEN_DIGITS = re.compile(r"[0-9](?:[ ().-]{0,2}[0-9]){6}")
_SEPARATORS = re.compile(r"[ ().-]")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_NOBODY = re.compile(r"git@|.*@(?:.*\.)?(?:example\.(?:com|net|org)|example|test|invalid|localhost)\Z", re.IGNORECASE)

# A number in its own right: no part of a word, of a decimal or of a sum.
_ALONE_BEFORE = r"(?<![A-Za-z0-9.,_=*/^+×÷-])(?<![=*/^+×÷] )"
_ALONE_AFTER = r"(?![A-Za-z0-9_=*/^+×÷%]|[.,][0-9]| ?[=*/^+×÷])"

_RESIDENT = re.compile(rf"{_ALONE_BEFORE}[1-9][0-9]{{16}}[0-9Xx]{_ALONE_AFTER}")
_CARD = re.compile(
    rf"{_ALONE_BEFORE}(?:[0-9]{{13,19}}|[0-9]{{4}}([ -])[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}(?:\1[0-9]{{3}})?"
    rf"|[0-9]{{4}}([ -])[0-9]{{6}}\2[0-9]{{4,5}}){_ALONE_AFTER}"
)
_CARD_ISSUERS = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|(?:5[1-5]|2[2-7])[0-9]{14}|3[47][0-9]{13}|6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}"
    r"|62[0-9]{14,17}|35[2-8][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_CHINESE_MOBILE = re.compile(
    rf"{_ALONE_BEFORE}(?:(?:\+|00)?86[ -]?)?1[3-9][0-9](?:[0-9]{{8}}|([ -])[0-9]{{4}}\1[0-9]{{4}}){_ALONE_AFTER}"
)
_INTERNATIONAL = re.compile(
    r"(?<![A-Za-z0-9)\]}+.])(?<![0-9)\]}=] )(?:\+|00(?=[1-9][0-9]{0,2}[ .-]))[1-9][0-9]{0,2}"
    r"(?:[ .-]?(?:[0-9]{1,4}|\([0-9]{1,4}\))){2,6}(?![A-Za-z0-9]|[.,][0-9])"
)
_NORTH_AMERICAN = re.compile(
    rf"{_ALONE_BEFORE}(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[-.])[2-9][0-9]{{2}}[-.][0-9]{{4}}{_ALONE_AFTER}"
)
_ROUND = re.compile(r"0{5}\Z|([0-9])\1{7}")


def personal_data(text: str) -> list[Finding]:
    """What looks like personal data, in order and without overlaps.

    Numbers count only where their check digits, or the form of a phone number, speak for them.
    """
    found = list(_emails(text)) if "@" in text else []
    if _SEVEN_DIGITS.search(text):
        found += _numbers(text, {at for email in found for at in range(email.start, email.end)})
    return sorted(found, key=lambda finding: finding.start)


def _emails(text: str) -> Iterator[Finding]:
    for match in _EMAIL.finditer(text):
        address = match.group()
        if not _NOBODY.match(address):
            name, _, domain = address.partition("@")
            yield Finding("email", match.start(), match.end(), f"{name[0]}•••@{domain}")


def _numbers(text: str, taken: set[int]) -> Iterator[Finding]:
    """The numbers outside the taken places; a kind that comes first in the list takes its places."""
    for kind, pattern, holds in _NUMBERS:
        for match in pattern.finditer(text):
            places = range(match.start(), match.end())
            if taken.isdisjoint(places) and holds(_SEPARATORS.sub("", match.group())):
                taken.update(places)
                yield Finding(kind, match.start(), match.end(), f"{match.group()[:3]}•••{match.group()[-2:]}")


def _is_card(digits: str) -> bool:
    return _CARD_ISSUERS.fullmatch(digits) is not None and is_luhn(digits) and not digits.endswith("000000")


def _is_national(digits: str) -> bool:
    return not _ROUND.search(digits)


def _is_international(number: str) -> bool:
    digits = re.sub(r"^(?:\+|00)", "", number)
    return 8 <= len(digits) <= 15 and not _ROUND.search(digits)


_NUMBERS: tuple[tuple[Kind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("id_number", _RESIDENT, is_resident_number),
    ("card", _CARD, _is_card),
    ("iban", _IBAN, is_iban),
    ("phone", _CHINESE_MOBILE, _is_national),
    ("phone", _INTERNATIONAL, _is_international),
    ("phone", _NORTH_AMERICAN, _is_national),
)
