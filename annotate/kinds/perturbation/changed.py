"""What a perturbation has changed: numbers, units, the form of the text; and whether its explanation says so."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lib.texts.differences import Difference
from lib.texts.tokens import is_word, tokens

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_NUMBER = re.compile(r"\d")
# Number words are numbers to whoever reads them.
_NUMBER_WORDS = frozenset(_WORDS["numbers"].split())
_UNITS = frozenset(_WORDS["units"].split())
_STRUCTURE = re.compile(r"^[ \t]*(?:#{1,6}(?=\s)|[-*+](?=\s)|\d+[.)](?=\s)|>|\|)|\*\*|__|`+|\n+|[*_|]", re.MULTILINE)
_SMALL_WORDS = frozenset(_WORDS["small"].split())


def numbers_changed(difference: Difference) -> bool:
    return any(_NUMBER.search(token) or token.lower() in _NUMBER_WORDS for token in _changed(difference))


def units_changed(difference: Difference) -> bool:
    """Whether a word that names a unit changed, or one that stands beside a number."""
    return any(token.lower() in _UNITS or "%" in token for token in _changed(difference)) or _beside_a_number(
        difference
    )


def format_changed(gold: str, perturbed: str) -> bool:
    """Whether headings, lists, emphasis, tables, code or lines are others than before."""
    return _structure(gold) != _structure(perturbed)


def mentioned(difference: Difference, explanation: str) -> bool:
    """Whether the explanation holds any word that was added or removed, small ones aside."""
    explanation_words = {token.lower() for token in tokens(explanation) if is_word(token)}
    telling = {token.lower() for token in _changed(difference) if is_word(token)} - _SMALL_WORDS
    return not telling or bool(telling & explanation_words)


def _structure(text: str) -> list[str]:
    return [mark.strip(" \t") or mark for mark in _STRUCTURE.findall(text)]


def _changed(difference: Difference) -> list[str]:
    """The tokens that stand in one of the texts more often than in the other."""
    added = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "added"))
    removed = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "removed"))
    return [*(added - removed), *(removed - added)]


def _tokens_of(texts: Iterable[str]) -> list[str]:
    return [token for text in texts for token in tokens(text) if not token.isspace()]


def _beside_a_number(difference: Difference) -> bool:
    for previous, piece in zip(difference.pieces, difference.pieces[1:], strict=False):
        same = [token for token in tokens(previous.text) if not token.isspace()]
        changed = [token for token in tokens(piece.text) if is_word(token)]
        if previous.op == "same" and piece.op != "same" and same and changed and _NUMBER.search(same[-1]):
            return True
    return False
