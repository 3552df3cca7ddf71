"""Form fields for settings: shares in percent, lists with one text a line, tables with a row for each name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.validators import ProhibitNullCharactersValidator
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotate.formats.json_values import BadValue, parse
from annotate.kinds.option_labels import Part
from annotate.kinds.values import number
from lib.texts.sentences import paragraph

Words = str | Promise
HUNDRED = Decimal(100)
NO_NUL = ProhibitNullCharactersValidator()


def described(field: forms.Field, *, unit: Words = "", example: Words = "") -> Any:
    """The field with a unit that stands behind its control, and an example under it."""
    untyped: Any = field
    untyped.unit, untyped.example = unit, example
    return untyped


class PercentField(forms.DecimalField):
    """A share from 0 to 1 that people read and write in percent, with one decimal place."""

    def __init__(self, **options: Any) -> None:
        options = {"min_value": 0, "max_value": 100, "max_digits": 4, "decimal_places": 1} | options
        super().__init__(**options)
        described(self, unit="%")

    def prepare_value(self, value: Any) -> Any:
        return _plain(Decimal(str(value)) * HUNDRED) if isinstance(value, Decimal | float | int) else value

    def clean(self, value: Any) -> Any:
        percent = super().clean(value)
        return None if percent is None else percent / HUNDRED


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


class JsonText(forms.JSONField):
    """JSON as people read and write it: indented, with unescaped letters, and as strict as an import."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, forms.fields.InvalidJSONInput):
            return value
        return json.dumps(value, ensure_ascii=False, indent=2)

    def bound_data(self, data: Any, initial: Any) -> Any:
        return forms.fields.InvalidJSONInput(data or "")

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return parse(value.encode(errors="surrogatepass"))
        except BadValue as bad:
            why = f"{bad.path} {bad.message}".strip()
            raise forms.ValidationError(_("This is not valid JSON: %(why)s") % {"why": why}, code="invalid") from bad


