"""Anonymisation: replaces personal data and names of people by placeholders. Pure.

Names are found by their context: introductions, greetings, signatures, forms. This is a heuristic and not a recogniser:
it finds names where people state them, in English and Chinese, and then every other occurrence of the same name. Names
that only a reader recognises are not found. person_names.toml has the word lists.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

from lib.texts.personal_data import Kind, PersonalDatum, personal_data

# The word lists of person_names.toml.


FILE = Path(__file__).with_name("person_names.toml")


def words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name].split())


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(FILE.read_text("utf-8"))


# Names in Chinese texts: a surname and one or two characters where people put a name.
#
# Chinese has no word boundaries, so a name ends at a sign, at a word that follows names, or two characters after the
# surname. Only frequent surnames count; person_names.toml lists words that begin like a surname but are no names.


_ONE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方"
    "白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_TWO = "欧阳|司马|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|端木|百里|南宫|独孤"
_AFTER = "今是在来从的和住有年想毕目现也吗吧呢就要喜正读刚男女能请这那已不很都了去做说问帮给把被让我你他她您同先小老师"
_HAN = "\u4e00-\u9fff"
_SURNAME = rf"(?:{_TWO}|[{_ONE}])"
NAME = rf"(?:{_SURNAME}[{_HAN}](?:(?![{_AFTER}])[{_HAN}])?)"
NICK = rf"(?:[小阿老大](?:(?![{_AFTER}])[{_HAN}]){{1,2}})"
_LATIN = r"(?:[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)"
_END = rf"(?=\s*(?:[^{_HAN}\w]|\Z))"
_CHINESE_TITLE = "(?:先生|女士|小姐|老师|教授|经理|总|医生|同学|主任|院长|校长|律师)"
_CHINESE_KIN = (
    "他|她|朋友|同学|儿子|女儿|孩子|男友|女友|男朋友|女朋友|老公|老婆|丈夫|妻子|同事|老板|老师"
    "|妹妹|弟弟|姐姐|哥哥|妈妈|爸爸"
)

_PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"(?:我叫|(?:{_CHINESE_KIN})叫)做?\s*[“\"「]?(?P<name>{NAME}|{NICK}{_END}|{_LATIN})",
        rf"(?:我|{_CHINESE_KIN})的?(?:名字|姓名|全名)(?:叫做|叫|是|为)?[：:]?\s*[“\"「]?(?P<name>{NAME}|{NICK}|[{_HAN}]{{2,4}}{_END}|{_LATIN})",
        rf"(?:我|{_CHINESE_KIN}|本人)名叫\s*[“\"「]?(?P<name>{NAME}|{NICK}|{_LATIN})",
        rf"(?:请|可以)叫我\s*[“\"「]?(?P<name>(?:{NAME}|{NICK}){_END}|{_LATIN})",
        rf"(?:^|[，。！？,.!?\s])(?:我|本人)是(?P<name>{NAME}|{_LATIN})(?=\s*(?:[，。！,.!\n]|\Z))",
        (
            rf"(?:^|[“\"「：:，,])[ \t]*(?:尊敬|敬爱|亲爱)的[ \t]*"
            rf"(?P<name>{_SURNAME}(?={_CHINESE_TITLE}{_END})|{NAME}(?={_CHINESE_TITLE}?{_END})|{NICK}{_END}|{_LATIN}{_END})"
        ),
        rf"(?:姓名|联系人|申请人|收件人|寄件人|署名|落款|签名)\s*[：:]\s*(?P<name>{NAME}){_END}",
        rf"此致\s*敬礼[！!。]?\s*(?:[{_HAN}]{{0,8}}[：:]\s*)?(?P<name>{NAME})(?=\s*(?:\n|\Z|\d))",
        rf"[你您]的(?:{_CHINESE_KIN}|学生|孙子|孙女)[，：:,]?\s*(?P<name>{NAME}|{NICK})(?=\s*(?:\n|\Z))",
    )
)
_NO_ENDS = "生员师人者家的工长手子盲男女痴座客州省市县区族科学类化色文语傅友迷粉丝党员式型版"
_NO_NAMES = words("chinese_no_names")


def chinese_names(text: str) -> Iterator[tuple[int, int]]:
    """The positions of names."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = match["name"]
            if name not in _NO_NAMES and name[:2] not in _NO_NAMES and name[-1] not in _NO_ENDS:
                yield match.start("name"), _end(text, match.end("name"), name)


