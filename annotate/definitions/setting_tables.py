"""Tables of a definition's settings: options and steps, conditions, new names, and the rules of scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds.questions.conditions import read_condition
from annotate.kinds.values import number
from annotate.option_forms.fields import NAME, NO_NUL, Cells, Column, RowsField, TranslatedCells, lines
from lib.texts.sentences import paragraph


def without_blanks(cells: Mapping[str, str]) -> dict[str, str]:
    return {name: text.replace("\r\n", "\n") for name, text in cells.items() if text}


class SettingRows(RowsField):
    """Rows of a setting, whose order counts. name_choices: where a name is one of a closed list."""

    def __init__(self, cells: Cells, *, name_label: Any, name_choices: Sequence[str] = (), **options: Any) -> None:
        super().__init__(cells, name_label=name_label, **options)
        if name_choices:
            self.columns[0] = Column(NAME, name_label, choices=[("", "—"), *((name, name) for name in name_choices)])

    def has_changed(self, initial: Any, data: Any) -> bool:
        before = map(without_blanks, self.prepare_value(initial or {}))
        after = [row for row in map(without_blanks, data or ()) if row]
        return list(before) != after


class WordsCells(Cells):
    """Texts of one row, each one for all languages or one for each. names: of the texts -> what they are called."""

    def __init__(self, languages: Sequence[str], names: Mapping[str, Any], *, with_all: bool) -> None:
        self.names = names
        self.inner = TranslatedCells(languages, with_all=with_all)
        self.columns = [
            Column(f"{name}-{column.name}", f"{label}, {column.label}" if languages else label, 2, column.lang)
            for name, label in names.items()
            for column in self.inner.columns
        ]

    def shown(self, value: Mapping[str, Any]) -> dict[str, str]:
        return {
            f"{name}-{code}": text
            for name in self.names
            for code, text in self.inner.shown(value.get(name) or {}).items()
        }

    def read(self, cells: Mapping[str, str]) -> dict[str, Any]:
        codes = [column.name for column in self.inner.columns]
        texts = {name: {code: cells[f"{name}-{code}"] for code in codes} for name in self.names}
        return {name: self.inner.read(by_code) or None for name, by_code in texts.items()}


OPERATORS = (
    ("", gettext_lazy("is one of")),
    ("at_least", gettext_lazy("is at least")),
    ("at_most", gettext_lazy("is at most")),
    ("not_one_of", gettext_lazy("is not")),
    ("answered", gettext_lazy("is answered")),
)


class ConditionCells(Cells):
    """What an answer must be: an operator, and the values that it speaks of, one a line."""

    def __init__(self) -> None:
        self.columns = [
            Column("operator", _("Condition"), choices=OPERATORS),
            Column("values", _("Values, one a line"), lines=2),
        ]

    def shown(self, value: Any) -> dict[str, str]:
        condition = read_condition("", value)
        operator = "" if condition.operator == "one_of" else condition.operator
        return {"operator": operator, "values": "\n".join(condition.values)}

    def read(self, cells: Mapping[str, str]) -> Any:
        operator, values = cells["operator"], lines(cells["values"])
        if operator == "answered":
            return "answered"
        if not values or (operator and len(values) > 1):
            message = _("give a value.") if not values else _("give one value, or choose “is one of”.")
            raise forms.ValidationError(message)
        if operator:
            prefix = {"at_least": "at least", "at_most": "at most", "not_one_of": "not"}[operator]
            return f"{prefix} {values[0]}"
        single = len(values) == 1 and read_condition("", values[0]).values == (values[0],)
        return values[0] if single else values


class RenameCells(Cells):
    """What a value of the version before is called now."""

    def __init__(self) -> None:
        self.columns = [Column("new", _("Value now"))]

    def shown(self, value: str) -> dict[str, str]:
        return {"new": value}

    def read(self, cells: Mapping[str, str]) -> str:
        return cells["new"].strip()


class RuleCells(Cells):
    """What a rule of a score asks of a span besides its label, and its points. attributes: name -> values."""

    POINTS = "points"

    def __init__(self, attributes: Mapping[str, Sequence[str]]) -> None:
        self.attributes = {f"is-{name}": name for name in attributes}
        conditions = [Column(f"is-{name}", name, choices=with_any(values)) for name, values in attributes.items()]
        self.columns = [*conditions, Column(self.POINTS, _("Points"))]

    def shown(self, value: Mapping[str, Any]) -> dict[str, str]:
        values = {cell: value.get(name, "") for cell, name in self.attributes.items()}
        return {**values, self.POINTS: str(value["points"])}

    def read(self, cells: Mapping[str, str]) -> dict[str, Any]:
        points = number(cells[self.POINTS])
        if points is None:
            raise forms.ValidationError(_("give points."))
        if isinstance(points, str):
            raise forms.ValidationError(_("“%(text)s” is not a number.") % {"text": points[:80]})
        return {name: cells[cell] for cell, name in self.attributes.items() if cells[cell]} | {"points": points}


class RulesField(SettingRows):
    """Rules of a score in order: place -> rule. A row without a label fits all of them."""

    ordered = True

    def __init__(self, labels: Sequence[str], attributes: Mapping[str, Sequence[str]], **options: Any) -> None:
        super().__init__(RuleCells(attributes), name_label=_("Label"), **options)
        self.columns[0] = Column(NAME, _("Label"), choices=with_any(labels))

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return [{NAME: rule.get("label", ""), **self.cells.shown(rule)} for rule in value.values()]

    def to_python(self, value: Any) -> dict[Any, Any]:
        rows = [(row_number, row) for row_number, row in enumerate(value or (), start=1) if any(row.values())]
        return {index: self._rule(row_number, row) for index, (row_number, row) in enumerate(rows)}

    def _rule(self, row_number: int, row: Mapping[str, str]) -> dict[str, Any]:
        NO_NUL("".join(row.values()))
        label = {"label": row[NAME]} if row[NAME] else {}
        try:
            return label | self.cells.read(row)
        except forms.ValidationError as bad:
            problem = {"number": row_number, "message": paragraph(bad.messages)}
            raise forms.ValidationError(_("row %(number)d: %(message)s") % problem) from bad


def with_any(values: Sequence[str]) -> list[tuple[str, Any]]:
    return [("", _("any")), *((value, value) for value in values)]
