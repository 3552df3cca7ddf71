"""What in a text looks as if it spoke to a model: known patterns, shown to people. It stops and changes nothing."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.utils.translation import gettext_noop as _


class Suspicion(NamedTuple):
    """name: the text in which it stands; what: in words (a message id); excerpt: as it stands there."""

    name: str
    what: str
    excerpt: str


_OBJECT = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?)"
_WHICH = r"(?:previous|prior|above|earlier|preceding|foregoing|all|any|your|system|these|original)"
_ZH_OBJECT = "(?:指令|指示|提示词?|命令|规则|要求|系统消息)"
_ZH_WHICH = "(?:以上|上述|之前|先前|前面|所有|全部|一切|你的|系统)"
_JUDGE = r"(?:judge|grader|evaluator|rater|reviewer|annotator)s?"
_BEST = r"(?:highest|maximum|full|perfect|top|best)"

PATTERNS: Mapping[str, tuple[str, ...]] = {
    _("asks to disregard instructions"): (
        (
            rf"\b(?:ignore|disregard|forget|override|bypass|do\s+not\s+follow)\b[^.!?\n]{{0,40}}?\b{_WHICH}\b"
            rf"[^.!?\n]{{0,30}}?\b{_OBJECT}\b"
        ),
        rf"(?:忽略|无视|忘记|忘掉|不要理会|不再遵守|覆盖)[^。！？\n]{{0,12}}?{_ZH_WHICH}[^。！？\n]{{0,10}}?{_ZH_OBJECT}",
    ),
    _("gives the model new instructions or another role"): (
        r"\b(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions?|prompt)\s*[:：]",
        r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\b|the\b|in\b|bound|chatgpt|dan\b)",
        r"\b(?:enable|enter|switch\s+to)\s+(?:developer|debug|god|dan|jailbreak)\s+mode\b",
        rf"(?:新的?|真正的?)(?:系统)?{_ZH_OBJECT}\s*[:：]",
        "你现在(?:不再)?是一[个名位]",
    ),
    _("imitates the marks of a conversation"): (
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>",
        r"\[/?INST\]|<</?SYS>>",
        r"^[ \t]*#{2,}[ \t]*(?:system|instructions?|assistant)[ \t]*(?:prompt|message)?[ \t]*:?[ \t]*$",
        r"^[ \t]*(?:system|developer)[ \t]+(?:prompt|message|note|override)[ \t]*[:：]",
        r"^[ \t]*系统(?:提示词?|消息|指令)[ \t]*[:：]",
    ),
    _("imitates the end of a block"): (
        r"</?\s*data-[0-9a-f]{6,}",
        r"</\s*(?:data|material|input|document|untrusted)\s*>\s*\S",
    ),
    _("speaks to whoever rates it"): (
        rf"\b(?:dear\s+|hey\s+|attention,?\s+|note\s+to\s+(?:the\s+)?){_JUDGE}\b",
        (
            rf"\b(?:give|assign|award|rate|score|mark)\b[^.!?\n]{{0,40}}\b{_BEST}\s+(?:possible\s+)?"
            r"(?:score|marks?|rating|grade)s?\b"
        ),
        r"\banswer\s+(?:[\"“']?yes[\"”']?)\s+to\s+(?:all|every|each)\b",
        r"(?:请|必须|务必)[^。！？\n]{0,12}(?:打|给|评)[^。！？\n]{0,8}(?:满分|最高分|10\s*分|十分|高分)",
        r"(?:评审|评委|裁判|评分)(?:者|员|模型|老师|人)?[^。！？\n]{0,4}(?:请注意|注意|你好|您好)",
    ),
    _("asks for the model's own prompt"): (
        (
            r"\b(?:reveal|print|repeat|output|show|leak)\b[^.!?\n]{0,30}\b(?:your|the)\s+"
            rf"(?:system|hidden|initial|secret)\s+{_OBJECT}"
        ),
        "(?:输出|显示|重复|泄露|告诉我)[^。！？\n]{0,8}(?:你的)?(?:系统提示词?|系统指令|隐藏指令|初始指令)",
    ),
    _("holds characters that nobody can see"): (
        r"[\U000E0020-\U000E007F]{2,}",
        r"[\u202A-\u202E\u2066-\u2069]",
        r"(?:[\u200B\u2060\u2062-\u2064\uFEFF]\s*){3,}",
    ),
}
_COMPILED = [
    (what, re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE))
    for what, patterns in PATTERNS.items()
]
_LONGEST = 80


def suspicions(texts: Mapping[str, str]) -> list[Suspicion]:
    """Each sort once a text, in the order of the texts. texts: name -> text."""
    return [found for name, text in texts.items() for found in _in(name, text)]


def _in(name: str, text: str) -> Iterator[Suspicion]:
    readable = unicodedata.normalize("NFKC", text)  # full-width letters say the same
    for what, pattern in _COMPILED:
        found = pattern.search(text) or (pattern.search(readable) if readable != text else None)
        if found:
            yield Suspicion(name, what, _excerpt(found[0]))


def _excerpt(text: str) -> str:
    seen = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(text.split()))
    return seen if len(seen) <= _LONGEST else seen[: _LONGEST - 1] + "…"
