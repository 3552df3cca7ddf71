"""Docstrings and annotations as Markdown."""

import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

NOTE = "<!-- Made by `make reference` out of docstrings. Change those, not this page. -->"


def page(title: str, about: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", NOTE, about, *(part.strip() for part in parts if part.strip())]) + "\n"


def said(thing: Any) -> str:
    """Its own docstring, its paragraphs kept, without one that is only inherited; "" where it has none."""
    own = thing.__dict__.get("__doc__") if isinstance(thing, type) else thing.__doc__
    text = inspect.cleandoc(own or "")
    return re.sub(r"(?<!\n)\n(?!\n|[-*] |\d\. )", " ", text).replace("<", "&lt;")


def generated(thing: type) -> bool:
    """Whether the docstring is only what a dataclass says of itself."""
    return (thing.__doc__ or "").startswith(f"{thing.__name__}(")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    listed = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    if not listed:
        return ""
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *listed])


def fields(model: type[BaseModel]) -> str:
    """Each field of a pydantic model with what it may be and its default."""
    rows = [
        (f"`{name}`", f"`{annotated(one.annotation)}`", _default(one), one.description or "")
        for name, one in model.model_fields.items()
    ]
    if not any(row[3] for row in rows):
        return table(["field", "what it may be", "default"], [row[:3] for row in rows])
    return table(["field", "what it may be", "default", ""], rows)


def annotated(given: Any) -> str:
    """An annotation as it is written: `list[str] | None`, `right | wrong`."""
    origin, inside = typing.get_origin(given), typing.get_args(given)
    if given is type(None):
        return "null"
    if origin is typing.Literal:
        return " | ".join(map(str, inside))
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(annotated, inside))
    if origin is typing.Annotated:
        return annotated(inside[0])
    if origin is not None:
        return f"{getattr(origin, '__name__', origin)}[{', '.join(map(annotated, inside))}]"
    return getattr(given, "__name__", str(given))


def _default(one: Any) -> str:
    if one.default_factory is not None:
        made = one.default_factory()
        return f"`{made}`" if not isinstance(made, Mapping | BaseModel) or not made else "as listed on its page"
    return "" if one.default is PydanticUndefined else f"`{one.default!r}`"
