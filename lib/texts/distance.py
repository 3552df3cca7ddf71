"""How far one text is from another, in the units in which differences are shown. Pure."""

from lib.texts.changes import changes
from lib.texts.tokens import tokens

SECONDS = 0.2


def distance(old: str, new: str) -> float:
    """The share of the longer text that was rewritten: 0 (the same words) to 1 (nothing in common).

    In words, numbers and single CJK characters, blanks aside. Of every changed place the longer side counts, as in
    Levenshtein's distance along this alignment; the search for the best one is bounded, so it is never below that.
    """
    left, right = ([token for token in tokens(text) if not token.isspace()] for text in (old, new))
    if left == right:
        return 0.0
    edits = changes(left, right, timeout=SECONDS)
    rewritten = sum(max(edit.old_end - edit.old_start, edit.new_end - edit.new_start) for edit in edits)
    return min(rewritten / max(len(left), len(right)), 1.0)
