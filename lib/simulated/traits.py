"""Traits and mistakes of a text that can be found without a model: length, order, similarity to the request, slips.

Every trait has two ends, each a criterion of its own: what one end scores high the other scores low.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

WORD = re.compile(r"[A-Za-z0-9']+|[\u3400-\u9fff]")
SENTENCE = re.compile(r"[.!?。！？]+")
LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True)
class Trait:
    """One end of a trait. names, descriptions: English and Chinese."""

    trait: str
    high: bool
    names: tuple[str, str]
    descriptions: tuple[str, str]


def _word_count(text: str, query: str) -> float:
    return math.log2(1 + len(WORD.findall(text)) / 6)


def _lines(text: str, query: str) -> float:
    return 0.8 * sum(bool(line.strip()) for line in text.splitlines()) - 0.8


def _figures(text: str, query: str) -> float:
    return math.log2(1 + sum(char.isdigit() for char in text))


def _echo(text: str, query: str) -> float:
    query_words = {word.lower() for word in WORD.findall(query)}
    return 6 * len(query_words & {word.lower() for word in WORD.findall(text)}) / max(len(query_words), 1)


def _variety(text: str, query: str) -> float:
    words = [word.lower() for word in WORD.findall(text)]
    return 8 * len(set(words)) / max(len(words), 1) - 3


def _breath(text: str, query: str) -> float:
    return len(WORD.findall(text)) / max(len(SENTENCE.findall(text)), 1) / 8


MEASURES: Mapping[str, Callable[[str, str], float]] = {
    "words": _word_count,
    "lines": _lines,
    "figures": _figures,
    "echo": _echo,
    "variety": _variety,
    "breath": _breath,
}
ENDS = (
    Trait(
        "words",
        True,
        ("Fullness", "充分"),
        ("Whether the response takes the room that the matter needs.", "回答是否给足了篇幅。"),
    ),
    Trait(
        "words",
        False,
        ("Brevity", "简短"),
        ("Whether the response comes to the point in few words.", "回答是否用很少的话说到要点。"),
    ),
    Trait(
        "lines",
        True,
        ("Layout", "分行"),
        ("Whether the parts of the response stand apart, such as in a list.", "回答的各部分是否分开列出。"),
    ),
    Trait(
        "lines",
        False,
        ("Flow", "连贯"),
        ("Whether the response reads as one connected text.", "回答读起来是否是一段连贯的文字。"),
    ),
    Trait(
        "figures",
        True,
        ("Figures", "数据"),
        ("Whether the response gives numbers and dates where they help.", "回答是否在需要处给出数字和日期。"),
    ),
    Trait(
        "figures",
        False,
        ("Plain words", "文字"),
        ("Whether the response does without numbers that nobody needs.", "回答是否不用多余的数字。"),
    ),
    Trait(
        "echo",
        True,
        ("Nearness", "贴近"),
        ("Whether the response stays near the words of the request.", "回答是否贴近请求的用词。"),
    ),
    Trait(
        "echo",
        False,
        ("Own words", "自述"),
        ("Whether the response finds words of its own.", "回答是否用自己的话表达。"),
    ),
    Trait(
        "variety",
        True,
        ("Variety", "多样"),
        ("Whether the response avoids saying the same word again and again.", "回答是否避免反复使用同一个词。"),
    ),
    Trait(
        "variety",
        False,
        ("Steady terms", "用词一致"),
        ("Whether the response keeps to one word for one thing.", "回答是否始终用同一个词指同一事物。"),
    ),
    Trait(
        "breath",
        True,
        ("Long thoughts", "长句"),
        ("Whether the sentences of the response carry a thought to its end.", "回答的句子是否把一个意思说完整。"),
    ),
    Trait(
        "breath",
        False,
        ("Short sentences", "短句"),
        ("Whether the sentences of the response are short.", "回答的句子是否简短。"),
    ),
)


def criterion_in(text: str) -> Trait | None:
    """The trait of a criterion's text: by the name on its first line, else by one of the descriptions in it."""
    name = text.partition("\n")[0].strip()
    return next((end for end in ENDS if name in end.names or any(words in text for words in end.descriptions)), None)


def score(text: str, query: str, criterion: Trait) -> int:
    """From 1 to 5, of one text for itself."""
    value = min(HIGHEST, max(LOWEST, LOWEST + int(MEASURES[criterion.trait](text, query))))
    return value if criterion.high else LOWEST + HIGHEST - value


def scores(first: str, second: str, query: str, criterion: Trait) -> tuple[int, int]:
    """The scores of two compared texts: where both would get equal scores but differ, the better one gets more."""
    first_score, second_score = score(first, query, criterion), score(second, query, criterion)
    lead = MEASURES[criterion.trait](first, query) - MEASURES[criterion.trait](second, query)
    if first_score != second_score or not lead:
        return first_score, second_score
    if (lead > 0) == criterion.high:
        return (first_score + 1, second_score) if first_score < HIGHEST else (first_score, second_score - 1)
    return (first_score, second_score + 1) if second_score < HIGHEST else (first_score - 1, second_score)


# Slips: mistakes of a text that can be found without a model, from the text, its request, or a better text.
#
# Each slip is named by the words in which it appears, so that a judge can quote them.