def chinese_name_parts(name: str) -> Iterator[str]:
    """Other forms of the name, each of at least two characters."""
    if re.fullmatch(rf"{_SURNAME}[{_HAN}]{{2}}", name):
        yield name[-2:]


def _end(text: str, end: int, name: str) -> int:
    """The end of the name; a surname alone includes its title, so that it is found again."""
    title = re.compile(_CHINESE_TITLE).match(text, end) if len(name) == 1 else None
    return title.end() if title else end


# Names in English texts and in Latin letters: the words where people put a name.
#
# No list has all names, and any word can be a name, so the context decides. person_names.toml lists words that occur
# there but are no names.


_LETTER = "A-Za-zÀ-ÖØ-öø-ÿ"
WORD = rf"[A-ZÀ-ÖØ-Þ](?:[{_LETTER}]|['’-](?!s\b)(?=[{_LETTER}])){{1,24}}"
FULL = rf"{WORD}(?:[ \t]+(?:(?:[A-Z]\.|van|von|der|de|da|la|bin|al)[ \t]+){{0,2}}{WORD}){{0,2}}"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Doctor)\b\.?[ \t]+)?"
_KIN = (
    r"friend|colleague|boss|manager|teacher|student|wife|husband|son|daughter|brother|sister|mother|father|girlfriend"
    r"|boyfriend|roommate|neighbou?r"
)
_REGARDS = (
    r"(?:best|kind|warm|kindest|warmest) (?:regards|wishes)|regards|yours (?:sincerely|faithfully|truly)"
    r"|sincerely(?: yours)?"
)
_THANKS = r"thanks|many thanks|thank you|cheers|best|love|with love|respectfully|cordially|warmly"

_SURE = (
    re.compile(
        rf"\b(?i:(?:my|his|her|their)(?: full| first| last| real)? name(?: is|['’]s|:)|(?:i am|i['’]m) (?:called|named)"
        rf"|(?:people|please|you can|you may|just|everyone) calls? me|(?:{_KIN}),? (?:named|called))[ \t]+{_TITLE}"
        rf"(?P<name>{FULL})"
    ),
    re.compile(
        r"\b(?i:my name(?: is|['’]s)) (?P<name>[a-z]{3,15}(?: [a-z]{3,15})?)"
        r"(?=[ \t]*(?:[,.!?;\n]|\Z|and i\b|i am\b|i'm\b))"
    ),
    re.compile(rf"(?:^|[\"“:][ \t]*)(?i:dear)[ \t]+{_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,:!—–\n]|\Z))", re.MULTILINE),
    re.compile(
        rf"^[ \t>\"“]*(?i:hi|hello|hey|good (?:morning|afternoon|evening))[ \t]*,?[ \t]+{_TITLE}(?P<name>{FULL})"
        r"(?=[ \t]*(?:[,:!.—–\n]|\Z))",
        re.MULTILINE,
    ),
    re.compile(
        rf"^[ \t>*_]*(?i:{_REGARDS})(?:[,.!]?[ \t]*\n\s*|,[ \t]+){_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,*_\n]|\Z))",
        re.MULTILINE,
    ),
    re.compile(
        rf"^[ \t>*_]*(?i:{_THANKS})[,.!]?[ \t]*\n\s*{_TITLE}(?P<name>{FULL})(?=[ \t]*(?:[,*_\n]|\Z))", re.MULTILINE
    ),
)
# Many other words follow these, so only words that begin or end like a name are taken for one.
_PERHAPS = (
    re.compile(
        rf"\b(?i:i am|i['’]m|this is) (?P<name>{FULL})(?=[ \t]*(?:[,.!\n]|\Z| and\b| from\b| speaking\b| here\b))"
    ),
    re.compile(
        r"^[ \t>*_-]*(?i:(?:full |patient |customer |student )?name|patient|contact(?: person)?)[*_]*[:：][*_ \t]*"
        rf"(?P<name>{FULL})(?=[ \t]*(?:\n|\Z))",
        re.MULTILINE,
    ),
)

