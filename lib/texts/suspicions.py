"""Suspected prompt injections in texts: known patterns, shown to people. They stop and change nothing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from django.utils.translation import gettext_noop as _


class Suspicion(NamedTuple):
    """name: of the text; what: a description (a message id); excerpt: quoted from the text."""

    name: str
    what: str
    excerpt: str


_OBJECT = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?)"
_WHICH = r"(?:previous|prior|above|earlier|preceding|foregoing|all|any|your|system|these|original)"
_ZH_OBJECT = "(?:指令|指示|提示词?|命令|规则|要求|系统消息)"
_ZH_WHICH = "(?:以上|上述|之前|先前|前面|所有|全部|一切|你的|系统)"
_JUDGES = ("judge", "grader", "evaluator", "rater", "reviewer", "annotator")
_JUDGE = rf"(?:{'|'.join(_JUDGES)})s?"
_BESTS = ("highest", "maximum", "full", "perfect", "top", "best")
_BEST = rf"(?:{'|'.join(_BESTS)})"


class Pattern(NamedTuple):
    """needs: words of which every match contains one. beyond_ascii: every match contains a non-ASCII character.

    Without them the pattern is not searched: a case-insensitive search takes twenty times as long as a word lookup, and
    every text of every judgement is searched.
    """

    regex: re.Pattern[str]
    needs: Set[str] = frozenset()
    beyond_ascii: bool = False

    def found(self, text: str, words: Set[str]) -> re.Match[str] | None:
        if self.beyond_ascii and text.isascii():
            return None
        if self.needs and self.needs.isdisjoint(words):
            return None
        return self.regex.search(text)


def _pattern(regex: str, needs: str = "", *, beyond_ascii: bool = False) -> Pattern:
    case = re.NOFLAG if beyond_ascii else re.IGNORECASE  # these characters have no case
    return Pattern(re.compile(regex, re.MULTILINE | case), frozenset(needs.split()), beyond_ascii)


def _chinese(regex: str) -> Pattern:
    return _pattern(regex, beyond_ascii=True)


PATTERNS: Mapping[str, tuple[Pattern, ...]] = {
    _("asks to disregard instructions"): (
        _pattern(
            rf"\b(?:ignore|disregard|forget|override|bypass|do\s+not\s+follow)\b[^.!?\n]{{0,40}}?\b{_WHICH}\b"
            rf"[^.!?\n]{{0,30}}?\b{_OBJECT}\b",
            needs="ignore disregard forget override bypass follow",
        ),
        _chinese(
            rf"(?:忽略|无视|忘记|忘掉|不要理会|不再遵守|覆盖)[^。！？\n]{{0,12}}?{_ZH_WHICH}[^。！？\n]{{0,10}}?{_ZH_OBJECT}"
        ),
    ),
    _("gives the model new instructions or another role"): (
        _pattern(
            r"\b(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions?|prompt)\s*[:：]",
            needs="instruction instructions prompt",
        ),
        _pattern(r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\b|the\b|in\b|bound|chatgpt|dan\b)", needs="now longer"),
        _pattern(r"\b(?:enable|enter|switch\s+to)\s+(?:developer|debug|god|dan|jailbreak)\s+mode\b", needs="mode"),
        _chinese(rf"(?:新的?|真正的?)(?:系统)?{_ZH_OBJECT}\s*[:：]"),
        _chinese("你现在(?:不再)?是一[个名位]"),
    ),
    _("imitates the marks of a conversation"): (
        _pattern(r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>"),
        _pattern(r"\[/?INST\]|<</?SYS>>"),
        _pattern(r"^[ \t]*#{2,}[ \t]*(?:system|instructions?|assistant)[ \t]*(?:prompt|message)?[ \t]*:?[ \t]*$"),
        _pattern(r"^[ \t]*(?:system|developer)[ \t]+(?:prompt|message|note|override)[ \t]*[:：]"),
        _chinese(r"^[ \t]*系统(?:提示词?|消息|指令)[ \t]*[:：]"),
    ),
    _("imitates the end of a block"): (
        _pattern(r"</?\s*data-[0-9a-f]{6,}"),
        _pattern(r"</\s*(?:data|material|input|document|untrusted)\s*>\s*\S"),
    ),
    _("speaks to whoever rates it"): (
        _pattern(
            rf"\b(?:dear\s+|hey\s+|attention,?\s+|note\s+to\s+(?:the\s+)?){_JUDGE}\b",
            needs=" ".join(f"{who} {who}s" for who in _JUDGES),
        ),
        _pattern(
            rf"\b(?:give|assign|award|rate|score|mark)\b[^.!?\n]{{0,40}}\b{_BEST}\s+(?:possible\s+)?"
            r"(?:score|marks?|rating|grade)s?\b",
            needs=" ".join(_BESTS),
        ),
        _pattern(r"\banswer\s+(?:[\"“']?yes[\"”']?)\s+to\s+(?:all|every|each)\b", needs="yes"),
        _chinese(r"(?:请|必须|务必)[^。！？\n]{0,12}(?:打|给|评)[^。！？\n]{0,8}(?:满分|最高分|10\s*分|十分|高分)"),
        _chinese(r"(?:评审|评委|裁判|评分)(?:者|员|模型|老师|人)?[^。！？\n]{0,4}(?:请注意|注意|你好|您好)"),
    ),
    _("asks for the model's own prompt"): (
        _pattern(
            r"\b(?:reveal|print|repeat|output|show|leak)\b[^.!?\n]{0,30}\b(?:your|the)\s+"
            rf"(?:system|hidden|initial|secret)\s+{_OBJECT}",
            needs="system hidden initial secret",
        ),
        _chinese("(?:输出|显示|重复|泄露|告诉我)[^。！？\n]{0,8}(?:你的)?(?:系统提示词?|系统指令|隐藏指令|初始指令)"),
    ),
    _("holds characters that nobody can see"): (
        _pattern(r"[\U000E0020-\U000E007F]{2,}", beyond_ascii=True),
        _pattern(r"[\u202A-\u202E\u2066-\u2069]", beyond_ascii=True),
        _pattern(r"(?:[\u200B\u2060\u2062-\u2064\uFEFF]\s*){3,}", beyond_ascii=True),
    ),
}
_WORD = re.compile(r"\w+")
_OTHER_I = str.maketrans("\u0130\u0131", "ii")  # which regular expressions take for an i
_LONGEST = 80


def suspicions(texts: Mapping[str, str]) -> list[Suspicion]:
    """The suspicions, each sort once per text, in the order of the texts. texts: name -> text."""
    return [suspicion for name, text in texts.items() for suspicion in _in(name, text)]


def _in(name: str, text: str) -> Iterator[Suspicion]:
    readable = unicodedata.normalize("NFKC", text)  # full-width letters say the same
    words = _words(text)
    words_read = words if readable == text else _words(readable)
    for message, patterns in PATTERNS.items():
        match = _first(patterns, text, words) or (_first(patterns, readable, words_read) if readable != text else None)
        if match:
            yield Suspicion(name, message, _excerpt(match[0]))


def _words(text: str) -> Set[str]:
    if text.isascii():
        return set(_WORD.findall(text.lower()))
    return {word.casefold() for word in set(_WORD.findall(text.translate(_OTHER_I)))}


def _first(patterns: Iterable[Pattern], text: str, words: Set[str]) -> re.Match[str] | None:
    matches = (pattern.found(text, words) for pattern in patterns)
    return min((match for match in matches if match), key=re.Match.start, default=None)


def _excerpt(text: str) -> str:
    excerpt = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(text.split()))
    return excerpt if len(excerpt) <= _LONGEST else excerpt[: _LONGEST - 1] + "…"