FILE = Path(__file__).with_name("knowledge.toml")
_SUM = re.compile(
    r"(?<![\d.])(\d{1,9}(?:\.\d{1,4})?)\s*([-+−×x*÷/])\s*(\d{1,9}(?:\.\d{1,4})?)\s*=\s*(\d{1,12}(?:\.\d{1,4})?)"
)
_MEASURE = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,4})?)\s*([A-Za-z]{1,20}|[\u3400-\u9fff])")
_STEP = re.compile(r"^\s*(?:Step\s+)?(\d{1,2})[.:)]\s", re.MULTILINE)
_WANTED = re.compile(r"\b(two|three|four|five|six|[2-9])\s+(?:bullet points|bullets|items|steps)\b", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)]|Step\s+\d{1,2}[.:])\s", re.MULTILINE)
_WORD = re.compile(r"\d+(?:\.\d+)?|[A-Za-z]+(?:'[a-z]+)?|[\u3400-\u9fff]")
_ENDS = (".", "!", "?", "。", "！", "？", ")", "）", "”", '"', "`", "*", ":", "：", "|")
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
UNITS = frozenset(
    [
        *("m", "cm", "mm", "km", "kg", "g", "mg", "l", "ml", "s", "min", "h"),
        *("metres", "kilometres", "grams", "kilograms", "litres", "hours", "minutes", "days"),
    ]
)
LONGEST = 20_000  # characters that are looked at


@cache
def knowledge() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


def slips(text: str, request: str) -> list[str]:
    """The places, each once, in the order of the looks below; none where nothing is seen to be wrong."""
    text, request = text[:LONGEST], request[:LONGEST]
    looks = (_sums(text), _facts(text, request), _copied(text, request), _wrong_words(text), _steps(text, request))
    return list(dict.fromkeys(slip for look in looks for slip in look))


def departures(text: str, trusted: str) -> list[str]:
    """The words and numbers of either text that the other does not have as often; case and marks do not matter."""
    text_words, trusted_words = (
        Counter(word.lower() for word in _WORD.findall(source[:LONGEST])) for source in (text, trusted)
    )
    return sorted({*(text_words - trusted_words), *(trusted_words - text_words)})


def _sums(text: str) -> Iterator[str]:
    """Arithmetic that does not come out when it is done again; a quotient may be rounded."""
    for match in _SUM.finditer(text):
        left, right, claim = (float(match[group]) for group in (1, 3, 4))
        if match[2] in "÷/" and not right:
            continue
        right_one = {"+": left + right, "-": left - right, "−": left - right}.get(match[2])
        if right_one is None:
            right_one = left / right if match[2] in "÷/" else left * right
        if abs(right_one - claim) > (0.05 if match[2] in "÷/" else 1e-6):
            yield match[0]


def _facts(text: str, request: str) -> Iterator[str]:
    lower_text, lower_request = text.lower(), request.lower()
    words = set(_WORD.findall(lower_text))
    for fact in knowledge()["facts"]:
        is_about = all(word in f"{lower_request}\n{lower_text}" for word in fact["about"]) and any(
            w in lower_text for w in fact["about"]
        )
        if is_about and not any(right in (words if right.isascii() else lower_text) for right in fact["right"]):
            yield " ".join(fact["about"])


def _copied(text: str, request: str) -> Iterator[str]:
    """A quantity of the request with another unit; or with another number, unless that is a result."""
    measures = [(number, unit.lower()) for number, unit in _MEASURE.findall(request)]
    numbers, units = {number for number, _unit in measures}, {unit for _number, unit in measures}
    results = {sum_match[4] for sum_match in _SUM.finditer(text)}
    for match in _MEASURE.finditer(text):
        number, unit = match[1], match[2].lower()
        if (number, unit) in measures or number in results:
            continue
        another_number = unit in units and number not in numbers
        another_unit = number in numbers and unit in UNITS and unit not in units
        if another_number or another_unit:
            yield match[0]


def _wrong_words(text: str) -> Iterator[str]:
    lexicon = knowledge()
    wrong, pairs = set(lexicon["misspelled"]), {tuple(pair) for pair in lexicon["ungrammatical"]}
    words = [word.lower() for word in re.findall(r"[A-Za-z']+|[.,;:!?\n]", text)]
    yield from (word for word in words if word in wrong)
    for left_word, right_word in pairwise(words):
        if (left_word, right_word) in pairs or (
            left_word == right_word and left_word.isalpha() and left_word not in ("that", "had")
        ):
            yield f"{left_word} {right_word}"


def _steps(text: str, request: str) -> Iterator[str]:
    """Numbers out of their order, another count of entries than was asked for, a text that breaks off."""
    numbers = [int(number) for number in _STEP.findall(text)]
    for previous, current in pairwise(numbers):
        if current not in (previous + 1, 1):
            yield f"{previous}, {current}"
    match, entry_count = _WANTED.search(request), len(_ENTRY.findall(text))
    if match and entry_count:
        count = _COUNTS.get(match[1].lower()) or int(match[1])
        if count != entry_count:
            yield f"{match[0]}: {entry_count}"
    if text.strip() and not text.rstrip().endswith(_ENDS):
        yield text.rstrip()[-20:]
