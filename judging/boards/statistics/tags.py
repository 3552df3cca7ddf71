"""Template filters for statistics of a dataset: names of fields and units, and lengths. No queries."""

from django import template
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.boards.statistics.numbers import LANGUAGE, DatasetTable

register = template.Library()

NONE = "–"
# Texts of facts, which have no label in any form; other texts are named by their path.
TEXTS: dict[str, Promise] = {
    "user_query": _("Query"),
    "origin_first_response": _("Response"),
    "original.text": _("Original judgement"),
    LANGUAGE: _("Language"),
}
UNITS: dict[str, Promise] = {"characters": _("characters"), "tokens": _("tokens (estimated)")}


@register.filter
def part_name(name: str, table: DatasetTable) -> str:
    """The name of a field, as in its form."""
    form_field = table.fields.get(name)
    return str(form_field.label if form_field else TEXTS.get(name, name))


@register.filter
def unit_name(unit: str) -> str:
    return str(UNITS.get(unit, unit))


@register.filter
def amount(value: float | None) -> str:
    """A length, with one decimal unless it is whole."""
    if value is None:
        return NONE
    decimals = 0 if float(value).is_integer() else 1
    return number_format(f"{value:.{decimals}f}", decimals, force_grouping=True)
