"""`python -m scripts.mutants`: what it draws, and that a mutant changes the place it names and nothing else."""

import ast

import pytest

from scripts.mutants.operators import changes
from scripts.mutants.sites import SUBJECTS, draw, mutated, places, shown, source


@pytest.mark.parametrize(
    ("before", "after", "operator"),
    [
        ("return a < b", "return a <= b", "< to <="),
        ("return a and b", "return a or b", "and to or"),
        ("return not a", "return a", "no not"),
        ("return a + b", "return a - b", "+ to -"),
        ("return a[3]", "return a[4]", "+ 1"),
        ("return f(True)", "return f(False)", "True to False"),
        ("return f(a, key=b)", "return f(a)", "leave out keyword"),
        ("return a if b else c", "return a if not b else c", "negate"),
        ("f(a)", "pass", "leave out"),
        ("a -= b", "a += b", "- to +"),
        ("for a in b:\n    continue", "for a in b:\n    break", "continue or break"),
    ],
)
def test_an_operator_changes_one_place(before: str, after: str, operator: str) -> None:
    tree = _function(before)
    [change] = changes(tree)
    change.apply()
    assert (change.operator, ast.unparse(tree)) == (operator, ast.unparse(_function(after)))


@pytest.mark.parametrize(
    ("returns", "value", "empty"),
    [("bool", "a", "not a"), ("list[int]", "a", "[]"), ("str | None", "a", "None"), ("str", "a", "''")],
)
def test_a_function_returns_nothing_of_its_type(returns: str, value: str, empty: str) -> None:
    tree = _function(f"return {value}", returns)
    [change] = changes(tree)
    change.apply()
    assert ast.unparse(tree) == ast.unparse(_function(f"return {empty}", returns))


def test_nothing_is_done_to_types_and_to_what_is_already_empty() -> None:
    assert not list(changes(_function("a: Literal[3] = b\nreturn []", "list[int]")))


def test_the_same_seed_draws_the_same_mutants() -> None:
    drawn = [mutant.id for mutant in draw(14, seed=1)]
    assert drawn == [mutant.id for mutant in draw(14, seed=1)] != [mutant.id for mutant in draw(14, seed=2)]
    assert len(set(drawn)) == 14
    assert {mutant.subject for mutant in draw(14, seed=1)} == set(SUBJECTS)


def test_places_have_ids_of_their_own_and_files_stay() -> None:
    mutants = list(places("access"))
    assert len({mutant.id for mutant in mutants}) == len(mutants)
    before = source(mutants[0].path)
    assert ast.unparse(mutated(mutants[0])) != ast.unparse(ast.parse(before))
    assert shown(mutants[0]).startswith("-")


def _function(body: str, returns: str = "object") -> ast.Module:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return ast.parse(f"def function() -> {returns}:\n{lines}\n")
