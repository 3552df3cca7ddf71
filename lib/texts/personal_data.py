"""Personal data in texts: e-mail and IP addresses, numbers of people and accounts, keys, and links with secrets."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Literal, NamedTuple, get_args

_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_RESIDENT_CHECKS = "10X98765432"


def is_luhn(digits: str) -> bool:
    """The check of payment cards (ISO/IEC 7812-1)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def is_resident_number(number: str) -> bool:
    """An 18-character Chinese resident identity number: a real birth date and its check (GB 11643-1999)."""
    try:
        born = date.fromisoformat(f"{number[6:10]}-{number[10:12]}-{number[12:14]}")
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_RESIDENT_WEIGHTS, number[:17], strict=True))
    return born.year >= 1880 and _RESIDENT_CHECKS[total % 11] == number[17].upper()


def is_iban(number: str) -> bool:
    """An international bank account number without blanks (ISO 13616)."""
    rearranged = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in rearranged)) % 97 == 1


# The search.


Kind = Literal["email", "phone", "card", "id_number", "iban", "ip", "link", "secret", "name"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # the last one is found by person_names.py, which needs a whole conversation


class PersonalDatum(NamedTuple):
    """text[start:end] looks like personal data; shown: the same with its middle masked."""

    kind: Kind
    start: int
    end: int
    shown: str


_DIGIT = re.compile(r"[0-9]")
_SEVEN_DIGITS = re.compile(r"[0-9](?:[ ().-]{0,2}[0-9]){6}")
_SEPARATORS = re.compile(r"[ ().-]")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_NOBODY = re.compile(r"git@|.*@(?:.*\.)?(?:example\.(?:com|net|org)|example|test|invalid|localhost)\Z", re.IGNORECASE)

# A standalone number: not part of a word, of a decimal or of a sum.
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
_CHINESE_LANDLINE = re.compile(rf"{_ALONE_BEFORE}0[1-9][0-9]{{1,2}}-[1-9][0-9]{{6,7}}{_ALONE_AFTER}")
_SOCIAL_SECURITY = re.compile(
    rf"{_ALONE_BEFORE}(?!000|666|9)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}{_ALONE_AFTER}"
)
_FOUR_NUMBERS = re.compile(r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]")
_IPV4 = re.compile(r"(?<![0-9A-Za-z.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:.])[23][0-9a-fA-F]{3}:[0-9a-fA-F:]{3,34}[0-9a-fA-F](?![0-9A-Za-z:])")
_VERSION_BEFORE = re.compile(r"(?:version|release|ver\.?|版本)[ :：]*v?\Z", re.IGNORECASE)
_RESOLVERS = {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "114.114.114.114", "223.5.5.5"}  # public ones
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`，。；、）】》]{4,2000}", re.IGNORECASE)
_OPENS = re.compile(
    r"://[^/\s:@]{1,200}:(?!pass|pwd|secret|[$\{<*%])[^/\s@]{1,200}@"  # not the placeholders of examples
    r"|[?&#;][a-z0-9_.-]{0,40}?(?:token|secret|passw(?:or)?d|pwd|signature|sig|api_?key|key|auth|session(?:_?id)?|sid)"
    r"=(?![$\{<%\[*])[^&\s]{6,}",
    re.IGNORECASE,
)
# A fast pre-check, many times as fast as the patterns: most texts contain none of these.
_ISSUED_MARKS = ("sk-", "lpat-", "KIA", "SIA", "AIza", "xox", "eyJ")
_ISSUED_MARKS_WITH_BAR = ("_live_", "_test_", "_pat_", "ghp_", "gho_", "ghr_", "ghs_", "ghu_", "hf_")
_ISSUED = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{20,200}|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,200}|gh[oprsu]_[A-Za-z0-9]{30,200}"
    r"|github_pat_[A-Za-z0-9_]{22,200}|glpat-[A-Za-z0-9_-]{20,200}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,200}|hf_[A-Za-z0-9]{30,200}"
    r"|eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{4,4000}\.[A-Za-z0-9_-]{8,2000})(?![A-Za-z0-9_-])"
)
_NAMES_A_KEY = ("key", "token", "secret", "passw", "pwd")
_NAMES_A_KEY_IN_CHINESE = ("密", "口令", "令牌")
_ASSIGNED = re.compile(
    r"(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|auth[ _-]?token|access[ _-]?token|token|passw(?:or)?d|pwd"
    r"|密码|口令|密钥|令牌)[\"']?(?: ?(?:is|[:=：]) ?|是|为)[\"'“]?"
    r"(?P<value>[A-Za-z0-9!#$%&*+./?@^_~-]{8,200})(?![A-Za-z0-9(\[{<])",
    re.IGNORECASE,
)
_DIGIT_AND_LETTER = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])")
_PLACEHOLDER = re.compile(r"x{4,}|\*{3,}|your|example|changeme|1234|placeholder|\$[{(A-Z]", re.IGNORECASE)
_ROUND = re.compile(r"0{5}\Z|([0-9])\1{7}")


def personal_data(text: str) -> list[PersonalDatum]:
    """Everything that looks like personal data, in order and without overlaps.

    Numbers count only with valid check digits or in the form of a phone number; IP addresses only if they are public;
    links only with a key or a password.
    """
    findings = list(_links(text)) if "://" in text else []
    positions = {position for link_finding in findings for position in range(link_finding.start, link_finding.end)}
    for look in (_issued_keys, _assigned_keys, _emails, _addresses) if _DIGIT.search(text) else (_emails,):
        findings += _free(look(text), positions)
    if _SEVEN_DIGITS.search(text):
        findings += _numbers(text, positions)
    return sorted(findings, key=lambda finding: finding.start)


def _has(text: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - several times as fast as `any` with a generator
        if mark in text:
            return True
    return False


def _free(findings: Iterator[PersonalDatum], positions: set[int]) -> Iterator[PersonalDatum]:
    """The findings at free positions, which they then occupy."""
    for finding in findings:
        span = range(finding.start, finding.end)
        if positions.isdisjoint(span):
            positions.update(span)
            yield finding


def _links(text: str) -> Iterator[PersonalDatum]:
    for match in _URL.finditer(text):
        address = match.group().rstrip(".,;:!?)]}")
        if _OPENS.search(address):
            host = address.partition("://")[2].rpartition("@")[2].partition("/")[0].partition("?")[0]
            yield PersonalDatum("link", match.start(), match.start() + len(address), f"{host[:60]}/•••")


def _issued_keys(text: str) -> Iterator[PersonalDatum]:
    if _has(text, _ISSUED_MARKS) or ("_" in text and _has(text, _ISSUED_MARKS_WITH_BAR)):
        for match in _ISSUED.finditer(text):
            yield PersonalDatum("secret", match.start(), match.end(), f"{match.group()[:4]}•••")


def _assigned_keys(text: str) -> Iterator[PersonalDatum]:
    """Values that look like keys, after a word that names a key; the value alone."""
    if _has(text.lower(), _NAMES_A_KEY) or (not text.isascii() and _has(text, _NAMES_A_KEY_IN_CHINESE)):
        for match in _ASSIGNED.finditer(text):
            value = match.group("value").rstrip(".!?")
            if len(value) >= 8 and _DIGIT_AND_LETTER.match(value) and not _PLACEHOLDER.search(value):
                start = match.start("value")
                yield PersonalDatum("secret", start, start + len(value), f"{value[:1]}•••")


def _addresses(text: str) -> Iterator[PersonalDatum]:
    """IP addresses, if they are public."""
    for match in _IPV4.finditer(text) if text.count(".") > 2 and _FOUR_NUMBERS.search(text) else ():
        prefix = text[max(0, match.start() - 12) : match.start()]
        is_number_of_a_section = not re.search("[0-9]{2}", match.group())
        if not is_number_of_a_section and _is_public(IPv4Address, match.group()) and not _VERSION_BEFORE.search(prefix):
            yield PersonalDatum("ip", match.start(), match.end(), f"{match.group().partition('.')[0]}•••")
    for match in _IPV6.finditer(text) if "::" in text or text.count(":") > 6 else ():
        if _is_public(IPv6Address, match.group()):
            yield PersonalDatum("ip", match.start(), match.end(), f"{match.group()[:4]}•••")


def _is_public(address: type[IPv4Address] | type[IPv6Address], written: str) -> bool:
    try:
        return address(written).is_global and written not in _RESOLVERS
    except AddressValueError:
        return False


def _emails(text: str) -> Iterator[PersonalDatum]:
    for match in _EMAIL.finditer(text) if "@" in text else ():
        address = match.group()
        if not _NOBODY.match(address):
            name, _, domain = address.partition("@")
            yield PersonalDatum("email", match.start(), match.end(), f"{name[0]}•••@{domain}")


def _numbers(text: str, positions: set[int]) -> Iterator[PersonalDatum]:
    """The numbers outside occupied positions; earlier kinds in the list take precedence."""
    for kind, pattern, holds in _NUMBERS:
        for match in pattern.finditer(text):
            span = range(match.start(), match.end())
            if positions.isdisjoint(span) and holds(_SEPARATORS.sub("", match.group())):
                positions.update(span)
                yield PersonalDatum(kind, match.start(), match.end(), f"{match.group()[:3]}•••{match.group()[-2:]}")


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
    ("phone", _CHINESE_LANDLINE, _is_national),
    ("id_number", _SOCIAL_SECURITY, _is_national),
)
