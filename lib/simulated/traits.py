"""What a machine without a model can see in a text and score it by: how long, how ordered, how near to the request.

Every trait has two ends, each a criterion of its own: what one end scores high the other scores low.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z0-9']+|[\u3400-\u9fff]")
SENTENCE = re.compile(r"[.!?。！？]+")
LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True)
class Criterion:
    """One end of a trait. names, descriptions: English and Chinese."""

    trait: str
    high: bool
    names: tuple[str, str]
    descriptions: tuple[str, str]


def _words(text: str, query: str) -> float:
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
    "words": _words,
    "lines": _lines,
    "figures": _figures,
    "echo": _echo,
    "variety": _variety,
    "breath": _breath,
}
ENDS = (
    Criterion(
        "words",
        True,
        ("Fullness", "充分"),
        ("Whether the response takes the room that the matter needs.", "回答是否给足了篇幅。"),
    ),
    Criterion(
        "words",
        False,
        ("Brevity", "简短"),
        ("Whether the response comes to the point in few words.", "回答是否用很少的话说到要点。"),
    ),
    Criterion(
        "lines",
        True,
        ("Layout", "分行"),
        ("Whether the parts of the response stand apart, such as in a list.", "回答的各部分是否分开列出。"),
    ),
    Criterion(
        "lines",
        False,
        ("Flow", "连贯"),
        ("Whether the response reads as one connected text.", "回答读起来是否是一段连贯的文字。"),
    ),
    Criterion(
        "figures",
        True,
        ("Figures", "数据"),
        ("Whether the response gives numbers and dates where they help.", "回答是否在需要处给出数字和日期。"),
    ),
    Criterion(
        "figures",
        False,
        ("Plain words", "文字"),
        ("Whether the response does without numbers that nobody needs.", "回答是否不用多余的数字。"),
    ),
    Criterion(
        "echo",
        True,
        ("Nearness", "贴近"),
        ("Whether the response stays near the words of the request.", "回答是否贴近请求的用词。"),
    ),
    Criterion(
        "echo",
        False,
        ("Own words", "自述"),
        ("Whether the response finds words of its own.", "回答是否用自己的话表达。"),
    ),
    Criterion(
        "variety",
        True,
        ("Variety", "多样"),
        ("Whether the response avoids saying the same word again and again.", "回答是否避免反复使用同一个词。"),
    ),
    Criterion(
        "variety",
        False,
        ("Steady terms", "用词一致"),
        ("Whether the response keeps to one word for one thing.", "回答是否始终用同一个词指同一事物。"),
    ),
    Criterion(
        "breath",
        True,
        ("Long thoughts", "长句"),
        ("Whether the sentences of the response carry a thought to its end.", "回答的句子是否把一个意思说完整。"),
    ),
    Criterion(
        "breath",
        False,
        ("Short sentences", "短句"),
        ("Whether the sentences of the response are short.", "回答的句子是否简短。"),
    ),
)


def criterion_in(text: str) -> Criterion | None:
    """Of a criterion as judges are told it: its name on the first line, else one of the descriptions in it."""
    name = text.partition("\n")[0].strip()
    return next((end for end in ENDS if name in end.names or any(words in text for words in end.descriptions)), None)


def score(text: str, query: str, criterion: Criterion) -> int:
    """From 1 to 5, of one text for itself."""
    value = min(HIGHEST, max(LOWEST, LOWEST + int(MEASURES[criterion.trait](text, query))))
    return value if criterion.high else LOWEST + HIGHEST - value


def scores(first: str, second: str, query: str, criterion: Criterion) -> tuple[int, int]:
    """Of two texts beside each other: where both would get the same and differ all the same, the better gets more."""
    first_score, second_score = score(first, query, criterion), score(second, query, criterion)
    lead = MEASURES[criterion.trait](first, query) - MEASURES[criterion.trait](second, query)
    if first_score != second_score or not lead:
        return first_score, second_score
    if (lead > 0) == criterion.high:
        return (first_score + 1, second_score) if first_score < HIGHEST else (first_score, second_score - 1)
    return (first_score, second_score + 1) if second_score < HIGHEST else (first_score - 1, second_score)
