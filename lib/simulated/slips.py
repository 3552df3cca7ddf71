"""What is wrong with a text, as far as a machine without a model can see: by itself, its request, or a better text.

Each slip is named by the words in which it shows, so that whoever notices it can quote them.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

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
    looks = (_sums(text), _facts(text, request), _copied(text, request), _words(text), _steps(text, request))
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


def _words(text: str) -> Iterator[str]:
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
