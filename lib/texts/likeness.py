"""How alike texts are, cheaply: by the rare words that they share. Pure; Latin words and pairs of CJK characters."""

import math
import re
from collections import Counter
from collections.abc import Sequence

LONGEST = 4000  # characters of a text that count
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def words(text: str) -> frozenset[str]:
    """What a text is compared by: its words in lower case; of CJK, which has no spaces, each two neighbours."""
    text = text[:LONGEST].casefold()
    runs = _CJK.findall(text)
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    return frozenset(pairs | set(_WORD.findall(_CJK.sub(" ", text))))


def likeness(text: str, others: Sequence[str]) -> list[float]:
    """For each of the others how like the text it is, 0..1; 1 where both have the same words, 0 where none.

    The cosine of two vectors that hold 1 for each word that a text has, times the word's inverse document frequency
    among all these texts: a word that many have tells little. Linear in the length of the texts.
    Source: G. Salton, C. Buckley, Term-weighting approaches in automatic text retrieval (1988), with binary counts.
    """
    mine, theirs = words(text), [words(other) for other in others]
    known = Counter(word for one in (mine, *theirs) for word in one)
    weight = {word: math.log((2 + len(theirs)) / n) ** 2 for word, n in known.items()}
    whole = sum(weight[word] for word in mine)
    return [_cosine(whole, sum(weight[word] for word in one), _shared(mine, one, weight)) for one in theirs]


def _shared(one: frozenset[str], other: frozenset[str], weight: dict[str, float]) -> float:
    return sum(weight[word] for word in one & other)


def _cosine(one: float, other: float, both: float) -> float:
    return min(1.0, both / math.sqrt(one * other)) if both else 0.0
