"""Doubts about a perturbation: which numbers, units and formatting changed, and whether its explanation names them."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotate.kinds.perturbation.shapes import Category, PerturbationDraft, PerturbationFacts
from annotate.kinds.shapes import Finding
from lib.texts.differences import TextDifference, compared
from lib.texts.stored_sentences import say as _
from lib.texts.tokens import is_word, tokens

_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_NUMBER = re.compile(r"\d")
# Number words count as numbers too.
_NUMBER_WORDS = frozenset(_WORDS["numbers"].split())
_UNITS = frozenset(_WORDS["units"].split())
_STRUCTURE = re.compile(r"^[ \t]*(?:#{1,6}(?=\s)|[-*+](?=\s)|\d+[.)](?=\s)|>|\|)|\*\*|__|`+|\n+|[*_|]", re.MULTILINE)
_SMALL_WORDS = frozenset(_WORDS["small"].split())


def numbers_changed(difference: TextDifference) -> bool:
    return any(_NUMBER.search(token) or token.lower() in _NUMBER_WORDS for token in _changed(difference))


def units_changed(difference: TextDifference) -> bool:
    """Whether a unit changed, or a word next to a number."""
    return any(token.lower() in _UNITS or "%" in token for token in _changed(difference)) or _beside_a_number(
        difference
    )


def format_changed(gold: str, perturbed: str) -> bool:
    """Whether headings, lists, emphasis, tables, code or lines differ from before."""
    return _structure(gold) != _structure(perturbed)


def mentioned(difference: TextDifference, explanation: str) -> bool:
    """Whether the explanation contains any added or removed word, ignoring small words."""
    explanation_words = {token.lower() for token in tokens(explanation) if is_word(token)}
    telling = {token.lower() for token in _changed(difference) if is_word(token)} - _SMALL_WORDS
    return not telling or bool(telling & explanation_words)


def _structure(text: str) -> list[str]:
    return [mark.strip(" \t") or mark for mark in _STRUCTURE.findall(text)]


def _changed(difference: TextDifference) -> list[str]:
    """The tokens that occur more often in one of the texts than in the other."""
    added = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "added"))
    removed = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "removed"))
    return [*(added - removed), *(removed - added)]


def _tokens_of(texts: Iterable[str]) -> list[str]:
    return [token for text in texts for token in tokens(text) if not token.isspace()]


def _beside_a_number(difference: TextDifference) -> bool:
    for previous, piece in zip(difference.pieces, difference.pieces[1:], strict=False):
        same = [token for token in tokens(previous.text) if not token.isspace()]
        changed = [token for token in tokens(piece.text) if is_word(token)]
        if previous.op == "same" and piece.op != "same" and same and changed and _NUMBER.search(same[-1]):
            return True
    return False


# The doubts, each with the place that it is about.


PERTURBED = "perturbed_answer"


def doubts(facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None) -> Iterator[Finding]:
    """No doubts about a missing text: that is a problem of its own."""
    if category is None:
        message = _("the project has no category “%(category)s”, so it cannot say what should change.")
        yield Finding("verdict", message % {"category": facts.category[:60]})
    if not facts.gold_answer.strip():
        yield Finding(PERTURBED, _("there is no gold answer to compare it with."))
    elif draft.perturbed_answer.strip():
        difference = compared(facts.gold_answer, draft.perturbed_answer)
        yield from _of_the_difference(facts, draft, category, difference)


def _of_the_difference(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None, difference: TextDifference
) -> Iterator[Finding]:
    if not difference.changed:
        yield Finding(PERTURBED, _("it is the gold answer, character for character."))
        return
    if category is not None:
        yield from _of_the_size(category, 1 - difference.shared)
        yield from _left_alone(facts, draft, category, difference)
    if facts.explanation.strip() and not mentioned(difference, facts.explanation):
        yield Finding(PERTURBED, _("the explanation mentions nothing that changed."))


def _of_the_size(category: Category, share: float) -> Iterator[Finding]:
    params = {"category": category.words.name, "share": f"{100 * share:.1f}"}
    if share > category.largest:
        message = _("%(share)s %% of the text changed, which is a lot for “%(category)s”.")
        yield Finding(PERTURBED, message % params)
    elif share < category.smallest:
        message = _("only %(share)s %% of the text changed, which is little for “%(category)s”.")
        yield Finding(PERTURBED, message % params)


def _left_alone(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category, difference: TextDifference
) -> Iterator[Finding]:
    if category.must_change == "number" and not numbers_changed(difference):
        yield Finding(PERTURBED, _("no number changed."))
    elif category.must_change == "unit" and not units_changed(difference):
        yield Finding(PERTURBED, _("no unit changed."))
    elif category.must_change == "format" and not format_changed(facts.gold_answer, draft.perturbed_answer):
        yield Finding(PERTURBED, _("the form of the text is the same: no heading, list, emphasis or line changed."))
