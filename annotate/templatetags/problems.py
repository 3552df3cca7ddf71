"""Tags that show the problems of an import."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()
TICK = "`"


@register.filter
def names_as_code(message: str) -> SafeString:
    """A message whose names in back-ticks are shown as code; a single back-tick stays as it is."""
    pieces = str(message).split(TICK)
    if len(pieces) % 2 == 0:
        pieces[-2:] = [TICK.join(pieces[-2:])]
    return format_html_join("", "{}", ((_piece(no, piece),) for no, piece in enumerate(pieces)))


def _piece(no: int, text: str) -> SafeString:
    return format_html("<code>{}</code>", text) if no % 2 else conditional_escape(text)


@register.simple_tag
def of_many(problem: Mapping[str, Any]) -> str:
    """How many problems an entry represents, and the lines of the first ones."""
    count, lines = problem["count"], problem["lines"]
    message = _("%(count)s like this, on lines %(lines)s")
    line_list = ", ".join(map(str, lines)) + (", …" if count > len(lines) else "")
    return message % {"count": count, "lines": line_list}
