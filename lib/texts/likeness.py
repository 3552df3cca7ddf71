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
    pairs = {run[index : index + 2] for run in runs for index in range(max(1, len(run) - 1))}
    return frozenset(pairs | set(_WORD.findall(_CJK.sub(" ", text))))


def likeness(text: str, other_texts: Sequence[str]) -> list[float]:
    """For each of the others how like the text it is, 0..1; 1 where both have the same words, 0 where none.

    The cosine of two vectors that hold 1 for each word that a text has, times the word's inverse document frequency
    among all these texts: a word that many have tells little. Linear in the length of the texts.
    Source: G. Salton, C. Buckley, Term-weighting approaches in automatic text retrieval (1988), with binary counts.
    """
    text_words, other_words = words(text), [words(other_text) for other_text in other_texts]
    document_counts = Counter(word for word_set in (text_words, *other_words) for word in word_set)
    weight = {word: math.log((2 + len(other_words)) / n) ** 2 for word, n in document_counts.items()}
    whole = sum(weight[word] for word in text_words)
    return [
        _cosine(whole, sum(weight[word] for word in word_set), _shared(text_words, word_set, weight))
        for word_set in other_words
    ]


def _shared(first: frozenset[str], second: frozenset[str], weight: dict[str, float]) -> float:
    return sum(weight[word] for word in first & second)


def _cosine(first: float, second: float, both: float) -> float:
    return min(1.0, both / math.sqrt(first * second)) if both else 0.0
