"""Places where the product can be made a little wrong, and the draw of some of them.

A mutant is one small change inside the body of a function, such as `<` instead of `<=`. Its id is
`file:line:column:operator`. The draw orders all places by a hash of seed and id: the same code and seed give the same
mutants, and a change in one file hardly changes what is drawn of others.
"""

import ast
import difflib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scripts.mutants.operators import Change, changes

ROOT = Path(__file__).resolve().parents[2]
HEADS = ("---", "+++", "@@ ")
# Subject -> the files and folders in which its rules are written.
SUBJECTS: dict[str, Sequence[str]] = {
    "flow": (
        "annotate/items/flow.py",
        "annotate/items/actions.py",
        "annotate/work/submit.py",
        "annotate/review/adjudication.py",
        "annotate/review/decisions.py",
        "annotate/review/take_back.py",
    ),
    "queue": (
        "annotate/items/queue.py",
        "annotate/items/leases.py",
        "annotate/items/slots.py",
        "annotate/models/work.py",
        "annotate/review/claim.py",
    ),
    "scoring": (
        "annotate/kinds/trees.py",
        "judging/ratings/intent_scores.py",
        "judging/ratings/judge_ratings.py",
        "judging/strategies/scored.py",
        "judging/strategies/branches/criterion_scores.py",
        "judging/strategies/checklist/joints.py",
        "judging/verdicts/low_scores.py",
        "judging/verdicts/verdict_scores.py",
    ),
    "access": (
        "annotate/items/authorship.py",
        "annotate/rights.py",
        "annotate/web/access.py",
        "judging/access.py",
    ),
    "parsers": (
        "annotate/engine/replies.py",
        "annotate/formats",
        "judging/formats",
        "judging/readers",
        "judging/strategies/checklist/checklist_replies.py",
        "judging/strategies/intent/intent_replies.py",
    ),
    "intervals": ("lib/stats",),
    "kinds": ("annotate/kinds",),
}


@dataclass(frozen=True)
class Mutant:
    """path: relative to the root. id: path:line:column:operator."""

    id: str
    subject: str
    path: str


def draw(count: int, seed: int) -> list[Mutant]:
    """`count` mutants, an equal share of each subject; fewer where a subject has no more places."""
    shares = [count // len(SUBJECTS) + (number < count % len(SUBJECTS)) for number in range(len(SUBJECTS))]
    return [
        mutant
        for subject, share in zip(SUBJECTS, shares, strict=True)
        for mutant in sorted(places(subject), key=lambda mutant: _rank(seed, mutant.id))[:share]
    ]


def _rank(seed: int, identity: str) -> bytes:
    return hashlib.sha256(f"{seed} {identity}".encode()).digest()


def places(subject: str) -> Iterator[Mutant]:
    """Every mutant of a subject."""
    for path in sorted(_files(subject)):
        for change in changes(ast.parse(source(path))):
            yield Mutant(f"{path}:{change.place}", subject, path)


def _files(subject: str) -> set[str]:
    paths = [ROOT / name for name in SUBJECTS[subject]]
    files = {file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}
    return {str(file.relative_to(ROOT)) for file in files}


@lru_cache
def source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def mutated(mutant: Mutant) -> ast.Module:
    """The module with this change. The file stays as it is."""
    tree = ast.parse(source(mutant.path))
    _change(tree, mutant).apply()
    return ast.fix_missing_locations(tree)


def shown(mutant: Mutant) -> str:
    """The changed lines, before and after."""
    before = ast.unparse(ast.parse(source(mutant.path))).splitlines()
    after = ast.unparse(mutated(mutant)).splitlines()
    return "\n".join(line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:3] not in HEADS)


def probed(path: str, mutants: Sequence[Mutant], probe: str) -> ast.Module:
    """The module which calls `probe(id)` before it runs the statement that a mutant changes."""
    tree = ast.parse(source(path))
    for change, mutant in [(_change(tree, mutant), mutant) for mutant in mutants]:
        call = ast.parse(f"{probe}({mutant.id!r})").body[0]
        change.block.insert(change.block.index(change.statement), ast.copy_location(call, change.statement))
    return ast.fix_missing_locations(tree)


def _change(tree: ast.Module, mutant: Mutant) -> Change:
    return next(change for change in changes(tree) if f"{mutant.path}:{change.place}" == mutant.id)
