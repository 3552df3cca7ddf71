"""Which of many texts are nearly the same: MinHash over pairs of neighbouring words or CJK characters.

Pure. What MinHash takes for alike is compared exactly afterwards, so nothing is called alike that is not.
Source: A. Broder, On the resemblance and containment of documents (1997); LSH in bands as in datasketch.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from lib.texts.tokens import is_word, tokens

LONGEST = 20_000  # characters of a text that count
PERMUTATIONS = 128
AT_MOST = 20  # of the texts that are like one, so many are looked at: a thousand equal ones make no million pairs
LOOSER = 0.8  # bands are set for this share of the threshold, so that few pairs just above it are missed


def shingles(text: str) -> frozenset[str]:
    """Each two neighbouring words in lower case, signs and blanks aside; a CJK character is a word."""
    words = [token.casefold().strip("%％‰+-−") for token in tokens(text[:LONGEST]) if is_word(token)]
    pairs = frozenset(f"{left} {right}" for left, right in pairwise(words))
    return pairs or frozenset(words)  # of one word that word


def resemblance(first: frozenset[str], second: frozenset[str]) -> float:
    """|both| / |either|, 0..1; 0 where both are empty: two texts without words say nothing."""
    return len(first & second) / len(first | second) if first or second else 0.0


def candidates(texts: Iterable[tuple[int, str]], *, threshold: float) -> Iterator[tuple[int, int]]:
    """(earlier, later) of the numbered texts that may resemble each other at the threshold or above.

    Each text is hashed and forgotten; memory holds a signature a text.
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
