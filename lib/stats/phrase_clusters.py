"""Clusters of short texts with similar meaning, such as criteria that judges name in different words. Pure."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import squareform

from lib.stats.averages import Floats

ALIKE = 0.35  # texts whose mean cosine is at least this are one cluster
MOST = 1500  # distinct texts that are compared pairwise; rarer ones join the nearest cluster
WORD = re.compile(r"[^\W_]+")
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
EMPTY_WORDS = frozenset(re.findall(r"\w+", "a an and are as by for from has how in is it of on or the to whether with"))
EMPTY_CHARACTERS = frozenset("的是否了和与")


def clusters(texts: Sequence[str], *, alike: float = ALIKE) -> list[int]:
    """The number of each text's cluster, from 0 for the largest cluster; independent of the order of the texts.

    Words, their character trigrams, and pairs of Chinese characters are weighted by TF-IDF. Texts are joined by average
    linkage while the mean cosine is at least `alike`, 0..1. Texts without a word are one cluster.
    """
    counted = Counter(_plain(text) for text in texts)
    distinct = sorted(counted, key=lambda text: (-counted[text], text))
    vectors = _vectors(distinct, [counted[text] for text in distinct])
    cluster_numbers = _joined(vectors[: min(MOST, len(distinct))], alike)
    cluster_numbers += _nearest(vectors, cluster_numbers, alike)
    cluster = dict(zip(distinct, cluster_numbers, strict=True))
    plain = [_plain(text) for text in texts]
    return _by_size([cluster[text] for text in plain], plain)


def named(texts: Sequence[str]) -> str:
    """The name of a cluster: its most frequent text; of several the first in alphabetical order."""
    counted = Counter(text.strip() for text in texts)
    return min(counted, key=lambda text: (-counted[text], text), default="")


def features(text: str) -> list[str]:
    """The features for comparing texts."""
    pieces: list[str] = []
    for word in WORD.findall(_plain(text)):
        if HAN.search(word):
            pieces += [
                *(character for character in word if character not in EMPTY_CHARACTERS),
                *(word[index : index + 2] for index in range(len(word) - 1)),
            ]
        elif word not in EMPTY_WORDS:
            edged = f"^{word}$"
            pieces += [word, *(edged[index : index + 3] for index in range(len(edged) - 2))]
    return pieces


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _vectors(texts: Sequence[str], times: Sequence[int]) -> csr_matrix:
    """(texts, features), each row of length 1 or empty. times: how often each text occurs, used as its weight."""
    text_counts = [Counter(features(text)) for text in texts]
    document_counts: Counter[str] = Counter()
    for counts, n in zip(text_counts, times, strict=True):
        document_counts.update(dict.fromkeys(counts, n))
    column_by_feature = {feature: index for index, feature in enumerate(sorted(document_counts))}
    whole = sum(times)
    rows, columns, values = [], [], []
    for row, counts in enumerate(text_counts):
        weights = {term: n * math.log((1 + whole) / (1 + document_counts[term]) + 1) for term, n in counts.items()}
        length = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        for feature in sorted(weights):
            rows.append(row)
            columns.append(column_by_feature[feature])
            values.append(weights[feature] / length)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), max(len(column_by_feature), 1)))


def _joined(vectors: csr_matrix, alike: float) -> list[int]:
    n = vectors.shape[0]
    if n < 2:
        return [0] * n
    far: Floats = 1 - np.asarray((vectors @ vectors.T).todense())
    empty = np.asarray(vectors.getnnz(axis=1) == 0)
    far[np.ix_(empty, empty)] = 0
    np.fill_diagonal(far, 0)
    condensed = squareform(np.clip((far + far.T) / 2, 0, 1), checks=False)
    return [int(number) - 1 for number in fcluster(linkage(condensed, "average"), 1 - alike, criterion="distance")]


def _nearest(vectors: csr_matrix, cluster_numbers: Sequence[int], alike: float) -> list[int]:
    """Clusters of the texts that were not compared: the one with the nearest centre, else a new one."""
    rest, n = vectors.shape[0] - len(cluster_numbers), max(cluster_numbers, default=-1) + 1
    if not rest:
        return []
    member = csr_matrix(
        (np.ones(len(cluster_numbers)), (cluster_numbers, range(len(cluster_numbers)))), shape=(n, len(cluster_numbers))
    )
    sizes = np.asarray(member.sum(axis=1)).ravel()
    near = (
        np.asarray((vectors[len(cluster_numbers) :] @ (member @ vectors[: len(cluster_numbers)]).T).todense()) / sizes
    )
    best = near.argmax(axis=1)
    return [int(best[row]) if near[row, best[row]] >= alike else n + row for row in range(rest)]


def _by_size(cluster_numbers: Sequence[int], texts: Sequence[str]) -> list[int]:
    """Numbers by size; equal clusters by their alphabetically first text: the order of texts does not matter."""
    sizes: Counter[int] = Counter(cluster_numbers)
    first_text: dict[int, str] = {}
    for cluster, text in zip(cluster_numbers, texts, strict=True):
        first_text[cluster] = min(first_text.get(cluster, text), text)
    order = sorted(sizes, key=lambda cluster_number: (-sizes[cluster_number], first_text[cluster_number]))
    number = {cluster_number: index for index, cluster_number in enumerate(order)}
    return [number[cluster_number] for cluster_number in cluster_numbers]