class LinesField(forms.CharField):
    """A list of texts, one a line. Empty lines do not count; a text that stands there twice is an error."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, widget=forms.Textarea(attrs={"rows": 3}))

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # a CharField that reads a list
        return lines(super().to_python(value) or "")


def lines(text: str) -> list[str]:
    """The lines of a text without blanks around them. Raises ValidationError for a line that stands there twice."""
    NO_NUL(text)
    listed = [line.strip() for line in text.splitlines() if line.strip()]
    refuse_repetition(listed)
    return listed


def refuse_repetition(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise forms.ValidationError(_("“%(name)s” appears twice. Remove one.") % {"name": name[:80]})
        seen.add(name)


# Tables: a name in the first column, its value in the others.


@dataclass(frozen=True)
class Column:
    """lines: of a cell. lang: the language of its texts, if it is known. choices: value -> words, of a closed list."""

    name: str
    label: Words
    lines: int = 1
    lang: str = ""
    choices: Sequence[tuple[str, Words]] = ()


class Cells:
    """How the value of one row fills its cells. columns: those after the name."""

    columns: Sequence[Column]

    def shown(self, value: Any) -> dict[str, str]:
        raise NotImplementedError

    def read(self, cells: Mapping[str, str]) -> Any:
        """Raises ValidationError with what is wrong in this row."""
        raise NotImplementedError


class ListCells(Cells):
    """A list of texts in one cell, one a line."""

    def __init__(self, label: Words) -> None:
        self.columns = [Column("values", label, lines=3)]

    def shown(self, value: Any) -> dict[str, str]:
        return {"values": "\n".join(value)}

    def read(self, cells: Mapping[str, str]) -> list[str]:
        return lines(cells["values"])


class NumberCells(Cells):
    """A number, or nothing."""

    def __init__(self, label: Words) -> None:
        self.columns = [Column("number", label)]

    def shown(self, value: Any) -> dict[str, str]:
        return {"number": "" if value is None else str(value)}

    def read(self, cells: Mapping[str, str]) -> int | float | None:
        value = number(cells["number"])
        if isinstance(value, str):
            raise forms.ValidationError(_("“%(text)s” is not a number.") % {"text": value[:80]})
        return value


class TranslatedCells(Cells):
    """A text in each language, or one for all languages."""

    ALL = "all"

    def __init__(self, languages: Sequence[str], *, with_all: bool) -> None:
        everywhere = [Column(self.ALL, _("All languages"), lines=2)] if with_all else []
        self.columns = [*everywhere, *(Column(code, language_name(code), lines=2, lang=code) for code in languages)]

    def shown(self, value: Any) -> dict[str, str]:
        return {self.ALL: value} if isinstance(value, str) else dict(value)

    def read(self, cells: Mapping[str, str]) -> str | dict[str, str]:
        texts = {name: text.strip() for name, text in cells.items() if text.strip()}
        everywhere = texts.pop(self.ALL, "")
        if everywhere and texts:
            raise forms.ValidationError(_("write one text for all languages, or one for each language, not both."))
        return everywhere or texts


class ObjectCells(Cells):
    """An object with a cell for each part; an empty part is left out. None takes the name away."""

    USE = "use"

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self.parts = parts
        use = Column(self.USE, _("Use"), choices=[("", _("use")), ("no", _("remove"))])
        self.columns = [*(Column(name, part.label, lines=part.lines) for name, part in parts.items()), use]

    def shown(self, value: Any) -> dict[str, str]:
        return {self.USE: "no"} if value is None else {name: str(value[name]) for name in self.parts if name in value}

    def read(self, cells: Mapping[str, str]) -> dict[str, Any] | None:
        if cells[self.USE] == "no":
            return None
        return {name: self._value(name, cells[name].strip()) for name in self.parts if cells[name].strip()}

    def _value(self, name: str, text: str) -> Any:
        value = number(text) if self.parts[name].is_number else text
        if self.parts[name].is_number and isinstance(value, str):
            raise forms.ValidationError(_("“%(text)s” is not a number.") % {"text": text[:80]})
        return value


def language_name(code: str) -> str:
    return {"en": _("English"), "zh": _("Chinese")}.get(code, code)


NAME = "key"
LONG = 8  # rows


class RowsWidget(forms.Widget):
    """Reads the cells that `templates/option_forms/_rows.html` shows: parallel lists, a list for each column."""

    use_fieldset = True

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        self.columns = columns

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, str]]:
        cells = [data.getlist(f"{name}-{column}") for column in self.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip_longest(*cells, fillvalue="")]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-rows" not in data


class RowsField(forms.Field):
    """name -> value, a row each. An empty row does not count; a name that stands there twice is an error."""

    ordered = False  # whether rows have a button that moves them up

    def __init__(self, cells: Cells, *, name_label: Words, **options: Any) -> None:
        self.cells = cells
        self.columns = [Column(NAME, name_label), *cells.columns]
        super().__init__(**options, widget=RowsWidget([column.name for column in self.columns]))

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return [{NAME: name, **self.cells.shown(inner)} for name, inner in value.items()]

    def to_python(self, value: Any) -> dict[str, Any]:
        rows = [row for row in value or [] if any(cell.strip() for cell in row.values())]
        refuse_repetition(row[NAME].strip() for row in rows if row[NAME].strip())
        return {row[NAME].strip(): self._value(row) for row in rows}

    def _value(self, row: Mapping[str, str]) -> Any:
        cells = {column.name: row.get(column.name, "") for column in self.cells.columns}
        name, values = row[NAME].strip(), " ".join(cells.values())
        NO_NUL(name + values)
        if not name:
            raise forms.ValidationError(_("A row has no name: %(values)s.") % {"values": values.strip()[:80]})
        try:
            return self.cells.read(cells)
        except forms.ValidationError as bad:
            problem = {"name": name[:80], "problem": paragraph(bad.messages)}
            raise forms.ValidationError(_("%(name)s: %(problem)s") % problem) from bad

    def get_bound_field(self, form: Any, field_name: str) -> "BoundRows":
        return BoundRows(form, self, field_name)


@dataclass(frozen=True)
class Cell:
    column: Column
    name: str
    id: str
    value: str


@dataclass(frozen=True)
class Row:
    """index: of the row, from 0, as the button that removes it says."""

    index: int
    cells: Sequence[Cell]

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def title(self) -> str:
        return self.cells[0].value


class BoundRows(BoundField):
    """A table in a form, with its rows as the template shows them; one empty row if it has none."""

    field: RowsField
    added = edited = False  # by a button of the table
    moved: int | None = None  # the place to which a button has moved a row

    @property
    def is_long(self) -> bool:
        """Whether it is folded, so that the page stays short."""
        return len(self.value() or []) > LONG

    @property
    def rows(self) -> list[Row]:
        values = self.value() or [{}]
        return [Row(index, [self._cell(column, index, row) for column in self.field.columns])
                for index, row in enumerate(values)]  # fmt: skip

    def _cell(self, column: Column, index: int, row: Mapping[str, str]) -> Cell:
        name = f"{self.html_name}-{column.name}"
        return Cell(column, name, f"{self.auto_id}-{column.name}-{index}", row.get(column.name, ""))

    @property
    def id_for_label(self) -> str:
        return f"{self.auto_id}-{NAME}-0"
