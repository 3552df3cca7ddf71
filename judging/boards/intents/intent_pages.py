"""The page of models that all tables of intents show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from judging.boards.model_pages import ModelPage, ModelPageOptions, model_page
from lib.stats.figures import Figure

RowT = TypeVar("RowT")
SATISFIED = "satisfied"  # by what the server sorts: the correlation with satisfaction


@dataclass(frozen=True)
class IntentCell:
    """figure: None if the author has no case there. place: 1, 2 or 3 for the best three, else 0."""

    group: str
    figure: Figure | None
    place: int = 0


@dataclass(frozen=True)
class IntentRow:
    author: str
    cells: Sequence[IntentCell]


Lines = Sequence[IntentRow]
Satisfied = Sequence[tuple[str, Figure]]


@dataclass(frozen=True)
class IntentPage:
    """tables: id -> its lines on the page. satisfied: the correlations of these models."""

    page: ModelPage
    tables: Mapping[str, Lines]
    satisfied: Satisfied


def intent_page(tables: Mapping[str, Lines], satisfied: Satisfied, options: ModelPageOptions) -> IntentPage:
    """tables: id -> the lines of all models, the best first; the first table says which models there are."""
    first = next(iter(tables.values()))
    names = [line.author for line in first]
    page = model_page(_ordered(names, _values(tables, satisfied, options), options), options)
    order = page.names if page.is_split else None
    kept_names = set(page.names)
    return IntentPage(
        page,
        {name: _placed({line.author: line for line in lines}, kept_names, order) for name, lines in tables.items()},
        _placed({author: (author, figure) for author, figure in satisfied}, kept_names, order),
    )


def _placed(rows: Mapping[str, RowT], names: set[str], order: Sequence[str] | None) -> list[RowT]:
    """The rows of these authors, in their own order without another one."""
    return [rows[author] for author in (rows if order is None else order) if author in names and author in rows]


def _values(tables: Mapping[str, Lines], satisfied: Satisfied, options: ModelPageOptions) -> dict[str, float | None]:
    """author -> the figure by which the server sorts; empty for an unknown one."""
    table, _slash, group = options.sorted_by.partition("/")
    if table == SATISFIED:
        return {author: figure.value for author, figure in satisfied}
    cells = [(line.author, cell) for line in tables.get(table, ()) for cell in line.cells if cell.group == group]
    return {author: cell.figure.value if cell.figure else None for author, cell in cells}


def _ordered(names: Sequence[str], values: Mapping[str, float | None], options: ModelPageOptions) -> list[str]:
    """Names without a value come last in both directions."""
    if options.sorted_by == "author":
        return sorted(names, key=str.casefold, reverse=options.falling)
    known = [(value, name) for name in names if (value := values.get(name)) is not None]
    known.sort(key=lambda pair: pair[0], reverse=options.falling)
    known_names = [name for _value, name in known]
    return known_names + [name for name in names if values.get(name) is None]
