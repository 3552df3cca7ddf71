"""Difficulty: an item is too easy if all authors known to be weak solve it."""

from collections.abc import Mapping, Sequence

NEAR = 0.001  # how far weights of a checklist may be from adding up to 1


def too_easy(scores: Mapping[str, Sequence[float | None]], authors: Sequence[str], threshold: float) -> bool | None:
    """True where every score of every author reaches the threshold.

    scores: author -> scores of all their samples, 0..1, None where a call failed or a reply could not be read;
    authors that are not in `authors` are ignored. threshold: 0..1.
    None where it is unknown: an author has no score, and no score is below the threshold. False takes precedence over
    None, because one score below the threshold decides.
    """
    if not authors:
        return None
    author_scores = [list(scores.get(author, ())) or [None] for author in authors]
    flat = [score for samples in author_scores for score in samples]
    if any(score is not None and score < threshold - NEAR for score in flat):
        return False
    return None if any(score is None for score in flat) else True
