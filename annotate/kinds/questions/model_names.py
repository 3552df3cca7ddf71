"""Columns that name the models behind the texts of a `pair`, such as `model_a` and `model_b` for `response_a` and
`response_b`. They are metadata, which only leads see; results rank models by them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile

from annotate.kinds.contract import Kind
from annotate.kinds.questions.types.pair import Pair

USUAL = ("model", "system", "author", "source")  # what such columns are called, the first of them before others


def compared_columns(kind: Kind) -> list[tuple[str, str]]:
    """The two columns that each question of the type `pair` compares; the same two only once."""
    pairs = [question.of for question in kind.questions().values() if isinstance(question, Pair)]
    return list(dict.fromkeys((first, second) for first, second in map(sorted, pairs)))


def name_columns(of: Sequence[str], columns: Iterable[str]) -> tuple[str, str] | None:
    """The two columns that differ as the compared ones do: `model_a`, `model_b` for `response_a`, `response_b`.

    Of several such pairs that with a usual name, else the first in the alphabet; None if there is none.
    """
    known, ends = set(columns), _ends(of)
    stems = sorted(column.removesuffix(ends[0]) for column in known if column.endswith(ends[0]))
    fitting = [stem for stem in stems if stem and f"{stem}{ends[1]}" in known]
    stem = min(fitting, key=_usual, default=None)
    return None if stem is None else (f"{stem}{ends[0]}", f"{stem}{ends[1]}")


def name_targets(kind: Kind) -> dict[str, str]:
    """Usual name of a column that names a model -> the compared column that this model wrote."""
    targets: dict[str, str] = {}
    for of in compared_columns(kind):
        for column, end in zip(of, _ends(of), strict=True):
            targets.setdefault(f"{USUAL[0]}_{end.lstrip('_')}", column)
    known = {*kind.fact_names, *kind.draft_names}
    return {target: column for target, column in targets.items() if target not in known}


def named_models(kind: Kind, columns: Collection[str]) -> Mapping[tuple[str, str], tuple[str, str] | None]:
    """The compared columns -> those of these columns that name their models; None if none do."""
    hidden = set(columns) - {*kind.fact_names, *kind.draft_names}
    return {of: name_columns(of, hidden) for of in compared_columns(kind)}


def _ends(of: Sequence[str]) -> tuple[str, str]:
    """What is left of the two names behind what they have in common."""
    shared = sum(1 for _same in takewhile(lambda letters: letters[0] == letters[1], zip(*of, strict=False)))
    first, second = (name[shared:] for name in of)
    return (first, second) if first and second else (of[0], of[1])


def _usual(stem: str) -> tuple[int, str]:
    word = stem.strip("_- .").casefold()
    return USUAL.index(word) if word in USUAL else len(USUAL), stem
