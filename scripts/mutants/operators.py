"""The operators: each changes one place in the body of a function in one way."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[str, type[ast.cmpop]]] = {
    ast.Lt: ("< to <=", ast.LtE),
    ast.LtE: ("<= to <", ast.Lt),
    ast.Gt: ("> to >=", ast.GtE),
    ast.GtE: (">= to >", ast.Gt),
    ast.Eq: ("== to !=", ast.NotEq),
    ast.NotEq: ("!= to ==", ast.Eq),
    ast.Is: ("is to is not", ast.IsNot),
    ast.IsNot: ("is not to is", ast.Is),
    ast.In: ("in to not in", ast.NotIn),
    ast.NotIn: ("not in to in", ast.In),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, type[ast.operator]]] = {
    ast.Add: ("+ to -", ast.Sub),
    ast.Sub: ("- to +", ast.Add),
    ast.Mult: ("* to /", ast.Div),
    ast.Div: ("/ to *", ast.Mult),
    ast.FloorDiv: ("// to /", ast.Div),
    ast.BitOr: ("| to &", ast.BitAnd),
    ast.BitAnd: ("& to |", ast.BitOr),
}
# Type that a function says it returns -> the empty value of that type.
EMPTY = {"list": "[]", "tuple": "()", "dict": "{}", "set": "set()", "str": "''"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Change:
    """line, column, operator: its place. apply: makes it in the tree. statement: the one it is in, block: the list of
    statements around that."""

    line: int
    column: int
    operator: str
    node: ast.AST
    apply: Callable[[], None]
    block: list[ast.stmt]
    statement: ast.stmt

    @property
    def place(self) -> str:
        return f"{self.line}:{self.column}:{self.operator}"


@dataclass(frozen=True)
class Spot:
    """An expression, and how to put another in its place."""

    node: ast.expr
    replace: Callable[[ast.expr], None]


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every change of every function, methods and nested functions included."""
    for function in [node for node in ast.walk(tree) if isinstance(node, Function)]:
        for block, statement in _statements(function.body):
            for node, operator, apply in _in_statement(function, block, statement):
                yield Change(node.lineno, node.col_offset, operator, node, apply, block, statement)


def _statements(block: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """All statements of a block and of the blocks in it; functions and classes in it stand for themselves."""
    for statement in list(block):
        if isinstance(statement, Function | ast.ClassDef):
            continue
        yield block, statement
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []))
        for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
            yield from _statements(part.body)


Found = tuple[ast.expr | ast.stmt | ast.keyword, str, Callable[[], None]]


def _in_statement(function: Function, block: list[ast.stmt], statement: ast.stmt) -> Iterator[Found]:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Await):
        yield statement, "leave out", _replaced(block, statement, ast.Pass())
    if isinstance(statement, ast.Continue | ast.Break):
        other = ast.Break() if isinstance(statement, ast.Continue) else ast.Continue()
        yield statement, "continue or break", _replaced(block, statement, other)
    if isinstance(statement, ast.AugAssign) and type(statement.op) in ARITHMETIC:
        name, operator = ARITHMETIC[type(statement.op)]
        yield statement, name, _setter(statement, "op", operator())
    if isinstance(statement, ast.If | ast.While):
        yield statement, "negate", _setter(statement, "test", ast.UnaryOp(ast.Not(), statement.test))
    if isinstance(statement, ast.Return) and statement.value is not None:
        value = _empty(function.returns, statement.value)
        if value is not None:
            yield statement, "return empty", _setter(statement, "value", value)
    for spot in _spots(statement):
        yield from _in_expression(spot)


def _replaced(block: list[ast.stmt], old: ast.stmt, new: ast.stmt) -> Callable[[], None]:
    return lambda: block.__setitem__(block.index(old), ast.copy_location(new, old))


def _setter(node: ast.AST, name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _empty(returns: ast.expr | None, value: ast.expr) -> ast.expr | None:
    """What to return instead: not this, None or nothing, as the type allows; None if it allows nothing else."""
    name = ast.unparse(returns) if returns else ""
    if name == "bool":
        return ast.UnaryOp(ast.Not(), value)
    text = "None" if name.endswith("| None") else EMPTY.get(name.partition("[")[0], "")
    return ast.parse(text, mode="eval").body if text and ast.unparse(value) != text else None


def _spots(parent: ast.AST) -> Iterator[Spot]:
    """The expressions of a statement, not those of the statements in it, nor types."""
    for name, field in ast.iter_fields(parent):
        if name in ("annotation", "handlers", "cases", "type_params"):
            continue
        for number, child in enumerate(field if isinstance(field, list) else [field]):
            if isinstance(child, ast.expr):
                yield Spot(child, _putter(parent, name, field, number))
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt):
                yield from _spots(child)


def _putter(parent: ast.AST, name: str, field: object, number: int) -> Callable[[ast.expr], None]:
    if isinstance(field, list):
        return lambda new: field.__setitem__(number, new)
    return lambda new: setattr(parent, name, new)


def _in_expression(spot: Spot) -> Iterator[Found]:
    match spot.node:
        case ast.Compare(comparators=values, ops=ops):
            for number, operator in enumerate(ops):
                name, other = COMPARISONS[type(operator)]
                yield values[number], name, lambda number=number, other=other: ops.__setitem__(number, other())
        case ast.BoolOp(op=ast.And(), values=values) as node:
            yield values[1], "and to or", _setter(node, "op", ast.Or())
        case ast.BoolOp(op=ast.Or(), values=values) as node:
            yield values[1], "or to and", _setter(node, "op", ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand) as node:
            yield node, "no not", lambda: spot.replace(operand)
        case ast.BinOp(op=operator, right=right) as node if type(operator) in ARITHMETIC:
            name, other = ARITHMETIC[type(operator)]
            yield right, name, _setter(node, "op", other())
        case ast.IfExp(test=test) as node:
            yield node, "negate", _setter(node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value) as node:
            yield node, f"{value} to {not value}", _setter(node, "value", not value)
        case ast.Constant(value=int() as value) as node:
            yield node, "+ 1", _setter(node, "value", value + 1)
        case ast.Call(keywords=keywords):
            for keyword in [keyword for keyword in keywords if keyword.arg]:
                yield keyword, "leave out keyword", lambda keyword=keyword: keywords.remove(keyword)
