"""The rows of a table of settings, written without a template: a page of settings has seventy cells."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotate.option_forms.fields import BoundRows, Cell, Column, Row
from annotate.templatetags.ui import icon

register = template.Library()


@register.simple_tag
def setting_rows(field: BoundRows, action: str) -> SafeString:
    """All rows with their cells and buttons. action: where the buttons post the form."""
    written = WrittenRows(field, action)
    rows = field.rows
    return mark_safe("".join(written.row(row, is_last=row is rows[-1]) for row in rows))  # noqa: S308 - escaped below


@dataclass(frozen=True)
class WrittenRows:
    field: BoundRows
    action: str

    def row(self, row: Row, *, is_last: bool) -> str:
        cells = "".join(self._cells(row, is_last=is_last))
        return f'<div class="setting-rows__row">{cells}{"".join(self._buttons(row))}</div>\n'

    def _cells(self, row: Row, *, is_last: bool) -> Iterator[str]:
        for cell, label in zip(row.cells, self._labels, strict=True):
            is_first = cell is row.cells[0]
            focus = is_first and self._is_focused(row, cell.column, is_last=is_last)
            unseen = f'<span class="unseen">, {self._word} {row.number}</span>'
            label = f'<label for="{escape(cell.id)}">{label}{unseen}</label>'
            yield f"<div>{label}\n{control(cell, autofocus=focus)}</div>\n"

    def _is_focused(self, row: Row, column: Column, *, is_last: bool) -> bool:
        """The last row after one was added. A first row has no button to move it up, so its list has the focus."""
        if column.choices:
            return not row.index and self.field.moved == 0
        return column.lines == 1 and self.field.added and is_last

    def _buttons(self, row: Row) -> Iterator[str]:
        target = f'value="{escape(self.field.html_name)}:{row.index}" {self._posting}'
        if self.field.field.ordered:
            state = " disabled" if not row.index else " autofocus" if row.index == self.field.moved else ""
            words = escape(_("Move row %(n)s up") % {"n": row.number})
            yield self._button("raise_row", target + state, "up", words)
        words = escape(_("Remove row %(n)s: %(name)s") % {"n": row.number, "name": row.title})
        yield self._button("remove_row", target, "cross", words)

    @staticmethod
    def _button(name: str, attributes: str, symbol: str, words: str) -> str:
        inner = f'{icon(symbol)}\n<span class="unseen">{words}</span>'
        return f'<button type="submit" class="tool" name="{name}" {attributes}>\n{inner}</button>\n'

    @cached_property
    def _posting(self) -> str:
        return format_html(
            'formnovalidate hx-post="{}" hx-target="#{}_control" hx-swap="outerHTML"', self.action, self.field.auto_id
        )

    @cached_property
    def _labels(self) -> list[str]:
        return [escape(str(column.label)) for column in self.field.field.columns]

    @cached_property
    def _word(self) -> str:
        return escape(_("row"))


def control(cell: Cell, *, autofocus: bool) -> str:
    """The box or the closed list of a cell."""
    column, focus = cell.column, " autofocus" if autofocus else ""
    names = f'id="{escape(cell.id)}" name="{escape(cell.name)}"'
    if column.choices:
        return f'<select class="select" {names}{focus}>{"".join(_options(cell))}</select>'
    box = f'class="textbox textbox--line" {names} dir="auto"'
    if column.lines > 1:
        language = f' lang="{escape(column.lang)}"' if column.lang else ""
        return f'<textarea {box} rows="{column.lines}"{language}>{escape(str(cell.value))}</textarea>'
    return f'<input {box} value="{escape(str(cell.value))}" autocomplete="off"{focus}>'


def _options(cell: Cell) -> Iterator[str]:
    for value, words in cell.column.choices:
        selected = " selected" if value == cell.value else ""
        yield f'<option value="{escape(value)}"{selected}>{escape(str(words))}</option>'
