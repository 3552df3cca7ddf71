"""Answers to one question beside each other: which of them has the lowest score in a log, and which the highest.

Source: FB-Bench (arXiv 2410.09412), 2.4: of the answers that people scored, error correction takes the lowest.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from annotate.formats.chatlog.conversations import Conversation
from annotate.formats.rows import Problem

Read = tuple[int, Conversation]  # line, what stands there


@dataclass(slots=True)
class Range:
    """Of the answers to one question: the lowest and the highest score, and the first line that has it."""

    low: float
    low_line: int
    high: float
    high_line: int

    def take(self, score: float, line: int) -> None:
        if score < self.low:
            self.low, self.low_line = score, line
        if score > self.high:
            self.high, self.high_line = score, line


def compared(log: Callable[[], Iterable[Read | Problem]]) -> Iterator[Read | Problem]:
    """The log with `lowest` and `highest` of its scored answers. log: gives it from the beginning; it is read twice.

    Questions are the same where their words are, however these are broken into lines. Of equal scores the first line
    counts, so that each question has one answer of either sort. Memory grows with the questions, not with their texts.
    """
    ranges: dict[bytes, Range] = {}
    for entry in log():
        if isinstance(entry, Problem) or entry[1].score is None:
            continue
        line, talk = entry
        assert talk.score is not None
        ranges.setdefault(_question(talk), Range(talk.score, line, talk.score, line)).take(talk.score, line)
    for entry in log():
        if isinstance(entry, Problem) or entry[1].score is None:
            yield entry
            continue
        line, talk = entry
        among = ranges[_question(talk)]
        yield line, replace(talk, lowest=among.low_line == line, highest=among.high_line == line)


def _question(talk: Conversation) -> bytes:
    words = " ".join(talk.asked[0].split())
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
