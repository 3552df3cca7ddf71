"""The arithmetic probe of URS: chained additions of two-digit numbers, scored exactly by the sum that a reply names.

Source: URS (arXiv 2404.13940), first version: lengths 2 to 20 with ten cases each; the longest length with at least
80 % right, and accuracy over lengths 2 to 10 (90 trials).
"""

import random
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from lib.stats.figures import Figure, share_figure

SHORTEST, LONGEST, EACH = 2, 20, 10
ENOUGH = 0.8
SHORT_TO = 10  # accuracy is also reported over lengths up to this one
LOW, HIGH = 10, 99


def chain(seed: int, length: int, number: int) -> list[int]:
    """`length` numbers of two digits; the same for the same seed, length and case number."""
    chance = random.Random(f"{seed}/{length}/{number}")  # noqa: S311 - cases are reproducible
    return [chance.randint(LOW, HIGH) for _term in range(length)]


# --- reading a reply --------------------------------------------------------------------------------------------------
_NUMBER = r"[-+−]?(?:\d{1,3}(?:[,'’ ]\d{3})+|\d+)(?:\.\d+)?"
_NO_OTHER = r"(?![\d.]*\d)(?!\s*(?:[+*/×÷=]|[-−–~]\s*\d|or\b|to\b|或|至|到|%))"
_LABEL = (
    r"(?:\b(?:answer|sum|total|result)\b|答案|总和|总计|合计|结果|和)[\s\"'”’]*"
    r"(?:\b(?:is|equals|are|comes to|of)\b|=|:|为|是|等于)"
)
LABELLED = re.compile(rf"(?:{_LABEL}|=|≈|等于)\s*\$?({_NUMBER}){_NO_OTHER}", re.IGNORECASE)
ALONE = re.compile(rf"^[\s\"'“‘(]*({_NUMBER})[\s.。!！\"'”’)]*$", re.MULTILINE)
BOXED = re.compile(rf"\\boxed\{{\s*({_NUMBER})\s*\}}")
ANY = re.compile(rf"(?<![\w.]){_NUMBER}(?![\w])")


def final_number(text: str) -> Decimal | None:
    """The sum that a reply names; None where it names none, or several without a final one.

    A boxed number counts first, then the last number after a word such as "sum", after an equals sign, or alone on a
    line. Without any of these, the only number of the text. Thousands separators and full-width digits are allowed.
    """
    plain = _plain(text)
    boxed = [match[1] for match in BOXED.finditer(plain)]
    if boxed:
        return _value(boxed[-1])
    candidates = [(match.start(1), match[1]) for pattern in (LABELLED, ALONE) for match in pattern.finditer(plain)]
    if candidates:
        return _value(max(candidates)[1])
    numbers = {_value(match[0]) for match in ANY.finditer(plain)}
    return numbers.pop() if len(numbers) == 1 and "+" not in plain else None


def _plain(text: str) -> str:
    """The text with half-width digits and signs, without emphasis; a full-width comma separates numbers."""
    narrow = unicodedata.normalize("NFKC", text.replace("，", " ; "))
    narrow = narrow.replace("{,}", ",").replace("\\,", "").replace("\\(", " ").replace("\\)", " ")
    return re.sub(r"[*_`$]", "", narrow)


def _value(digits: str) -> Decimal:
    return Decimal(re.sub(r"[,'’ ]", "", digits).replace("−", "-"))


# --- counting ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ArithmeticTrial:
    """One case. read: the number that was read in the reply; None where none could be."""

    length: int
    expected: int
    read: Decimal | None

    @property
    def right(self) -> bool:
        return self.read == self.expected


@dataclass(frozen=True)
class OfLength:
    """accuracy: over all trials of this length, with Wilson's interval; unreadable replies count as wrong."""

    length: int
    right: int
    unparsed: int
    accuracy: Figure


@dataclass(frozen=True)
class Probed:
    """longest: the longest length with at least 80 % right; None where there is none. short: over lengths 2 to 10."""

    lengths: Sequence[OfLength]
    longest: int | None
    short: OfLength
    unparsed: int


def probed(trials: Sequence[ArithmeticTrial]) -> Probed:
    """Results by length, in order; a length without trials is left out."""
    by_length: dict[int, list[ArithmeticTrial]] = {}
    for trial in trials:
        by_length.setdefault(trial.length, []).append(trial)
    lengths = [_counted(length, by_length[length]) for length in sorted(by_length)]
    return Probed(
        lengths,
        max((tally.length for tally in lengths if tally.right >= ENOUGH * tally.accuracy.n), default=None),
        _counted(SHORT_TO, list(_short(by_length))),
        sum(tally.unparsed for tally in lengths),
    )


def _counted(length: int, trials: Sequence[ArithmeticTrial]) -> OfLength:
    right = sum(trial.right for trial in trials)
    return OfLength(length, right, sum(trial.read is None for trial in trials), share_figure(right, len(trials)))


def _short(by_length: Mapping[int, Sequence[ArithmeticTrial]]) -> Iterator[ArithmeticTrial]:
    for length, trials in by_length.items():
        if SHORTEST <= length <= SHORT_TO:
            yield from trials
