"""Near-duplicates: MinHash over pairs of neighbouring words or CJK characters; and a cheap likeness of texts.

Pure. Candidates from MinHash are compared exactly afterwards, so there are no false positives.
Source: A. Broder, On the resemblance and containment of documents (1997); LSH in bands as in datasketch.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lib.texts.tokens import is_word, tokens

LONGEST = 20_000  # characters of a text that count
PERMUTATIONS = 128
AT_MOST = 20  # similar texts that are looked at per text, so that a thousand equal texts do not make a million pairs
LOOSER = 0.8  # bands are tuned for this share of the threshold, so that few pairs just above it are missed


def shingles(text: str) -> frozenset[str]:
    """All pairs of neighbouring words in lower case, without signs and blanks; a CJK character is a word."""
    words = [token.casefold().strip("%％‰+-−") for token in tokens(text[:LONGEST]) if is_word(token)]
    pairs = frozenset(f"{left} {right}" for left, right in pairwise(words))
    return pairs or frozenset(words)  # a single word is its own shingle


def resemblance(first: frozenset[str], second: frozenset[str]) -> float:
    """Jaccard similarity, |both| / |either|, 0..1; 0 where both are empty."""
    return len(first & second) / len(first | second) if first or second else 0.0


def candidates(texts: Iterable[tuple[int, str]], *, threshold: float) -> Iterator[tuple[int, int]]:
    """(earlier, later) of the numbered texts that may resemble each other at the threshold or above.

    Texts are hashed and not kept; memory holds one signature per text.
    """
    from datasketch import MinHash, MinHashLSH  # here, because it brings SciPy along, which few processes need

    index = MinHashLSH(threshold=max(0.05, threshold * LOOSER), num_perm=PERMUTATIONS)
    for number, text in texts:
        text_shingles = shingles(text)
        if not text_shingles:
            continue
        signature = MinHash(num_perm=PERMUTATIONS)
        signature.update_batch([shingle.encode("utf-8", "replace") for shingle in text_shingles])
        for earlier in sorted(index.query(signature))[:AT_MOST]:
            yield earlier, number
        index.insert(number, signature, check_duplication=False)


# A cheap likeness: by the rare words that texts share. Words are Latin words and pairs of CJK characters.


LONGEST_COMPARED = 4000  # characters of a text that count
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def words(text: str) -> frozenset[str]:
    """The words for comparing a text: in lower case; for CJK, which has no spaces, all pairs of neighbours."""
    text = text[:LONGEST_COMPARED].casefold()
    runs = _CJK.findall(text)
    pairs = {run[index : index + 2] for run in runs for index in range(max(1, len(run) - 1))}
    return frozenset(pairs | set(_WORD.findall(_CJK.sub(" ", text))))


def likeness(text: str, other_texts: Sequence[str]) -> list[float]:
    """The likeness of each other text to this one, 0..1: 1 with the same words, 0 without common words.

    It is the cosine of two binary word vectors weighted by inverse document frequency among all these texts, so a
    frequent word counts little. Linear in the length of the texts.
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
