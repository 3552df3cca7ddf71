"""Facts in place of those that a row has wrong, so that the problems of its draft can be named as well. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, literals

MOST_TRIED = 12  # combinations of closed values


def stand_in_facts(kind: Kind, facts: Mapping[str, Any], findings: Sequence[Finding]) -> Iterator[Any]:
    """The facts as their shape, with each fact that has a finding replaced: by the kind's example, and where it has a
    closed list by each of its values. Nothing where that does not help.
    """
    sample = kind.example_facts() if kind.defined else kind.sample_facts
    wrong = {finding.field for finding in findings}
    right = {name: value for name, value in facts.items() if name in kind.fact_names and name not in wrong}
    base = {**{name: value for name, value in sample.items() if name in wrong}, **right}
    closed = {name: literals(kind.type_of(name)) for name in wrong & set(kind.fact_names)}
    closed = {name: values for name, values in closed.items() if values}
    for values in islice(product(*closed.values()), MOST_TRIED):
        try:
            yield kind.read_facts({**base, **dict(zip(closed, values, strict=True))})
        except BadShape:
            return


def in_all(lists: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings that every list has: those that hold whichever value is right."""
    if not lists:
        return []
    return [finding for finding in lists[0] if all(finding in other for other in lists[1:])]