NO_NAMES = words("no_names")
WORDS_TOO = words("words_too")
GIVEN = words("given")
SURNAMES = words("surnames")


def english_names(text: str) -> Iterator[tuple[int, int]]:
    """The positions of names; each covers only the words that are surely part of the name."""
    for pattern in _SURE:
        for match in pattern.finditer(text):
            yield from _trimmed(text, match.start("name"), match.end("name"))
    for pattern in _PERHAPS:
        for match in pattern.finditer(text):
            name_words = match["name"].split()
            if name_words[0] in GIVEN or (
                len(name_words) > 1 and not SURNAMES.isdisjoint((name_words[0], name_words[-1]))
            ):
                yield from _trimmed(text, match.start("name"), match.end("name"))


def english_name_parts(name: str) -> Iterator[str]:
    """Other forms of the name: each of its words that is no everyday word; lower-case words also capitalised."""
    for word in (candidate for candidate in re.findall(rf"[{_LETTER}'’-]+", name) if len(candidate) > 2):
        if word.casefold() not in NO_NAMES and word.capitalize() not in WORDS_TOO:
            yield word
            if word.islower():
                yield word.capitalize()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The position without trailing words that are no names; nothing where the first word is no name."""
    spans = [(start + match.start(), start + match.end()) for match in re.finditer(r"\S+", text[start:end])]
    count = 0
    while count < len(spans) and text[slice(*spans[count])].casefold() not in NO_NAMES:
        count += 1
    if count == len(spans) or (count and not text[start:end].islower()):
        yield start, spans[count - 1][1]


# The names of one conversation, wherever they occur in it.


LONGEST_SEARCHED = 50_000  # characters of a text that are searched for introductions
MOST = 200  # names of one conversation; a text with more is a directory
_HAN_CHARACTER = re.compile("[\u4e00-\u9fff]")
_LATIN_LETTER = r"[^\W\u4e00-\u9fff]"


class PersonNames:
    """Names collected from all texts of a conversation: `I am Anna Berg` in one text makes `Anna` a name in all."""

    def __init__(self, texts: Sequence[str]) -> None:
        names = dict.fromkeys(name for text in texts for name in _spoken(text))
        whole = sorted(islice(names, MOST), key=lambda name: (-len(name), name))
        self._bearer: dict[str, str] = {}
        for name in whole:
            bearer = self._bearer.setdefault(name, name)
            for part in (*english_name_parts(name), *chinese_name_parts(name)):
                self._bearer.setdefault(part, bearer)
        self._found = re.compile("|".join(map(_alone, sorted(self._bearer, key=len, reverse=True)))) if whole else None

    def findings(self, text: str) -> list[PersonalDatum]:
        """The findings in order, without overlaps."""
        matches = self._found.finditer(text) if self._found else ()
        return [PersonalDatum("name", match.start(), match.end(), f"{match.group()[0]}•••") for match in matches]

    def bearer(self, name: str) -> str:
        """The longest form of this name in the conversation."""
        return self._bearer.get(name, name)


def _spoken(text: str) -> Iterator[str]:
    beginning = text[:LONGEST_SEARCHED]
    for look in (english_names, chinese_names):
        for start, end in look(beginning):
            yield beginning[start:end]


def _alone(name: str) -> str:
    """A pattern for the name; a name in Latin letters must be a whole word, also between Chinese characters."""
    escaped = re.escape(name)
    return escaped if _HAN_CHARACTER.search(name) else rf"(?<!{_LATIN_LETTER}){escaped}(?!{_LATIN_LETTER})"


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
