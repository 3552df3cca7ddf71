"""Tags for the authors' shares of a text: a bar, and table cells with the same numbers."""

from typing import NamedTuple

from django import template
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.items.authorship import ANNOTATOR, MODEL, ORIGINS, REVIEWER, Authorship, FieldShare
from annotate.templatetags.ui import meter_parts
from lib.texts.listing import listed

register = template.Library()

# origin -> word, fill of the bar, swatch next to its name
LOOKS: dict[str, tuple[str | Promise, str, str]] = {
    MODEL: (_("Model"), "hollow", "plain"),
    ANNOTATOR: (_("Annotator"), "1", "ink"),
    REVIEWER: (_("Reviewer"), "ok", "ok"),
}


class Head(NamedTuple):
    label: str | Promise
    swatch: str


class Cell(NamedTuple):
    """percent: None where the field holds no character."""

    characters: int
    percent: float | None


@register.filter
def origin_name(origin: str) -> str:
    return str(LOOKS[origin][0])


@register.filter
def origin_heads(owners: Authorship) -> list[Head]:
    return [Head(LOOKS[origin][0], LOOKS[origin][2]) for origin in ORIGINS]


@register.filter
def by_origin(counted: Authorship | FieldShare) -> list[Cell]:
    counts = counted.characters
    total = sum(counts.values())
    return [Cell(counts[origin], 100 * counts[origin] / total if total else None) for origin in ORIGINS]


@register.simple_tag
def owners_meter(owners: Authorship) -> SafeString:
    """One bar for all texts, with a sentence that gives the same numbers."""
    counts, shares = owners.characters, owners.shares or {}
    parts = [f"{origin_name(origin)} {100 * shares.get(origin, 0):.0f} %" for origin in ORIGINS]
    bar = [(LOOKS[origin][1], float(counts[origin])) for origin in ORIGINS]
    return meter_parts(bar, gettext("Authorship of the text: %(parts)s") % {"parts": listed(parts)})
